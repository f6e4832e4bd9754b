"""The cheap question before any parsing: can this change to a file contain a rename of a method at all?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

_IDENTIFIER = re.compile(rb"[A-Za-z_$\x80-\xff\\][\w$\x80-\xff\\]*")
# What a type, or a comment behind it, can end in.
_TYPE_END = re.compile(rb".*(?:[\w$\x80-\xff\]/]|(?<!-)>)", re.DOTALL)
_NO_TYPE = {b"return", b"new", b"throw", b"else", b"case", b"assert", b"do", b"yield", b"instanceof", b"extends"}
_NO_NAME = {b"if", b"for", b"while", b"switch", b"catch", b"synchronized", b"try", b"return", b"super", b"this"}

# The name and the first type of the parameters; None where the line ends before it.
Declared = tuple[bytes, bytes | None]


def may_rename(before: bytes, after: bytes) -> bool:
    """Whether a declaration-like line went and one with another name came, between two versions of a file."""
    start, stop = _common_ends(before, after)
    old = Counter(before[start : len(before) - stop].split(b"\n"))
    new = Counter(after[start : len(after) - stop].split(b"\n"))
    return lines_may_rename(_surplus(old, new), _surplus(new, old))


def _surplus(lines: Counter[bytes], others: Counter[bytes]) -> Iterator[bytes]:
    """The lines that the others lack or have less often."""
    yield from lines.keys() - others.keys()
    yield from [line for line, count in lines.items() if count > 1 and count > others.get(line, count)]


def patch_may_rename(patch: bytes) -> bool:
    """The same for a unified diff of one file."""
    lines = patch.split(b"\n")
    return lines_may_rename(
        (line[1:] for line in lines if line.startswith(b"-") and not line.startswith(b"--- ")),
        (line[1:] for line in lines if line.startswith(b"+") and not line.startswith(b"+++ ")),
    )


def lines_may_rename(removed: Iterable[bytes], added: Iterable[bytes]) -> bool:
    """Whether a declaration in the first lines has a fitting one with another name in the second."""
    old = set(_declarations(removed))
    if not old:
        return False
    new = set(_declarations(added))
    gone, came = old - new, new - old
    if not gone or not came:
        return False
    first_old, first_new = {first for _, first in gone}, {first for _, first in came}
    if None in first_old or None in first_new:
        return True
    return bool(first_old & first_new)


def _declarations(lines: Iterable[bytes]) -> Iterator[Declared]:
    """What looks like a declaration: a type, a name and a parenthesis. A false alarm costs only a parse."""
    for line in lines:
        if b"(" not in line:
            continue
        parts = line.split(b"(")
        for index in range(len(parts) - 1):
            words = parts[index].rsplit(None, 2)
            if words and words[-1] not in _NO_NAME and _IDENTIFIER.fullmatch(words[-1]) and _is_typed(words, line):
                yield words[-1], _first_type(parts[index + 1])


def _is_typed(words: list[bytes], line: bytes) -> bool:
    if len(words) > 1:
        return words[-2] not in _NO_TYPE and _TYPE_END.fullmatch(words[-2]) is not None
    # A name at the start of a line declares only if the type stood on the line above; a call ends in ; here.
    return not line.rstrip().endswith(b";")


def _first_type(parameters: bytes) -> bytes | None:
    text = parameters.lstrip().removeprefix(b"final ").lstrip()
    if text.startswith(b")"):
        return b""
    word = _IDENTIFIER.match(text)
    return word[0] if word is not None else None


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
