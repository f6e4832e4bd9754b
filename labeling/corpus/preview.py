"""A first look into an uploaded file: its columns, its first rows, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Upload
from labeling.corpus.payloads import FieldError
from labeling.corpus.reading import Row, format_of, read_rows

ROWS = 5
SHORT = 120


@dataclass(frozen=True)
class Preview:
    """`columns` are a CSV's; a JSONL names its fields itself."""

    columns: list[str] = field(default_factory=list)
    rows: list[tuple[int, str, str]] = field(default_factory=list)
    problem: str = ""


def look_into(upload: Upload, kind: str = "review_rename") -> Preview:
    form = format_of(upload.name)
    with Path(upload.file.path).open("rb") as file:
        rows = list(islice(read_rows(file, form=form, kind=KINDS[kind]), ROWS))
    if not rows:
        return Preview(problem="The file has no rows.")
    columns = list(rows[0].raw) if form == "csv" else []
    return Preview(columns=columns, rows=[(row.line, shown(row.raw), fault(row, kind)) for row in rows])


def shown(raw: Any) -> str:
    """A row in one line, each field cut short."""
    if not isinstance(raw, dict):
        return str(raw)[: 2 * SHORT]
    return ", ".join(f"{name}: {str(value)[:SHORT]}" for name, value in raw.items() if value)


def fault(row: Row, kind: str) -> str:
    """What would be said of the row if it were imported as it stands."""
    if row.data is None:
        return str(row.error)
    try:
        KINDS[kind].read({name: value for name, value in row.data.items() if name != "key"})
    except FieldError as error:
        return str(error)
    return ""
