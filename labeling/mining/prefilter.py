"""The cheap question before any parsing: can this change to a file contain a rename of a method at all?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

_IDENTIFIER = rb"[A-Za-z_$\x80-\xff\\][\w$\x80-\xff\\]*"
# The end of a type, white space, a name and a parenthesis; a comparison can look the same and costs only a parse.
_DECLARATION = re.compile(
    rb"([\w$\x80-\xff\\]+|[>\]])(?:\s|/\*.*?\*/)+(" + _IDENTIFIER + rb")"
    rb"\s*\(\s*(?:final\s+)?(@|[^\s,<\[.()]*)(.?)"
)
_BARE = re.compile(rb"^\s*(" + _IDENTIFIER + rb")\s*\(\s*(?:final\s+)?(@|[^\s,<\[.()]*)(.?)")
_NO_TYPE = {b"return", b"new", b"throw", b"else", b"case", b"assert", b"do", b"yield", b"instanceof", b"extends"}
_NO_NAME = {b"if", b"for", b"while", b"switch", b"catch", b"synchronized", b"try", b"return", b"super", b"this"}

# The name and the first type of the parameters; None where the line ends before it.
Declared = tuple[bytes, bytes | None]


def may_rename(before: bytes, after: bytes) -> bool:
    """Whether a declaration-like line went and one with another name came, between two versions of a file."""
    start, stop = _common_ends(before, after)
    old = before[start : len(before) - stop].split(b"\n")
    new = after[start : len(after) - stop].split(b"\n")
    kept = set(old).intersection(new)
    if not kept:
        return lines_may_rename(old, new)
    counts, new_counts = Counter(old), Counter(new)
    return lines_may_rename(
        (line for line in old if line not in kept or counts[line] > new_counts[line]),
        (line for line in new if line not in kept or new_counts[line] > counts[line]),
    )


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
    for line in lines:
        if b"(" not in line:
            continue
        for match in _DECLARATION.finditer(line):
            if match[1] not in _NO_TYPE and match[2] not in _NO_NAME:
                yield match[2], _first_type(match[3], match[4])
        # A name at the start of a line declares only if the type stood on the line above; a statement ends in ; here.
        bare = None if line.rstrip().endswith(b";") else _BARE.match(line)
        if bare is not None and bare[1] not in _NO_NAME:
            yield bare[1], _first_type(bare[2], bare[3])


def _first_type(word: bytes, follower: bytes) -> bytes | None:
    if word == b"@" or (not word and follower != b")"):
        return None
    return word


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
