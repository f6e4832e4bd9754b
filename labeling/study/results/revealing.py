"""What origins are called. Figures and files are made with marks in the place of names; whoever shows something calls
`origin_names`, which alone decides whether a mark is read as a letter or as a name."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from labeling.study.hiding import hidden_rng
from labeling.study.models import Stage, Study
from labeling.study.origins import Origin

MARK = re.compile("⟦([A-Z]{1,3})⟧")


def mark(letter: str) -> str:
    """Stands for an origin in whatever is kept or computed; no text of ours or of a coordinator looks like it."""
    return f"⟦{letter}⟧"


def letters_of(study: Study, stage: str) -> list[str]:
    """In the order in which results show them: the alphabet's, and after the unblinding the coordinator's own."""
    if study.unblinded_at is None:
        called = origin_names(study, stage)
        return sorted(called, key=called.__getitem__)
    return list(Origin.objects.filter(study=study).order_by("place", "letter").values_list("letter", flat=True))


def origin_names(study: Study, stage: str) -> dict[str, str]:
    """What each letter may be called now: itself, until the study is unblinded. Labels are not even read before. In the
    figures of a pilot letters are dealt anew: who is a pilot knows their answers, and finds them there."""
    origins = Origin.objects.filter(study=study).order_by("letter")
    if study.unblinded_at is None:
        letters = list(origins.values_list("letter", flat=True))
        called = list(letters)
        if stage == Stage.PILOT:
            hidden_rng(study, "letters of the pilot").shuffle(called)
        return dict(zip(letters, called, strict=True))
    labels = dict(origins.values_list("letter", "label"))
    often = Counter(labels.values())
    return {letter: label if often[label] == 1 else f"{label} ({letter})" for letter, label in labels.items()}


def reveal(value: Any, names: dict[str, str]) -> Any:
    """The same plain data with every mark read as `names` says."""
    if isinstance(value, str):
        return MARK.sub(lambda found: names[found[1]], value)
    if isinstance(value, dict):
        return {reveal(key, names): reveal(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [reveal(part, names) for part in value]
    return value
