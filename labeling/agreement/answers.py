"""The answers to a question as codes on its scale; each different answer is read once."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from labeling.annotation.protocols.codebook import Question

if TYPE_CHECKING:
    from collections.abc import Iterable

    from labeling.agreement.statistics.scales import Scale

Key = str | float | frozenset[str]
MISFIT = -1


def key_of(question: Question, text: str) -> Key | None:
    """The answer behind what the database wrote; None when it fits another form that the question once had."""
    if question.has_options and question.form != "multiple":
        return text if text in question.option_keys else None
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    if question.form == "multiple":
        fits = isinstance(answer, list) and set(answer) <= set(question.option_keys)
        return frozenset(answer) if fits else None
    fits = isinstance(answer, int | float) and math.isfinite(answer)
    return float(answer) + 0.0 if fits and (question.measured != "ratio" or answer >= 0) else None


def category_of(question: Question, text: str) -> str | None:
    """The category of the scale that an answer is, as the scale names it; None when it has none."""
    key = key_of(question, text)
    if isinstance(key, frozenset):
        return "|".join(sorted(key)) or "(none)"
    return f"{key:.15g}" if isinstance(key, float) else key


def scale_of(question: Question, texts: Iterable[str]) -> tuple[Scale, dict[str, int]]:
    """The scale of the question, and the place of each answer on it; MISFIT for what has none."""
    keys = {text: key_of(question, text) for text in texts}
    scale, places = _scale(question, {key for key in keys.values() if key is not None})
    return scale, {text: MISFIT if key is None else places[key] for text, key in keys.items()}


def _scale(question: Question, given: set[Key]) -> tuple[Scale, dict[Key, int]]:
    """Options make the scale whether somebody chose them or not; numbers and sets only if somebody did."""
    from labeling.agreement.statistics.scales import Level, nominal_scale, number_scale, ordinal_scale, set_scale

    level = Level(question.measured)
    if question.form == "multiple":
        sets = sorted((key for key in given if isinstance(key, frozenset)), key=sorted)
        return set_scale(sets), {key: place for place, key in enumerate(sets)}
    if not question.has_options:
        numbers = sorted(key for key in given if isinstance(key, float))
        labels = [f"{number:.15g}" for number in numbers]
        scale = ordinal_scale(labels) if level is Level.ORDINAL else number_scale(level, numbers, labels)
        return scale, {key: place for place, key in enumerate(numbers)}
    keys = question.option_keys
    places: dict[Key, int] = {key: place for place, key in enumerate(keys)}
    if level is Level.INTERVAL:
        return number_scale(level, range(1, len(keys) + 1), keys), places
    return (nominal_scale if level is Level.NOMINAL else ordinal_scale)(keys), places


def in_words(question: Question, category: str) -> str:
    """A category of the scale as people read it: the label of the option, or of each option of a set."""
    labels = {option.key: option.label for option in question.options}
    return " + ".join(labels.get(key, key) for key in category.split("|"))
