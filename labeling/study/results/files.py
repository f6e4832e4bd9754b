"""The data of a study as tables, one line a judgement and one line a page, with a description of every column.

Until the study is unblinded, methods and names are numbers, and nothing tells where they stood: their text, and their
places beside the preview of a sheet, would tell which letter is which origin. Participants are P1, P2 …; what they told
about themselves is never beside what they answered.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from random import Random
from typing import Any

from labeling.spreadsheets import neutralise
from labeling.study.hiding import hidden_rng
from labeling.study.results.gathering import Gathered, Row

LONG = {
    "participant": "P and a number; the same in all files",
    "page": "where the method stood on the sheet of the participant, from 1; before unblinding empty",
    "place": "where the name stood on its page, from 1; before unblinding empty",
    "method": "key of the method; before unblinding M and a number",
    "group": "of the method; before unblinding empty",
    "name": "as it was shown; before unblinding N and a number",
    "origins": "of the name, separated by |; before unblinding letters",
    "answer": "yes, no, or empty: not answered",
    "reason": "of a no, by its key",
    "seconds": "active seconds on the page divided by the names on it; empty: not recorded",
    "changes": "how often the answer or its reason was changed",
    "flagged": "1: the participant is flagged, see flags",
    "primary": "1: the judgement is in the primary analysis",
}
WIDE = {
    "participant": LONG["participant"],
    "page": LONG["page"],
    "method": LONG["method"],
    "answer_*": "the answer to the name of this origin; a name of two origins stands in both columns",
    "reason_*": "the reason of a no to it",
    "place_*": "where it stood on the page; before unblinding empty",
    "name_*": "the name itself, or its number",
    "flagged": LONG["flagged"],
    "primary": LONG["primary"],
}


class Naming:
    """What methods, names and origins are called in files."""

    def __init__(self, gathered: Gathered, names: dict[str, str]) -> None:
        self.gathered, self.names = gathered, names
        self.masked = gathered.study.unblinded_at is None
        rng = hidden_rng(gathered.study, "files")
        self.methods = numbered({row.method for row in gathered.rows}, "M", rng)
        self.shown = numbered({row.name for row in gathered.rows}, "N", rng)

    @property
    def rows(self) -> list[Row]:
        """In the order of the sheets, or in that of the numbers: an order tells what a column does."""
        if not self.masked:
            return self.gathered.rows
        return sorted(self.gathered.rows, key=lambda row: (self.method(row), self.name(row)))

    def method(self, row: Row) -> str:
        return self.methods[row.method] if self.masked else row.method_key

    def group(self, row: Row) -> str:
        return "" if self.masked else row.group

    def name(self, row: Row) -> str:
        return self.shown[row.name] if self.masked else row.shown

    def page(self, row: Row) -> int | str:
        return "" if self.masked else row.page

    def place(self, row: Row) -> int | str:
        return "" if self.masked else row.place

    def origin(self, letter: str) -> str:
        return self.names[letter]


def numbered(ids: set[int], letter: str, rng: Random) -> dict[int, str]:
    """A number for each, in an order that says nothing."""
    shuffled = sorted(ids)
    rng.shuffle(shuffled)
    return {one: f"{letter}{number}" for number, one in enumerate(shuffled, start=1)}


def long_rows(gathered: Gathered, naming: Naming) -> Iterator[list[Any]]:
    excluded = set(gathered.excluded)
    for row in naming.rows:
        yield [
            row.participant,
            naming.page(row),
            naming.place(row),
            naming.method(row),
            naming.group(row),
            naming.name(row),
            "|".join(naming.origin(letter) for letter in row.letters),
            row.answer,
            row.reason,
            "" if row.seconds is None else round(row.seconds, 3),
            row.changes,
            int(row.participant in gathered.flags),
            int(bool(row.answer) and row.participant not in excluded),
        ]


def wide_columns(gathered: Gathered, naming: Naming) -> list[str]:
    origins = [naming.origin(letter) for letter in gathered.letters]
    cells = [f"{what}_{origin}" for origin in origins for what in ("answer", "reason", "place", "name")]
    return ["participant", "page", "method", *cells, "flagged", "primary"]


def wide_rows(gathered: Gathered, naming: Naming) -> Iterator[list[Any]]:
    pages: dict[tuple[str, int], list[Row]] = {}
    for row in naming.rows:
        pages.setdefault((row.participant, row.page), []).append(row)
    excluded = set(gathered.excluded)
    for (participant, _), rows in pages.items():
        cells: list[Any] = []
        for letter in gathered.letters:
            of = next((row for row in rows if letter in row.letters), None)
            cells += [of.answer, of.reason, naming.place(of), naming.name(of)] if of else ["", "", "", ""]
        flagged = int(participant in gathered.flags)
        yield [
            participant,
            naming.page(rows[0]),
            naming.method(rows[0]),
            *cells,
            flagged,
            int(participant not in excluded),
        ]


def as_csv(columns: list[str], rows: Iterator[list[Any]]) -> str:
    """Cells that a spreadsheet would run are made harmless; the header too, because it holds labels."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([neutralise(column) for column in columns])
    writer.writerows([neutralise(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return text.getvalue()


def participant_rows(figures: dict[str, Any]) -> Iterator[list[Any]]:
    """The table of participants: question, answer, how many; small groups are masked."""
    for part in figures["participants"]:
        if "number" in part:
            for key in ("n", "mean", "sd", "median"):
                value = part["number"][key]
                yield [part["text"], key, "" if value is None else round(value, 3)]
            continue
        for group in part["groups"]:
            yield [part["text"], group["label"], group["text"]]


def codebook(gathered: Gathered, naming: Naming, more: dict[str, dict[str, str]]) -> dict[str, Any]:
    """What every column and value of the files means."""
    texts = gathered.texts
    return {
        "study": gathered.study.name,
        "stage": gathered.stage,
        "masked": naming.masked,
        "question": texts.question if texts else "",
        "answers": {"yes": "consistent with the body", "no": "not consistent with the body"},
        "reasons": {reason.key: reason.label for reason in gathered.reasons},
        "origins": [naming.origin(letter) for letter in gathered.letters],
        "files": {"long.csv": LONG, "wide.csv": WIDE, **more},
        "counted": {
            "rule": "whoever finished, and of the others those named in unfinished",
            "unfinished": list(gathered.design.unfinished),
            "excluded_flags": list(gathered.design.excluded),
            "excluded": gathered.excluded,
        },
        "flags": {who: list(why.values()) for who, why in gathered.flags.items()},
        "cells": "a cell that begins with an apostrophe had one put before it, so that no spreadsheet runs it",
    }
