"""What the values of a question mean to each other: how far two lie apart, and how far they count as agreeing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from labeling.agreement.statistics.arrays import Floats

MOST_CATEGORIES = 2_000  # a table of all against all is made up to here: 32 MB


class Level(StrEnum):
    """The level of measurement (Stevens 1946), and sets for questions with several answers."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"
    SET = "set"


class Distance(StrEnum):
    """How far two sets lie apart."""

    MASI = "masi"
    JACCARD = "jaccard"


@dataclass(frozen=True, eq=False)
class Scale:
    """The categories of a question in their order; value codes are positions in it."""

    level: Level
    labels: tuple[str, ...]
    numbers: Floats | None = None
    sets: tuple[frozenset[str], ...] | None = None
    distance: Distance = Distance.MASI

    @property
    def size(self) -> int:
        return len(self.labels)

    @property
    def too_many(self) -> bool:
        """Whether a table of all categories against all would be too large."""
        return self.size > MOST_CATEGORIES

    @property
    def weights_name(self) -> str:
        return {
            Level.NOMINAL: "identity",
            Level.ORDINAL: "ordinal",
            Level.INTERVAL: "quadratic",
            Level.RATIO: "ratio",
            Level.SET: f"1 − {self.distance} distance",
        }[self.level]

    def positions(self) -> Floats:
        """Where each category stands: its number, or its place in the order. Numbers come in a unit in which none is
        above 1, a power of two, so that no digit of a coefficient changes and no square is too large or too small."""
        if self.numbers is None:
            return np.arange(self.size, dtype=float)
        _, power = np.frexp(np.abs(self.numbers).max(initial=0.0))
        return np.asarray(np.ldexp(self.numbers, -power))

    def distances(self) -> Floats:
        """Distances of all categories against all, for the levels whose distance does not depend on the data."""
        if self.level is Level.SET:
            return set_distances(self.sets or (), self.distance)
        if self.level is Level.RATIO and self.numbers is not None:
            return ratio_distances(self.numbers)
        if self.level is Level.INTERVAL:
            return squared_distances(self.positions())
        return 1.0 - np.eye(self.size)

    def agreement_weights(self) -> Floats:
        """Weights between 0 and 1 as Gwet (2014, ch. 3) gives them for each level."""
        if self.level is Level.ORDINAL:
            return ordinal_weights(self.size)
        distances = self.distances()
        return 1.0 - distances / (distances.max(initial=0.0) or 1.0)


def nominal_scale(labels: Sequence[str]) -> Scale:
    return Scale(Level.NOMINAL, tuple(labels))


def ordinal_scale(labels: Sequence[str]) -> Scale:
    """Categories from the least to the most."""
    return Scale(Level.ORDINAL, tuple(labels))


def number_scale(level: Level, numbers: Sequence[float], labels: Sequence[str] = ()) -> Scale:
    """Categories that are numbers, in rising order, at the interval or ratio level."""
    values = np.asarray(numbers, dtype=float)
    if np.any(values[1:] <= values[:-1]):
        raise ValueError("the numbers of a scale must rise")
    if level is Level.RATIO and np.any(values < 0):
        raise ValueError("the ratio level has no numbers below zero")
    return Scale(level, tuple(labels) or tuple(f"{number:.15g}" for number in values), numbers=values)


def set_scale(sets: Sequence[frozenset[str]], distance: Distance = Distance.MASI) -> Scale:
    """Each different set of answers is a category."""
    labels = tuple("|".join(sorted(chosen)) or "(none)" for chosen in sets)
    return Scale(Level.SET, labels, sets=tuple(sets), distance=distance)


def squared_distances(numbers: Floats) -> Floats:
    """(a − b)², Krippendorff (2004, ch. 11)."""
    return np.subtract.outer(numbers, numbers) ** 2


def ratio_distances(numbers: Floats) -> Floats:
    """((a − b) / (a + b))², Krippendorff (2004, ch. 11); two zeros lie at the same place."""
    halves = numbers / 2  # the sum of two of them is never too large
    total = np.add.outer(halves, halves)
    return (np.subtract.outer(halves, halves) / np.where(total == 0, 1.0, total)) ** 2


def ordinal_weights(size: int) -> Floats:
    """1 − C(|k − l| + 1, 2) / C(q, 2), Gwet (2014, ch. 3)."""
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    return 1.0 - (apart + 1) * apart / max(size * (size - 1), 1)


def linear_weights(positions: Floats) -> Floats:
    """1 − |a − b| / range, Cicchetti & Allison (1971)."""
    apart = np.abs(np.subtract.outer(positions, positions))
    return np.asarray(1.0 - apart / (apart.max(initial=0.0) or 1.0))


def quadratic_weights(positions: Floats) -> Floats:
    """1 − (a − b)² / range², Fleiss & Cohen (1973)."""
    apart = squared_distances(positions)
    return np.asarray(1.0 - apart / (apart.max(initial=0.0) or 1.0))


def set_distances(sets: Sequence[frozenset[str]], distance: Distance) -> Floats:
    """Jaccard (1912), or Passonneau's (2006) MASI, which also weighs whether one set contains the other."""
    options = sorted(frozenset().union(*sets))
    chosen = np.array([[option in one for option in options] for one in sets], dtype=float)
    chosen = chosen.reshape(len(sets), len(options))  # also when there are none
    sizes = chosen.sum(axis=1)
    shared = chosen @ chosen.T
    either = np.add.outer(sizes, sizes) - shared
    similar = np.where(either == 0, 1.0, shared / np.where(either == 0, 1.0, either))
    if distance is Distance.JACCARD:
        return np.asarray(1.0 - similar)
    return np.asarray(1.0 - similar * _monotonicity(shared, sizes))


def _monotonicity(shared: Floats, sizes: Floats) -> Floats:
    """1 for equal sets, 2/3 where one contains the other, 1/3 where they overlap, 0 where they share nothing."""
    smaller, larger = np.minimum.outer(sizes, sizes), np.maximum.outer(sizes, sizes)
    return np.select([shared == larger, shared == 0, shared == smaller], [1.0, 0.0, 2 / 3], default=1 / 3)
