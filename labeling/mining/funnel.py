"""The sieves that mining goes through, beside those of the paper."""

from __future__ import annotations

from typing import NamedTuple

# The rename4j study, §3.2: 144,759 pull requests of 66 projects; reviews were linked to renames by hand.
PAPER = {
    "pull_requests": 144_759,
    "with_naming_words": 11_301,
    "commits": 73_985,
    "files": 593_240,
    "renames": 1_212,
    "linked": None,
    "items": 1_212,
}
LABELS = {
    "pull_requests": "Pull requests",
    "with_naming_words": "with naming words in their reviews",
    "commits": "Commits of those",
    "files": "Java files that they change",
    "renames": "Methods whose name alone changed",
    "linked": "with a comment that may have asked for it",
    "items": "New items",
}


class FunnelRow(NamedTuple):
    label: str
    here: int
    paper: int | None


def funnel_rows(counts: dict[str, int]) -> list[FunnelRow]:
    return [FunnelRow(label, counts[name], PAPER[name]) for name, label in LABELS.items()]
