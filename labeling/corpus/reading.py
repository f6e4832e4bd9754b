"""Rows out of a file that somebody made: JSONL or CSV, streamed, each with the line it stands on."""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

from labeling.corpus.payloads import FieldError, field_types, from_cell
from labeling.refusals import Invalid
from labeling.spreadsheets import restore

LONGEST_LINE = 8_000_000
MOST_COLUMNS = 1_000  # the page asks of each what it is for
FORMATS = ("jsonl", "csv")
csv.field_size_limit(LONGEST_LINE)


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


JSON = json.JSONDecoder(parse_constant=refuse_constant)


@dataclass(slots=True)
class Row:
    """One row: its data, or what is wrong with it; `raw` is what stood in the file."""

    line: int
    data: dict[str, Any] | None
    error: FieldError | None
    raw: Any


def format_of(name: str) -> str:
    """What a file's name says about its format."""
    suffix = Path(name).suffix.lower()
    if suffix in {".jsonl", ".ndjson"}:
        return "jsonl"
    if suffix in {".csv", ".tsv"}:
        return "csv"
    raise Invalid(f"“{name}” should end in .jsonl or .csv, so that we know how to read it.")


def read_rows(file: BinaryIO, *, form: str, kind: type, columns: Mapping[str, str] | None = None) -> Iterator[Row]:
    """The rows of the file, in order. `columns` says which field a column of a CSV is for; others are left out."""
    return read_csv(file, field_types(kind), columns) if form == "csv" else read_jsonl(file)


def read_jsonl(file: BinaryIO) -> Iterator[Row]:
    for number, line in enumerate(lines_of(file), start=1):
        if not line.strip():
            continue
        yield jsonl_row(number, line)


def jsonl_row(number: int, line: bytes) -> Row:
    if len(line) > LONGEST_LINE:
        return bad_row(number, f"the line is longer than {LONGEST_LINE:,} bytes", readable(line[:4000])[:1000])
    try:
        data = JSON.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return bad_row(number, f"byte {error.start + 1} of the line is not UTF-8", readable(line))
    except (ValueError, RecursionError) as error:
        return bad_row(number, f"is not JSON: {getattr(error, 'msg', None) or error}", readable(line))
    return row_of(number, data)


def readable(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def row_of(number: int, data: Any) -> Row:
    if not isinstance(data, dict):
        return bad_row(number, "must be a JSON object with named fields", data)
    return Row(number, data, None, data)


def bad_row(number: int, reason: str, raw: Any) -> Row:
    return Row(number, None, FieldError("", reason), raw)


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Lines without their ends; a byte order mark is dropped, and a line without end is cut where it is too long."""
    first = True
    while line := file.readline(LONGEST_LINE + 2):
        if first:
            line, first = line.removeprefix(codecs.BOM_UTF8), False
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
        yield line.rstrip(b"\r\n")


def read_csv(file: BinaryIO, types: Mapping[str, Any], columns: Mapping[str, str] | None) -> Iterator[Row]:
    delimiter = delimiter_of(file)
    text = TextIOWrapper(file, encoding="utf-8-sig", newline="")  # lines end at CR and LF, and at no other character
    reader = csv.reader(bounded(text), delimiter=delimiter, strict=True)
    try:
        header = next(reader, [])
        targets = targets_of(header, columns)
        for cells in reader:
            if cells:
                yield csv_row(reader.line_num, cells, header=header, targets=targets, types=types)
    except UnicodeDecodeError as error:
        raise Invalid(f"The file is not UTF-8 somewhere after line {reader.line_num}: {error.reason}.") from error
    except csv.Error as error:
        raise Invalid(f"Line {reader.line_num} is not CSV: {error}.") from error
    finally:
        text.detach()  # the file is its opener's to close


def bounded(text: TextIOWrapper) -> Iterator[str]:
    """Its lines, none of which is read whole before it is known to fit into memory."""
    number = 0
    while line := text.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise Invalid(f"Line {number} is longer than {LONGEST_LINE:,} characters.")
        yield line


def delimiter_of(file: BinaryIO) -> str:
    """Comma, semicolon or tab, whichever the header has most of."""
    start = file.tell()
    header = file.readline(LONGEST_LINE).decode("utf-8", "replace")
    file.seek(start)
    return max(",;\t", key=header.count)


def targets_of(header: list[str], columns: Mapping[str, str] | None) -> list[str]:
    """The field that each column is meant for; nothing for a column that is left out."""
    if not header:
        raise Invalid("The file is empty: a CSV needs a line with the names of its columns.")
    if len(header) > MOST_COLUMNS:
        raise Invalid(f"The file has {len(header):,} columns; at most {MOST_COLUMNS:,} are taken.")
    if any("\0" in name for name in header):
        raise Invalid("The name of a column contains a NUL character.")
    if unknown := set(columns or {}) - set(header):
        raise Invalid(f"The file has no column “{min(unknown)}”. Its columns: {', '.join(header)}.")
    targets = header if columns is None else [columns.get(name, "") for name in header]
    named = [target for target in targets if target]
    if doubled := {target for target in named if named.count(target) > 1}:
        raise Invalid(f"Two columns are meant for the field “{min(doubled)}”.")
    return targets


def csv_row(line: int, cells: list[str], *, header: list[str], targets: list[str], types: Mapping[str, Any]) -> Row:
    raw = dict(zip(header, cells, strict=False))
    if len(cells) != len(header):
        return bad_row(line, f"has {len(cells)} cells, but the header has {len(header)}", raw)
    data: dict[str, Any] = {}
    try:
        for target, cell in zip(targets, cells, strict=True):
            if target and cell:
                place(data, target, from_cell(types.get(target, str), restore(cell), target))
    except FieldError as error:
        return Row(line, None, error, raw)
    return Row(line, data, None, raw)


def place(data: dict[str, Any], target: str, value: Any) -> None:
    """Puts a value where a dotted name says: `pull_request.number` into the object `pull_request`."""
    *parents, last = target.split(".")
    for parent in parents:
        data = data.setdefault(parent, {})
        if not isinstance(data, dict):
            raise FieldError(target, f"“{parent}” is already given as a whole")
    data[last] = value
