"""What a study is made of, read from what somebody brought: methods, and a name of each from each origin.

A source of methods is anything that gives rows: items of the project, a file, a release. Nothing is stored here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Any

from labeling.corpus.browsing import filtered
from labeling.corpus.importing import LONGEST_KEY, is_whole
from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.models import Project
from labeling.corpus.payloads import FieldError, Payload, described
from labeling.corpus.reading import Row, bad_row, format_of, read_rows, row_of
from labeling.refusals import Invalid
from labeling.study.designing import MOST_METHODS
from labeling.study.naming import why_no_name

MOST_BYTES = 20_000_000
MOST_NAMES = 100_000
MOST_ORIGINS = 12
LONGEST_BODY = 50_000
SHOWN_PROBLEMS = 5
BODIES = ("body", "body_before", "method_body")  # the last is a column of a released benchmark
ORIGIN_KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
ATTENTION = {"attention-yes": "yes", "attention-no": "no"}  # origins of names that are a check: the right answer
PRESETS = {
    "four_names": {"buggy": "Buggy", "fixed": "Fixed", "cognac": "Cognac", "gtnm": "GTNM"},
    "stable_names": {"stable": "Stable", "cognac": "Cognac", "gtnm": "GTNM"},
}


@dataclass(frozen=True, slots=True)
class NameRow(Payload):
    """A row of a names file."""

    item: str
    origin: str
    name: str


@dataclass
class Piece:
    """A method with the names that were given to it, by the key of their origin; checks by the answer they want."""

    key: str
    group: str
    body: str
    names: dict[str, str] = field(default_factory=dict)
    checks: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Material:
    origins: dict[str, str]  # labels by key
    pieces: list[Piece]

    @property
    def missing(self) -> dict[str, int]:
        """How many methods lack a name of each origin."""
        return {key: sum(key not in piece.names for piece in self.pieces) for key in self.origins}


class Problems:
    """What is wrong with a file, line by line; the first few are told."""

    def __init__(self, source: str) -> None:
        self.source, self.told, self.count = source, [], 0  # type: tuple[str, list[str], int]

    def add(self, line: int, reason: str) -> None:
        self.count += 1
        if len(self.told) < SHOWN_PROBLEMS:
            self.told.append(f"{self.source}, line {line}: {reason}.")

    def refuse(self) -> None:
        """Raises when there was one."""
        if self.count:
            more = f" And {self.count - len(self.told):,} more." if self.count > len(self.told) else ""
            raise Invalid(" ".join(self.told) + more)


def read_material(
    items: Iterable[Row],
    names: Iterable[Row],
    origins: Mapping[str, str],
    *,
    called: tuple[str, str] = ("items", "names"),
) -> Material:
    """Reads both to the end, or refuses with the lines that are wrong."""
    require_origins(origins)
    pieces = read_items(items, origins, Problems(called[0]))
    read_names(names, pieces, origins, Problems(called[1]))
    require_real_checks(pieces)
    return Material(dict(origins), list(pieces.values()))


def require_origins(origins: Mapping[str, str]) -> None:
    if not 1 <= len(origins) <= MOST_ORIGINS:
        raise Invalid(f"origins: name 1 to {MOST_ORIGINS}, not {len(origins)}.")
    for key, label in origins.items():
        if not ORIGIN_KEY.fullmatch(key) or key in ATTENTION:
            raise Invalid(f"origins: “{key[:40]}” cannot be a key. Use small letters, digits, - and _, at most 40.")
        if not 1 <= len(label.strip()) <= 80 or not label.isprintable():  # noqa: PLR2004 (as the column)
            raise Invalid(f"origins: the label of {key} must have 1 to 80 letters.")
        if "|" in label:
            raise Invalid(f"origins: the label of {key} must have no | in it: files put that between two origins.")


def read_items(rows: Iterable[Row], origins: Mapping[str, str], problems: Problems) -> dict[str, Piece]:
    pieces: dict[str, Piece] = {}
    for row in rows:
        if row.data and row.data.get("released") is False:  # a release lists what it left out, too
            continue
        try:
            piece = read_piece(row, origins)
        except FieldError as error:
            problems.add(row.line, str(error))
            continue
        if piece.key in pieces:
            problems.add(row.line, f"the item “{piece.key[:80]}” was there before")
        pieces[piece.key] = piece
        if len(pieces) > MOST_METHODS:
            raise Invalid(f"{problems.source}, line {row.line}: a study takes at most {MOST_METHODS:,} methods.")
    problems.refuse()
    if not pieces:
        raise Invalid(f"{problems.source}: there is no method in it.")
    return pieces


def read_piece(row: Row, origins: Mapping[str, str]) -> Piece:
    """A row of items: `key` and `body`, or an item of the kind review_rename, also as a release writes it;
    `<origin>_name` is a name."""
    if row.data is None:
        raise row.error or FieldError("", "cannot be read")
    payload = row.data.get("payload")
    data = {**payload, **row.data} if isinstance(payload, dict) else row.data
    body_field = next((name for name in BODIES if data.get(name)), "body")
    body = text_of(data, body_field, longest=LONGEST_BODY)
    names = {}
    for origin in origins:
        if data.get(f"{origin}_name"):
            name = text_of(data, f"{origin}_name")
            if why := why_no_name(name):
                raise FieldError(f"{origin}_name", why)
            names[origin] = name
    return Piece(key_of(data), str(data.get("group") or data.get("repository") or "")[:200], body, names)


def key_of(data: Mapping[str, Any]) -> str:
    for name in ("key", "item", "id"):
        if data.get(name) not in {None, ""}:
            return text_of({name: str(data[name])}, name, longest=LONGEST_KEY)
    if "buggy_name" in data:
        return ReviewRename.read(dict(data)).key
    raise FieldError("key", "is missing")


def text_of(data: Mapping[str, Any], name: str, *, longest: int = LONGEST_BODY) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value.strip():
        raise FieldError(name, "is missing" if value in {None, ""} else f"must be text, not {described(value)}")
    if len(value) > longest:
        raise FieldError(name, f"has {len(value):,} characters; at most {longest:,} are taken")
    if "\x00" in value or not is_whole(value):
        raise FieldError(name, "contains a character that cannot be stored")
    return value.replace("\r\n", "\n").replace("\r", "\n")


def read_names(rows: Iterable[Row], pieces: dict[str, Piece], origins: Mapping[str, str], problems: Problems) -> None:
    """Puts each name to its method. The same name again from the item's own fields is no conflict."""
    keys = {form.casefold(): key for key, label in origins.items() for form in (label, key)} | {
        key: key for key in ATTENTION
    }
    seen: dict[tuple[str, str], int] = {}
    for count, row in enumerate(rows):
        if count >= MOST_NAMES:
            raise Invalid(f"{problems.source}, line {row.line}: at most {MOST_NAMES:,} names are taken.")
        try:
            place_name(read_name(row, pieces, keys), row.line, pieces, seen)
        except FieldError as error:
            problems.add(row.line, str(error))
    problems.refuse()


