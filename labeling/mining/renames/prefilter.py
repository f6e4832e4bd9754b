"""The cheap question before any parsing: can this change to a file contain a rename of a method at all?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

_IDENTIFIER = re.compile(rb"[A-Za-z_$\x80-\xff\\][\w$\x80-\xff\\]*")
# What a type, or a comment behind it, can end in.
_TYPE_END = re.compile(rb".*(?:[\w$\x80-\xff\]/]|(?<!-)>)", re.DOTALL)
_NO_TYPE = {b"return", b"new", b"throw", b"else", b"case", b"assert", b"do", b"yield", b"instanceof", b"extends"}
_NO_NAME = {b"if", b"for", b"while", b"switch", b"catch", b"synchronized", b"try", b"return", b"super", b"this"}

# Nothing more on the line, an annotation, the end, or a type with what follows one in a parameter.
_PARAMETERS = re.compile(
    rb"\s*(?:$|@|(\))|(?:final\s+)?(?!new\s)([\w$\x80-\xff\\]+)(?:\.[\w$\x80-\xff\\]+)*"
    rb"(?:\s*<|(?:\s|\[\s*\]|\.\.\.|@[\w.]+)+[\w$\x80-\xff\\]))"
)
_COMMENTS = (b"*", b"//")
# What a rename elsewhere may change in a body: the names of methods that are called, and of classes.
_RENAMABLE = re.compile(rb"(?<![\w$\x80-\xff\\])[\w$\x80-\xff\\]++\(|\b[A-Z]\w*|\s+")
# As much of a line as stays on it when a formatter breaks it.
_OPENING_BYTES = 16


class Declared(NamedTuple):
    """What a declaration-like line says: a name, the first type of its parameters, and the line itself."""

    name: bytes
    first_type: bytes | None  # None where the line ends before it
    line: bytes


def may_rename(before: bytes, after: bytes) -> bool:
    """Whether a declaration-like line went and one with another name but the same beginning of its body came."""
    start, stop = _common_ends(before, after)
    old_lines = before[start : len(before) - stop].split(b"\n")
    new_lines = after[start : len(after) - stop].split(b"\n")
    old, new = Counter(old_lines), Counter(new_lines)
    gone, came = _changed(_surplus(old, new), _surplus(new, old))
    if not _fit({declared.first_type for declared in gone}, {declared.first_type for declared in came}):
        return False
    openings_old = {(declared.first_type, _opening(declared, old_lines, old)) for declared in gone}
    openings_new = {(declared.first_type, _opening(declared, new_lines, new)) for declared in came}
    return any(
        _fit({type_old}, {type_new}) and _open_alike(opening_old, opening_new)
        for type_old, opening_old in openings_old
        for type_new, opening_new in openings_new
    )


def patch_may_rename(patch: bytes) -> bool:
    """Whether a unified diff of one file removes a declaration-like line and adds one with another name."""
    lines = patch.split(b"\n")
    gone, came = _changed(
        (line[1:] for line in lines if line.startswith(b"-") and not line.startswith(b"--- ")),
        (line[1:] for line in lines if line.startswith(b"+") and not line.startswith(b"+++ ")),
    )
    return _fit({declared.first_type for declared in gone}, {declared.first_type for declared in came})


def _surplus(lines: Counter[bytes], others: Counter[bytes]) -> Iterator[bytes]:
    """The lines that the others lack or have less often."""
    yield from lines.keys() - others.keys()
    yield from [line for line, count in lines.items() if count > 1 and count > others.get(line, count)]


def _changed(removed: Iterable[bytes], added: Iterable[bytes]) -> tuple[list[Declared], list[Declared]]:
    """The declarations that are more often in the removed lines, and those more often in the added ones."""
    old = list(_declarations(removed))
    if not old:
        return [], []
    new = list(_declarations(added))
    balance = Counter(declared[:2] for declared in old)
    balance.subtract(declared[:2] for declared in new)
    gone = [declared for declared in old if balance[declared[:2]] > 0]
    return gone, [declared for declared in new if balance[declared[:2]] < 0]


def _fit(old: set[bytes | None], new: set[bytes | None]) -> bool:
    """Whether anything in one fits something in the other; None fits all."""
    if not old or not new:
        return False
    return None in old or None in new or not old.isdisjoint(new)


def _opening(declared: Declared, lines: list[bytes], counts: Counter[bytes]) -> bytes | None:
    """How the first line of the body begins, without names; None where that cannot be told."""
    end = declared.line.rstrip()[-1:]
    if end != b"{" or counts[declared.line] > 1:
        return b";" if end == b";" else None
    for line in islice(lines, lines.index(declared.line) + 1, None):
        text = _RENAMABLE.sub(b"", line)
        if text and not text.startswith((*_COMMENTS, b"/*")):
            return text[:_OPENING_BYTES]
    return None


def _open_alike(one: bytes | None, other: bytes | None) -> bool:
    return one is None or other is None or one.startswith(other) or other.startswith(one)


def _declarations(lines: Iterable[bytes]) -> Iterator[Declared]:
    """What looks like a declaration: a type, a name and parameters. A false alarm costs only a parse."""
    for line in lines:
        if b"(" not in line or line.lstrip().startswith(_COMMENTS):
            continue
        parts = line.split(b"(")
        for index in range(len(parts) - 1):
            words = parts[index].rsplit(None, 2)
            if not words or words[-1] in _NO_NAME or not _IDENTIFIER.fullmatch(words[-1]) or not _is_typed(words):
                continue
            parameters = _PARAMETERS.match(parts[index + 1])
            # With the type on the line above, what follows the parenthesis must show that this is no call.
            if parameters is not None and (len(words) > 1 or parts[index + 1].strip()):
                yield Declared(words[-1], parameters[1] or parameters[2], line)


def _is_typed(words: list[bytes]) -> bool:
    return len(words) == 1 or (words[-2] not in _NO_TYPE and _TYPE_END.fullmatch(words[-2]) is not None)


def _common_ends(one: bytes, other: bytes) -> tuple[int, int]:
    """How many bytes of whole lines both have in common at the start and, beyond that, at the end."""
    shorter = min(len(one), len(other))
    start = one.rfind(b"\n", 0, _common_prefix(one, other, shorter)) + 1
    rest = shorter - start
    stop = _common_suffix(one, other, rest)
    line = one.find(b"\n", len(one) - stop) if stop else -1
    return start, len(one) - line if line >= 0 else 0


def _common_prefix(one: bytes, other: bytes, limit: int) -> int:
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(one: bytes, other: bytes, limit: int) -> int:
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low
