"""What the judging page sends, read from its form: answers by question, and what goes with them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import QueryDict

from labeling.annotation.judging.ballots import CLOCKS, Ballot
from labeling.annotation.protocols.answers import answers_in_form
from labeling.annotation.protocols.codebook import Codebook
from labeling.refusals import Invalid

MOST_DIGITS = 10


def read_ballot(codebook: Codebook, data: QueryDict) -> Ballot:
    try:
        submission = UUID(data.get("submission", ""))
    except ValueError as error:
        raise Invalid("submission: must be a UUID.") from error
    return Ballot(
        submission=submission,
        answers=answers_in_form(codebook, data),
        version=whole(data, "version"),
        revises=whole(data, "revises"),
        note=data.get("note", ""),
        flag=data.get("flag", ""),
        picked=read_picked(data),
        timing=read_timing(data),
    )


def whole(data: QueryDict, name: str) -> int:
    value = data.get(name, "0")
    if not (value.isascii() and value.isdigit() and len(value) < MOST_DIGITS):
        raise Invalid(f"{name}: must be a whole number.")
    return int(value)


def read_picked(data: QueryDict) -> int | None:
    """The comment of the thread that was picked; none when it is the linked one."""
    return whole(data, "picked") if data.get("picked") else None


def read_timing(data: QueryDict) -> dict[str, float]:
    """Seconds by each clock; none when the browser runs no script."""
    try:
        return {clock: float(data.get(clock, "")) for clock in CLOCKS if data.get(clock)}
    except ValueError as error:
        raise Invalid("timing: must be in seconds.") from error


def read_draft(codebook: Codebook, data: QueryDict) -> dict[str, Any]:
    """Everything as it stands in the form, right or wrong."""
    return {
        "answers": answers_in_form(codebook, data),
        "note": data.get("note", ""),
        "flag": data.get("flag", ""),
        "picked": read_picked(data),
        "timing": read_timing(data),
    }