def read_name(row: Row, pieces: Mapping[str, Piece], keys: Mapping[str, str]) -> NameRow:
    """A row of names whose item and origin are known; the origin by its key."""
    if row.data is None:
        raise row.error or FieldError("", "cannot be read")
    found = NameRow.read({**row.data, "item": str(row.data["item"])} if "item" in row.data else row.data)
    if found.item not in pieces:
        raise FieldError("item", f"there is no item “{found.item[:80]}”")
    if found.origin.casefold() not in keys:
        raise FieldError("origin", f"“{found.origin[:40]}” is no origin of this study")
    if why := why_no_name(found.name) or ("" if is_whole(found.name) else "contains half a character"):
        raise FieldError("name", why)
    return replace(found, origin=keys[found.origin.casefold()])


def place_name(found: NameRow, line: int, pieces: Mapping[str, Piece], seen: dict[tuple[str, str], int]) -> None:
    piece = pieces[found.item]
    if found.origin in ATTENTION:
        if piece.checks.setdefault(found.name, ATTENTION[found.origin]) != ATTENTION[found.origin]:
            raise FieldError("origin", f"{found.name} cannot be both a yes and a no")
        return
    earlier = seen.setdefault((found.item, found.origin), line)
    if earlier != line:
        raise FieldError("origin", f"{found.origin} named “{found.item[:80]}” already, on line {earlier}")
    if piece.names.setdefault(found.origin, found.name) != found.name:
        own = piece.names[found.origin][:80]
        raise FieldError("name", f"the item itself says that its {found.origin} name is {own}")


def require_real_checks(pieces: Mapping[str, Piece]) -> None:
    for piece in pieces.values():
        if both := set(piece.checks) & set(piece.names.values()):
            raise Invalid(f"names: {min(both)[:80]} of “{piece.key[:80]}” is a name and an attention check as well.")


def rows_of_file(content: bytes, name: str, *, kind: type) -> Iterator[Row]:
    if len(content) > MOST_BYTES:
        raise Invalid(f"{name}: the file has {len(content):,} bytes; at most {MOST_BYTES:,} are taken.")
    try:
        yield from read_rows(BytesIO(content), form=format_of(name), kind=kind)
    except Invalid as error:
        raise Invalid(f"{name}: {error}") from error


def rows_of_list(data: Iterable[Any]) -> Iterator[Row]:
    return (row_of(line, row) for line, row in enumerate(data, start=1))


def rows_of_project(project: Project, **wanted: str) -> Iterator[Row]:
    """Items of the project that fit a filter, in their order."""
    items = filtered(project, **wanted).order_by("pk")
    for number, item in enumerate(items.iterator(chunk_size=500), start=1):
        if item.kind != "review_rename":
            yield bad_row(number, f"the item “{item.key[:80]}” is of the kind {item.kind}, not review_rename", None)
        else:
            yield row_of(number, {**item.payload, "key": item.key, "group": item.group})


def digest_of(material: Material) -> str:
    """The same for the same methods and names, whatever file they came in."""
    said: list[Sequence[Any]] = [sorted(material.origins.items())]
    said += [(piece.key, piece.body, sorted(piece.names.items())) for piece in material.pieces]
    return hashlib.sha256(repr(said).encode()).hexdigest()
