"""Orders in which things are shown, balanced for position and for what was shown just before."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from labeling.refusals import Invalid

Row = tuple[int, ...]


@lru_cache(maxsize=64)
def williams_square(size: int) -> tuple[Row, ...]:
    """Williams (1949): each thing is once (odd sizes: twice) in each position and directly after each other thing.

    Even sizes need as many rows as things; odd ones twice as many, the second half being the first read backwards.
    """
    if size < 1:
        raise Invalid("An order needs at least one thing to put in order.")
    zigzag = [0, *chain.from_iterable((step, size - step) for step in range(1, size // 2 + 1))][:size]
    rows = [tuple((first + shift) % size for first in zigzag) for shift in range(size)]
    if size % 2 and size > 1:
        rows += [row[::-1] for row in rows]
    return tuple(rows)
