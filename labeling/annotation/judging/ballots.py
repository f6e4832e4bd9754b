"""What a rater sends, and what is checked of it whatever the protocol asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from labeling.annotation.models import Assignment
from labeling.corpus.payloads import FieldError, described

LONGEST_NOTE = 10_000
LONGEST_REASON = 300
LONGEST_SITTING = 30 * 24 * 3600.0
CLOCKS = ["wall", "active", "idle"]
FORGIVEN = timedelta(minutes=1)  # between our clock and a browser's


@dataclass(frozen=True)
class Ballot:
    """What a rater sends: their answers under a version of the protocol, and what goes with them."""

    submission: UUID
    answers: object
    version: int | None = None  # None: whatever is in force
    note: str = ""
    flag: str = ""
    picked: int | None = None  # a comment of the thread, from 0; None: the linked one
    revises: int = 0  # the revision that this one replaces; 0 is a first vote
    timing: Mapping[str, float] = field(default_factory=dict)


def check_text(text: object, name: str, longest: int) -> str:
    if not isinstance(text, str):
        raise FieldError(name, f"must be text, not {described(text)}")
    if "\x00" in text:
        raise FieldError(name, "contains a NUL character")
    if len(text) > longest:
        raise FieldError(name, f"has {len(text):,} characters; at most {longest:,} are taken")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise FieldError(name, "contains half a character (a lone surrogate)")
    return text


def check_timing(timing: object) -> dict[str, float]:
    """Seconds by three clocks, or none at all. Active and idle time lie within the wall time; a second is forgiven."""
    if not timing:
        return {}
    if not isinstance(timing, Mapping) or set(timing) != set(CLOCKS):
        raise FieldError("timing", f"must have {', '.join(CLOCKS)}, in seconds")
    for name, value in timing.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= LONGEST_SITTING:
            raise FieldError(f"timing.{name}", f"must be seconds between 0 and {LONGEST_SITTING:,.0f}")
    if timing["active"] + timing["idle"] > timing["wall"] + 1:
        raise FieldError("timing", "active and idle time together are longer than the wall time")
    return {f"{name}_seconds": float(timing[name]) for name in CLOCKS}


def possible_times(times: dict[str, float], assignment: Assignment) -> dict[str, float]:
    """None when the item cannot have been before anybody for so long: no time is better than a false one."""
    if not times or assignment.held_at is None:
        return times
    longest = timezone.now() - assignment.held_at + FORGIVEN
    return times if times["wall_seconds"] <= longest.total_seconds() else {}
