"""The ratings of one question in long form, as they come from a file or a database."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from labeling.agreement.statistics.arrays import Bools, Ints
from labeling.agreement.statistics.scales import Scale

_SPARSE = 8  # cells for each rating, above which ratings are sorted


class RatedTwiceError(ValueError):
    """A rater rated the same item twice; `first` and `second` are positions in the arrays."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"ratings {first} and {second} are by the same rater on the same item")
        self.first = first
        self.second = second


@dataclass(frozen=True, eq=False)
class Ratings:
    """Three arrays of one length (item, rater and value of each rating, as codes) and what the codes stand for."""

    item: Ints
    rater: Ints
    value: Ints
    scale: Scale
    raters: tuple[str, ...]
    items: int
    group: Ints | None = None  # of each item, for intervals over groups
    groups: int = 0

    def __post_init__(self) -> None:
        for codes, limit in ((self.item, self.items), (self.rater, len(self.raters)), (self.value, self.scale.size)):
            if len(codes) != len(self.item) or (len(codes) and not 0 <= codes.min() <= codes.max() < limit):
                raise ValueError("the codes of items, raters and values must fit each other and their names")
        if self.group is not None and len(self.group) != self.items:
            raise ValueError("each item needs a group")

    def __len__(self) -> int:
        return len(self.item)

    def where(self, kept: Bools) -> Ratings:
        """Only some of the ratings; items, raters and groups keep their codes."""
        return replace(self, item=self.item[kept], rater=self.rater[kept], value=self.value[kept])

    def only_rated(self) -> Ratings:
        """The same without the items that have no rating; the others get new codes in the same order."""
        rated, item = np.unique(self.item, return_inverse=True)
        group = None if self.group is None else self.group[rated]
        return replace(self, item=item, items=len(rated), group=group)

    def per_item(self) -> Ints:
        """The number of ratings of each item."""
        return np.bincount(self.item, minlength=self.items)

    def in_order(self) -> Ratings:
        """The same ratings by item and then by rater; raises RatedTwiceError."""
        bits = len(self.raters).bit_length()
        key = (self.item << bits) | self.rater
        if np.all(key[1:] > key[:-1]):
            return self
        if self.items << bits > _SPARSE * len(self):
            return self._by_argsort(key)
        value = np.full(self.items << bits, -1, dtype=np.int64)  # a table of items by raters: no sorting needed
        value[key] = self.value
        filled = np.flatnonzero(value >= 0)
        if len(filled) < len(self):
            return self._by_argsort(key)
        return replace(self, item=filled >> bits, rater=filled & ((1 << bits) - 1), value=value[filled])

    def _by_argsort(self, key: Ints) -> Ratings:
        order = np.argsort(key, kind="stable")
        doubled = np.flatnonzero(np.diff(key[order]) == 0)
        if len(doubled):
            first = doubled[np.argmin(order[doubled + 1])]
            raise RatedTwiceError(int(order[first]), int(order[first + 1]))
        return replace(self, item=self.item[order], rater=self.rater[order], value=self.value[order])
