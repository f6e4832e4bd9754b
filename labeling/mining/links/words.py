"""The words in which people speak of names, and how to find a word again in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

# The first four are the paper's (rename4j, §3.2); the others are how reviewers say the same.
NAMING_WORDS: tuple[str, ...] = (
    "name", "naming", "inconsistent", "descriptive",
    "names", "named", "rename", "renamed", "renames", "renaming", "misnamed", "misnomer",
    "consistent", "consistency", "inconsistency", "convention", "conventions",
    "misleading", "confusing", "ambiguous", "meaningful", "clearer", "terminology", "wording",
    "prefix", "suffix", "typo", "typos", "spelling", "misspelled",
)  # fmt: skip

WORD = re.compile(r"[\w$]+")

# One of these is taken off a word's end, so that "approximated" speaks of `approximate`.
_ENDINGS = ("ing", "ed", "es", "s", "e")
_SHORTEST_STEM = 3


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
