"""Protocols in templates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from labeling.annotation.protocols.asking import AskedQuestion, asked_questions
from labeling.annotation.protocols.codebook import LEVELS, Codebook
from labeling.annotation.protocols.guideline import render_guideline
from labeling.annotation.protocols.outline import QuestionFields

register = template.Library()


@register.simple_tag
def asked(
    codebook: Codebook,
    answers: Mapping[str, Any] | str = "",
    keys: Mapping[str, str] | str | None = None,
    errors: Mapping[str, str] | str = "",
    prefix: str = "",
) -> list[AskedQuestion]:
    """The questions as they are shown; what the page does not give is empty, and without keys the defaults count."""
    return asked_questions(
        codebook,
        answers=answers if isinstance(answers, Mapping) else {},
        keys=keys if isinstance(keys, Mapping) else None,
        errors=errors if isinstance(errors, Mapping) else {},
        prefix=prefix or "question",
    )


@register.simple_tag
def guideline(text: str, prefix: str = "guideline", *numbers: int) -> SafeString:
    """Where a page shows several texts, a number sets the anchors of each apart."""
    return render_guideline(text, "-".join([prefix, *map(str, numbers)]))


@register.simple_tag
def key_cap(key: str) -> str:
    """A key as it is written on a cap."""
    return {"Enter": "↵", "Space": "␣", "ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓"}.get(
        key, key
    )


@register.inclusion_tag("annotation/protocols/cell.html", takes_context=True)
def cell(context: Context, owner: Any, name: str, label: str, path: str = "", **more: Any) -> dict[str, Any]:
    """One field of the editor with its label, what is in it, and what is wrong with it; `path` is where it stands."""
    place = f"{path}.{name}" if path else name
    error = context.get("error") or {}
    return {
        "name": place,
        "id": id_of(place),
        "label": label,
        "value": getattr(owner, name.replace(".", "_")),
        "error": error.get("reason") if error.get("field") == place else "",
        "focused": context.get("focus") == place,
        **more,
    }


@register.inclusion_tag("annotation/protocols/act.html", takes_context=True)
def act(context: Context, verb: str, sign: str, words: str, *numbers: int) -> dict[str, Any]:
    """A button that changes the outline; its sign is what one sees, its words what it does to what."""
    return {"path": context["request"].path, "act": ":".join([verb, *map(str, numbers)]), "sign": sign, "words": words}


@register.filter
def id_of(place: str) -> str:
    """The id of a field of the editor."""
    return re.sub(r"[^a-z0-9_]+", "-", place).strip("-")


@register.filter
def earlier(questions: list[QuestionFields], index: int) -> list[QuestionFields]:
    """The questions before this one that have options, and so can be conditions."""
    return [question for question in questions[:index] if question.has_options and question.key]


@register.filter
def levels_of(form: str) -> tuple[str, ...]:
    return next((levels for name, levels in LEVELS.items() if name == form), ())
