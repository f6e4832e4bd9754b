"""Sums over items for many resamples at once. A resample is a row of weights: how often each pattern is in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labeling.agreement.statistics.arrays import Floats, Ints, sum_by
from labeling.agreement.statistics.patterns import Patterns

Estimates = dict[str, Floats]
Estimator = Callable[[Floats], Estimates]

CHUNK = 4_000_000  # numbers held at a time in a table of resamples
_LARGEST_TABLE = 2_000_000


class Columns:
    """A sparse table with a row a pattern; `total` sums its columns under weights."""

    def __init__(self, row: Ints, column: Ints, value: Floats, *, shape: tuple[int, int]) -> None:
        self.width = shape[1]
        self.table: Floats | None = None
        if shape[0] * shape[1] <= _LARGEST_TABLE:
            flat = sum_by(row * shape[1] + column, value, shape[0] * shape[1])
            self.table = flat.reshape(shape)
            return
        order = np.argsort(column, kind="stable")
        self.row, self.value = row[order], value[order]
        self.present, self.starts = np.unique(column[order], return_index=True)

    def total(self, weights: Floats) -> Floats:
        """One row of column sums for each row of weights."""
        if self.table is not None:
            return weights @ self.table
        sums = np.zeros((len(weights), self.width))
        if len(self.row):
            sums[:, self.present] = np.add.reduceat(weights[:, self.row] * self.value, self.starts, axis=1)
        return sums


def same_pairs(patterns: Patterns) -> Floats:
    """For each pattern, its ordered pairs of ratings that have the same value."""
    same = np.zeros(len(patterns))
    for block in patterns.blocks:
        values = np.sort(block.values, axis=1)
        run = np.ones(len(values))
        for column in range(1, block.size):
            run = np.where(values[:, column] == values[:, column - 1], run + 1, 1)
            same[block.rows] += 2 * (run - 1)
    return same


def weighed_pairs(patterns: Patterns, table: Floats) -> Floats:
    """For each pattern, what the table says summed over its ordered pairs of ratings; the table is symmetric."""
    sums = np.zeros(len(patterns))
    for block in patterns.blocks:
        for left in range(block.size - 1):
            for right in range(left + 1, block.size):
                sums[block.rows] += 2 * table[block.values[:, left], block.values[:, right]]
    return sums


def squared_pairs(patterns: Patterns, positions: Floats) -> Floats:
    """For each pattern, squared differences summed over its ordered pairs of ratings, in one pass."""
    sums = np.zeros(len(patterns))
    for block in patterns.blocks:
        placed = positions[block.values]
        centred = placed - placed.mean(axis=1, keepdims=True)
        sums[block.rows] = 2 * block.size * (centred**2).sum(axis=1)
    return sums


def ratio(above: Floats, below: Floats) -> Floats:
    """Division in which nothing by nothing, and anything by nothing, is not a number."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below == 0, np.nan, above / below)


def weighted_product(left: Floats, right: Floats, weights: Floats | None) -> Floats:
    """Σ w_kl left_k right_l for each row."""
    weighted = left if weights is None else left @ weights
    return np.asarray((weighted * right).sum(axis=1))
