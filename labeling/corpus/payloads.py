"""Typed payloads: dataclasses that read themselves from plain data and name the field that is wrong."""

from __future__ import annotations

import hashlib
import json
import types
import typing
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

LONGEST_TEXT = 1_000_000
EXTRA = "extra"
DEEPEST = 50
ASCII_BLANKS = bytes(code for code in range(128) if chr(code).isspace())

Reader = Callable[[Any], Any]
P = TypeVar("P", bound="Payload")


class FieldError(ValueError):
    """One field of a payload is not acceptable."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason

    def inside(self, place: str) -> FieldError:
        """The same error, seen from the record or list that the field stands in."""
        dot = "." if self.field and not self.field.startswith("[") else ""
        return FieldError(f"{place}{dot}{self.field}", self.reason)


@dataclass(frozen=True, slots=True)
class Payload:
    """What an item of some kind consists of. Fields it does not know are kept in `extra` and given back."""

    @classmethod
    def read(cls: type[P], data: object) -> P:
        """The payload in plain data, as JSON gives it; raises FieldError."""
        found: P = reader(cls)(data)  # type: ignore[arg-type]
        return found

    def write(self) -> dict[str, Any]:
        """Plain data that `read` takes back to the same payload; fields at their default are left out."""
        return written(self)


@cache
def reader(kind: Any) -> Reader:
    """The function that reads a value of this type; made once for each type."""
    if is_dataclass(kind) and isinstance(kind, type):
        return record_reader(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is list:
        return list_reader(reader(arguments[0]))
    if origin is Literal:
        return choice_reader(arguments)
    if origin in {types.UnionType, typing.Union}:
        inner = reader(next(argument for argument in arguments if argument is not type(None)))
        return lambda value: None if value is None else inner(value)
    simple: dict[Any, Reader] = {
        str: read_text,
        int: read_integer,
        float: read_number,
        bool: read_flag,
        dict: read_object,
    }
    return simple[origin or kind]


def record_reader(kind: type) -> Reader:
    hints = get_type_hints(kind)
    known = {field.name: reader(hints[field.name]) for field in fields(kind) if field.name != EXTRA}
    required = [field.name for field in fields(kind) if is_required(field)]
    keeps_extra = EXTRA in hints

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise FieldError("", f"must be an object with named fields, not {described(value)}")
        for name in required:
            if name not in value:
                raise FieldError(name, "is missing")
        found: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for name, inner in value.items():
            if read_field := known.get(name):
                try:
                    found[name] = read_field(inner)
                except FieldError as error:
                    raise error.inside(name) from error
            elif keeps_extra:
                extra[name] = shallow(inner, name)
            else:
                raise FieldError(name, "is not a field of this kind")
        if extra:
            found[EXTRA] = {**extra.pop(EXTRA, {}), **extra} if isinstance(extra.get(EXTRA, {}), dict) else extra
        return kind(**found)

    return read


def list_reader(read_element: Reader) -> Reader:
    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise FieldError("", f"must be a list, not {described(value)}")
        found: list[Any] = []
        for element in value:
            try:
                found.append(read_element(element))
            except FieldError as error:
                raise error.inside(f"[{len(found)}]") from error
        return found

    return read


def choice_reader(choices: tuple[Any, ...]) -> Reader:
    def read(value: Any) -> Any:
        if value not in choices:
            raise FieldError("", f"must be one of {', '.join(map(str, choices))}, not {described(value)}")
        return value

    return read


def read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise FieldError("", f"must be text, not {described(value)}")
    if "\x00" in value:
        raise FieldError("", "contains a NUL character")
    if len(value) > LONGEST_TEXT:
        raise FieldError("", f"has {len(value):,} characters; at most {LONGEST_TEXT:,} are taken")
    return value


def read_integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise FieldError("", f"must be a whole number, not {described(value)}")
    return value


def read_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # noqa: PLR0124 (NaN)
        raise FieldError("", f"must be a number, not {described(value)}")
    try:
        return float(value)
    except OverflowError as error:  # JSON and YAML know whole numbers of any length
        raise FieldError("", "is too large a number") from error


def read_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise FieldError("", f"must be true or false, not {described(value)}")
    return value


def read_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FieldError("", f"must be an object with named fields, not {described(value)}")
    return value


def shallow(value: Any, name: str, room: int = DEEPEST) -> Any:
    """What no kind knows, unless it is nested so deeply that a page could not show it."""
    if not isinstance(value, dict | list):
        return value
    if not room:
        raise FieldError(name, f"is nested more than {DEEPEST} deep")
    for inner in value.values() if isinstance(value, dict) else value:
        shallow(inner, name, room - 1)
    return value


def require_text(**fields: str) -> None:
    """Refuses the first field that is empty or only blanks."""
    for name, text in fields.items():
        if not text.strip():
            raise FieldError(name, "is empty")


def without_blanks(text: str) -> str:
    """Without white space of any kind. From bytes it is taken many times faster than from text."""
    return text.encode().translate(None, ASCII_BLANKS).decode() if text.isascii() else "".join(text.split())


def digest_of(*parts: str) -> str:
    """A key made from what an item says, where its file gives it none."""
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:24]


def described(value: Any) -> str:
    """A value as a person would name it, short enough for a message."""
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = str(value)
    return f"“{text[:40]}…”" if len(text) > 40 else f"“{text}”"  # noqa: PLR2004


def is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return [plain(element) for element in value]
    return written(value) if hasattr(value, "__dataclass_fields__") else value


def written(record: Any) -> dict[str, Any]:
    """The fields of a record that are not at their default; what `extra` holds stands beside them."""
    names, values_of, defaults = layout(type(record))  # type: ignore[arg-type]
    found: dict[str, Any] = {
        name: value if type(value) is str else plain(value)
        for name, value, default in zip(names, values_of(record), defaults, strict=True)
        if value != default
    }
    return {**found.pop(EXTRA), **found} if EXTRA in found else found


@cache
def layout(kind: type) -> tuple[list[str], Callable[[Any], tuple[Any, ...]], list[Any]]:
    """The names of the fields, a function that takes all their values at once, and the defaults."""
    names = [field.name for field in fields(kind)]
    defaults = [
        field.default_factory() if field.default_factory is not MISSING else field.default for field in fields(kind)
    ]
    take = attrgetter(*names)
    return names, take if len(names) > 1 else lambda record: (take(record),), defaults


@cache
def field_types(kind: type) -> dict[str, Any]:
    """Every field by its dotted name, in order, with its type; objects are taken apart, lists are not."""
    found: dict[str, Any] = {}
    hints = get_type_hints(kind)
    for name, hint in ((field.name, hints[field.name]) for field in fields(kind)):
        arguments = [argument for argument in get_args(hint) if argument is not type(None)]
        inner = arguments[0] if get_origin(hint) in {types.UnionType, typing.Union} else hint
        if is_dataclass(inner) and isinstance(inner, type):
            found |= {f"{name}.{inner_name}": value for inner_name, value in field_types(inner).items()}
        else:
            found[name] = inner
    return found


def from_cell(kind: Any, cell: str, path: str) -> Any:
    """The plain value that a cell of a table stands for, given the type of its field."""
    origin = get_origin(kind) or kind
    try:
        if origin in {list, dict}:
            return json.loads(cell) if cell[:1] in {"[", "{"} else cell.split("|")
        if origin is bool:
            return {"true": True, "false": False, "1": True, "0": False}[cell.strip().lower()]
        return origin(cell) if origin in {int, float} else cell
    except (ValueError, KeyError) as error:
        wanted = {int: "a whole number", float: "a number", bool: "true or false"}.get(origin, "JSON")
        raise FieldError(path, f"must be {wanted}, not {described(cell)}") from error


def to_cell(value: Any) -> str:
    """Undoes `from_cell`."""
    if isinstance(value, list | dict | bool):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value)
