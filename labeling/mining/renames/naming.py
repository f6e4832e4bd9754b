"""How alike two method names are, by their sub-tokens."""

from __future__ import annotations

import re
from functools import lru_cache

_SUBTOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")


@lru_cache(maxsize=4096)
def subtokens(name: str) -> tuple[str, ...]:
    """`getHTTPUrl2` as get, http, url, 2."""
    return tuple(part.lower() for part in _SUBTOKEN.findall(name)) or (name.lower(),)


def similarity(one: str, other: str) -> float:
    """The share of sub-tokens in common (Dice), from 0 to 1."""
    left, right = set(subtokens(one)), set(subtokens(other))
    return 2 * len(left & right) / (len(left) + len(right))
