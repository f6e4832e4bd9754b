"""Ratings out of a long CSV that somebody made: item,annotator,value[,question][,group], streamed."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import BinaryIO, Protocol

import numpy as np

from labeling.agreement.statistics.arrays import Ints
from labeling.agreement.statistics.ratings import RatedTwiceError, Ratings
from labeling.agreement.values import Values, Wanted
from labeling.corpus.reading import delimiter_of
from labeling.refusals import Invalid

NEEDED = ("item", "annotator", "value")
OPTIONAL = ("question", "group")
_NOT_GIVEN = -1


class Lines(Protocol):
    """A CSV reader: rows of cells, and the number of the line it has come to."""

    @property
    def line_num(self) -> int: ...

    def __iter__(self) -> Iterator[list[str]]: ...


@dataclass
class Question:
    """The rows of one question as codes, four bytes each; `line` is where each stood in the file."""

    name: str
    values: Values
    item: array[int] = field(default_factory=lambda: array("i"))
    rater: array[int] = field(default_factory=lambda: array("i"))
    value: array[int] = field(default_factory=lambda: array("i"))
    line: array[int] = field(default_factory=lambda: array("I"))
    without_value: array[int] = field(default_factory=lambda: array("i"))


@dataclass
class Sheet:
    """What was read: the questions, and the names behind the codes of items, raters and groups."""

    items: dict[str, int] = field(default_factory=dict)
    raters: dict[str, int] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)
    group_of: array[int] = field(default_factory=lambda: array("i"))
    questions: dict[str, Question] = field(default_factory=dict)


def read_ratings(file: BinaryIO, wanted: Wanted, *, grouped: bool = False) -> Iterator[tuple[str, Ratings]]:
    """Each question with its ratings; raises Invalid with the line of what is wrong."""
    sheet = _read(file, wanted, grouped=grouped)
    if not sheet.questions:
        raise Invalid("The file has no ratings: there is nothing below the line with the names of its columns.")
    group_of = _by_name(sheet.groups)[_codes(sheet.group_of)] if grouped else None
    for name in list(sheet.questions):
        question = sheet.questions.pop(name)  # what was handed out need not be held here too
        yield name, _ratings(question, sheet, group_of)


def _read(file: BinaryIO, wanted: Wanted, *, grouped: bool) -> Sheet:
    delimiter = delimiter_of(file)
    sheet = Sheet()
    try:
        with _text(file) as text:
            reader = csv.reader(text, delimiter=delimiter, strict=True)
            _read_rows(reader, _places(_header(reader), grouped=grouped), sheet, wanted)
    except UnicodeDecodeError as error:
        raise Invalid(f"Line {_line_that_is_not_utf8(file)} is not UTF-8: {error.reason}.") from error
    except csv.Error as error:
        raise Invalid(f"Line {reader.line_num} is not CSV: {error}.") from error
    return sheet


@contextmanager
def _text(file: BinaryIO, errors: str = "strict") -> Iterator[TextIOWrapper]:
    """Its lines end at CR and LF, and at no other character."""
    text = TextIOWrapper(file, encoding="utf-8-sig", errors=errors, newline="")
    try:
        yield text
    finally:
        text.detach()  # the file is its opener's to close


def _line_that_is_not_utf8(file: BinaryIO) -> int:
    """Read anew, because bytes are decoded well ahead of the row that has been come to."""
    file.seek(0)
    number = 0
    with _text(file, errors="surrogateescape") as text:
        for number, line in enumerate(text, start=1):  # noqa: B007 (it is the answer)
            try:
                line.encode()
            except UnicodeEncodeError:
                break
    return number


def _header(reader: Lines) -> list[str]:
    rows = iter(reader)
    header = next(rows, [])
    if not header and any(rows):
        raise Invalid("Line 1 is blank: it needs the names of the columns, item,annotator,value.")
    return header


@dataclass(frozen=True)
class Places:
    """Where the columns stand; -1 for one that is not there or not needed."""

    width: int
    item: int
    annotator: int
    value: int
    question: int
    group: int


def _places(header: list[str], *, grouped: bool) -> Places:
    names = [name.strip().lower() for name in header]
    if not any(names):
        raise Invalid("The file is empty: it needs a line with the names of its columns, item,annotator,value.")
    for name in (*NEEDED, *OPTIONAL):
        if names.count(name) > 1:
            raise Invalid(f"Line 1: the column “{name}” is there twice.")
    if missing := [name for name in NEEDED if name not in names]:
        raise Invalid(f"Line 1: there is no column “{missing[0]}”. The columns are: {', '.join(header)}.")
    if grouped and "group" not in names:
        raise Invalid("Line 1: intervals over groups need a column “group”.")
    item, annotator, value, question, group = (
        names.index(name) if name in names else _NOT_GIVEN for name in (*NEEDED, *OPTIONAL)
    )
    return Places(len(header), item, annotator, value, question, group if grouped else _NOT_GIVEN)


def _read_rows(reader: Lines, places: Places, sheet: Sheet, wanted: Wanted) -> None:
    """The one loop over the file: dictionaries and arrays only, because it runs for every rating."""
    items, raters, questions = sheet.items, sheet.raters, sheet.questions
    at_item, at_rater, at_value, at_question = places.item, places.annotator, places.value, places.question
    for cells in reader:
        if len(cells) != places.width:
            if not cells:
                continue
            raise Invalid(f"Line {reader.line_num}: {len(cells)} cells, where line 1 has {places.width}.")
        item_name, rater_name = cells[at_item].strip(), cells[at_rater].strip()
        if not item_name or not rater_name:
            raise Invalid(f"Line {reader.line_num}: there is no {'annotator' if item_name else 'item'}.")
        name = cells[at_question].strip() if at_question >= 0 else ""
        question = questions.get(name)
        if question is None:
            question = questions[name] = Question(name, Values(wanted))
        item = items.setdefault(item_name, len(items))
        if places.group >= 0:
            _note_group(sheet, item, cells[places.group].strip(), item_name, reader.line_num)
        code = question.values.code(cells[at_value], reader.line_num)
        if code is None:
            question.without_value.append(item)
            continue
        question.item.append(item)
        question.rater.append(raters.setdefault(rater_name, len(raters)))
        question.value.append(code)
        question.line.append(reader.line_num)


def _note_group(sheet: Sheet, item: int, group: str, item_name: str, line: int) -> None:
    if not group:
        raise Invalid(f"Line {line}: the item “{item_name}” has no group.")
    code = sheet.groups.setdefault(group, len(sheet.groups))
    if item == len(sheet.group_of):
        sheet.group_of.append(code)
    elif sheet.group_of[item] != code:
        known = list(sheet.groups)[sheet.group_of[item]]
        raise Invalid(f"Line {line}: the item “{item_name}” is in the group “{group}” here and in “{known}” above.")


def _codes(column: array[int]) -> Ints:
    return np.frombuffer(column, dtype=np.int32).astype(np.int64) if len(column) else np.zeros(0, np.int64)


def _by_name(names: dict[str, int]) -> Ints:
    """The place of each code when the names are sorted, so that the order of the rows changes no number."""
    place = np.empty(len(names), dtype=np.int64)
    place[[names[name] for name in sorted(names)]] = np.arange(len(names))
    return place


def _ratings(question: Question, sheet: Sheet, group_of: Ints | None) -> Ratings:
    item, without = _codes(question.item), _codes(question.without_value)
    seen = np.zeros(len(sheet.items), dtype=bool)
    seen[item] = seen[without] = True
    new = np.cumsum(seen) - 1
    scale, order = question.values.scale()
    ratings = Ratings(
        item=new[item],
        rater=_by_name(sheet.raters)[_codes(question.rater)],
        value=order[_codes(question.value)],
        scale=scale,
        raters=tuple(sorted(sheet.raters)),
        items=int(seen.sum()),
        group=None if group_of is None else group_of[seen],
        groups=len(sheet.groups) if group_of is not None else 0,
    )
    try:
        return ratings.in_order()
    except RatedTwiceError as twice:
        first, second = question.line[twice.first], question.line[twice.second]
        who = list(sheet.raters)[question.rater[twice.second]]
        what = list(sheet.items)[question.item[twice.second]]
        where = f" in the question “{question.name}”" if question.name else ""
        raise Invalid(f"Line {second}: “{who}” rated the item “{what}”{where} already on line {first}.") from twice
