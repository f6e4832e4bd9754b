"""A first look into an uploaded file: its kind of item, its columns, its first rows, and what is wrong with them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from labeling.corpus.guessing import dotted_names, guess_kind
from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Upload
from labeling.corpus.payloads import FieldError
from labeling.corpus.reading import Row, format_of, read_rows

ROWS = 5
SHORT = 120


@dataclass(frozen=True)
class Preview:
    """`columns` are a CSV's; a JSONL names its fields itself."""

    kind: str = next(iter(KINDS))
    columns: list[str] = field(default_factory=list)
    rows: list[tuple[int, str, str]] = field(default_factory=list)
    problem: str = ""


def look_into(upload: Upload, kind: str = "") -> Preview:
    """The first rows, read as items of the kind; without one, of the kind that their fields speak for."""
    kind = kind or guess_kind(field_names(upload))
    rows = first_rows(upload, kind)
    if not rows:
        return Preview(kind, problem="The file has no rows.")
    columns = list(rows[0].raw) if format_of(upload.name) == "csv" else []
    return Preview(
        kind, columns=columns, rows=[(row.line, whole(shown(row.raw)), whole(fault(row, kind))) for row in rows]
    )


def first_rows(upload: Upload, kind: str) -> list[Row]:
    with Path(upload.file.path).open("rb") as file:
        return list(islice(read_rows(file, form=format_of(upload.name), kind=KINDS[kind]), ROWS))


def field_names(upload: Upload) -> set[str]:
    rows = first_rows(upload, Preview.kind)
    return {name for row in rows if isinstance(row.raw, dict) for name in dotted_names(row.raw)}


def shown(raw: Any) -> str:
    """A row in one line, each field cut short."""
    if not isinstance(raw, dict):
        return as_written(raw)[: 2 * SHORT]
    return ", ".join(f"{name}: {as_written(value)[:SHORT]}" for name, value in raw.items() if value)


def as_written(value: Any) -> str:
    """As JSON has it; text without its quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def whole(text: str) -> str:
    """With ? for half a character, which no page can hold."""
    return text.encode("utf-8", "replace").decode()


def fault(row: Row, kind: str) -> str:
    """What would be said of the row if it were imported as it stands."""
    if row.data is None:
        return str(row.error)
    try:
        KINDS[kind].read({name: value for name, value in row.data.items() if name != "key"})
    except FieldError as error:
        return str(error)
    return ""
