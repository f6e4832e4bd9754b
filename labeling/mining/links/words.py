"""The words that names are made of, the words in which people speak of names, and what changed between two names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

# The first four are the paper's (rename4j, §3.2); the others are how reviewers say the same.
NAMING_WORDS: tuple[str, ...] = (
    "name", "naming", "inconsistent", "descriptive",
    "names", "named", "rename", "renamed", "renames", "renaming", "misnamed", "misnomer",
    "consistent", "consistency", "inconsistency", "convention", "conventions",
    "misleading", "confusing", "ambiguous", "meaningful", "clearer", "terminology", "wording",
    "prefix", "suffix", "typo", "typos", "spelling", "misspelled",
)  # fmt: skip

WORD = re.compile(r"[\w$]+")

# A plural acronym (`URLs`), an acronym, a capitalised or lower-case word, a number, or what stands between them.
# No two alternatives share a beginning that both can read to the end and give back, so the time is linear.
_PIECE = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")

# Comparing two names costs the product of their lengths; no name that people wrote has this many pieces.
_MOST_PIECES = 200

# One of these is taken off a word's end, so that "approximated" speaks of `approximate`.
_ENDINGS = ("ing", "ed", "es", "s", "e")
_SHORTEST_STEM = 3


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


def list_words(text: str) -> Iterator[str]:
    """The words of a text in lower case, without the underscores that Markdown puts around them."""
    return (word for found in WORD.finditer(text) if (word := found.group().strip("_").casefold()))


def match_words(text: str, words: Iterable[str] = NAMING_WORDS) -> list[str]:
    """Those of the words (or phrases) that stand in the text as whole words, whatever their case, in their order."""
    stream = f" {' '.join(list_words(text))} "
    return [word for word in words if (phrase := " ".join(list_words(word))) and f" {phrase} " in stream]


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """A word in lower case without its ending, roughly: enough to find it again in a sentence."""
    word = word.casefold()
    if word.endswith("ss"):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = word.removesuffix(ending)
            break
    return f"{word[:-1]}i" if word.endswith("y") and len(word) > _SHORTEST_STEM else word


def is_word(piece: str) -> bool:
    return any(map(str.isalnum, piece))


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
