"""Names of Java methods: the sub-tokens they are made of, what changed between two, and how alike two are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

# A plural acronym (`URLs`), an acronym, a capitalised or lower-case word, a number, or what stands between them.
# No two alternatives share a beginning that both can read to the end and give back, so the time is linear.
_PIECE = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")

# Comparing two names costs the product of their lengths; no name that people wrote has this many pieces.
_MOST_PIECES = 200


@dataclass(frozen=True, slots=True)
class NamePart:
    """A piece of two names: as the old name writes it and as the new one does; empty where the name lacks it."""

    state: Literal["kept", "dropped", "added"]
    before: str
    after: str


def split_name(name: str) -> list[str]:
    """All pieces of a name in order, `_` and `$` among them; joined they are the name again."""
    shadow = name if name.isascii() else "".join(map(_shadow, name))
    return [name[found.start() : found.end()] for found in _PIECE.finditer(shadow)]


@lru_cache(maxsize=4096)
def subtokens(name: str) -> tuple[str, ...]:
    """The words of a name as it writes them: `getHTTPUrl_2` is get, HTTP, Url, 2."""
    return tuple(piece for piece in split_name(name) if any(map(str.isalnum, piece)))


def compare_names(buggy: str, fixed: str) -> list[NamePart]:
    """What was kept, dropped and added, in order; a piece that only changed its case is kept."""
    before, after = split_name(buggy), split_name(fixed)
    return [part for tag, i, j, k, m in _align(before, after) for part in _parts(tag, before[i:j], after[k:m])]


def list_dropped(parts: Iterable[NamePart]) -> list[str]:
    """The words that the new name lacks, in lower case."""
    return [part.before.casefold() for part in parts if part.state == "dropped" and is_word(part.before)]


def list_added(parts: Iterable[NamePart]) -> list[str]:
    """The words that the old name lacked, in lower case."""
    return [part.after.casefold() for part in parts if part.state == "added" and is_word(part.after)]


def similarity(one: str, other: str) -> float:
    """The share of sub-tokens in common (Dice), from 0 to 1, whatever their case."""
    left, right = _folded(one), _folded(other)
    return 2 * len(left & right) / (len(left) + len(right))


def is_word(piece: str) -> bool:
    return any(map(str.isalnum, piece))


@lru_cache(maxsize=4096)
def _folded(name: str) -> frozenset[str]:
    """The sub-tokens in lower case; a name of none but `_` and `$` is one itself."""
    return frozenset(part.casefold() for part in subtokens(name)) or frozenset([name])


def _shadow(letter: str) -> str:
    """An ASCII letter of the same class, since the `re` module cannot ask for one."""
    if letter.isascii():
        return letter
    if letter.istitle():  # a capital is one as well
        return "A"
    return "0" if letter.isdigit() else "a"


def _align(before: list[str], after: list[str]) -> list[tuple[str, int, int, int, int]]:
    if max(len(before), len(after)) > _MOST_PIECES:
        return [("replace", 0, len(before), 0, len(after))]
    folded = [piece.casefold() for piece in before], [piece.casefold() for piece in after]
    return list(SequenceMatcher(None, *folded, autojunk=False).get_opcodes())


def _parts(tag: str, before: list[str], after: list[str]) -> Iterator[NamePart]:
    if tag == "equal":
        yield from (NamePart("kept", old, new) for old, new in zip(before, after, strict=True))
        return
    yield from (NamePart("dropped", old, "") for old in before)
    yield from (NamePart("added", "", new) for new in after)
