"""How a release writes things down, so that the same things are the same bytes everywhere. Plain Python."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from labeling.spreadsheets import neutralise, restore

DECIMALS = 6
NOTHING_CHOSEN = "(none)"  # no key of an option can be this
_MUST_QUOTE = ('"', ",", "\r", "\n")
_LONGEST_CELL = 100_000_000


def plain(value: Any) -> Any:
    """Numbers as both databases would have them: what is whole is an integer, and there is no minus zero."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def canonical(value: Any) -> str:
    """JSON in one line: sorted names, no blanks, letters as they are."""
    return json.dumps(plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def readable(value: Any) -> str:
    """JSON for people: indented, in the order given."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def rounded(value: float | None) -> float | None:
    """Six decimals: what lies beyond is a matter of the processor."""
    return None if value is None else round(float(value), DECIMALS) + 0.0


def answer_cell(value: Any) -> str:
    """An answer as a cell: options of a set between bars, nothing where there is no answer."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "|".join(value) or NOTHING_CHOSEN
    return value if isinstance(value, str) else json.dumps(plain(value))


def read_answer(form: str, cell: str) -> Any:
    """The answer behind a cell; None where there is none."""
    if not cell:
        return None
    if form == "multiple":
        return [] if cell == NOTHING_CHOSEN else cell.split("|")
    return json.loads(cell) if form == "number" else cell


def yes(value: bool) -> str:
    return "yes" if value else "no"


class Sheet:
    """A CSV file that is being written, and how many rows it has."""

    def __init__(self, file: IO[str], columns: Sequence[str]) -> None:
        self.file, self.columns, self.rows = file, list(columns), -1
        self.write(columns)

    def write(self, cells: Iterable[object]) -> None:
        self.file.write(",".join(map(quoted, cells)) + "\r\n")
        self.rows += 1


def quoted(cell: object) -> str:
    if isinstance(cell, str):
        cell = neutralise(cell)
        return '"' + cell.replace('"', '""') + '"' if any(sign in cell for sign in _MUST_QUOTE) else cell
    return "" if cell is None else repr(cell)


def read_sheet(file: IO[str]) -> Iterator[dict[str, str]]:
    """The rows of a CSV of a release, with formulas as they were."""
    csv.field_size_limit(_LONGEST_CELL)
    for row in csv.DictReader(file, strict=True):
        yield {name: restore(cell or "") for name, cell in row.items() if name is not None}
