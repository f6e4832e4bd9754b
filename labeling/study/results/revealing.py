"""What origins are called. Figures and files are made with marks in the place of names; whoever shows something calls
`origin_names`, which alone decides whether a mark is read as a letter or as a name."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from labeling.study.models import Study
from labeling.study.origins import Origin

MARK = re.compile("⟦([A-Z]{1,3})⟧")


def mark(letter: str) -> str:
    """Stands for an origin in whatever is kept or computed; no text of ours or of a coordinator looks like it."""
    return f"⟦{letter}⟧"


def letters_of(study: Study) -> list[str]:
    """In the order of the alphabet, and after the unblinding as the coordinator named the origins."""
    order = ("letter",) if study.unblinded_at is None else ("place", "letter")
    return list(Origin.objects.filter(study=study).order_by(*order).values_list("letter", flat=True))


def origin_names(study: Study) -> dict[str, str]:
    """What each letter may be called now: itself, until the study is unblinded. Labels are not even read before."""
    origins = Origin.objects.filter(study=study).order_by("letter")
    if study.unblinded_at is None:
        return {letter: letter for letter in origins.values_list("letter", flat=True)}
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
