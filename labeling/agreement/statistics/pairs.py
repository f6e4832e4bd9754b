"""Two raters at a time: what both said about their common items, Cohen's κ and Scott's π."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from labeling.agreement.statistics.arrays import Floats, Ints, sum_by
from labeling.agreement.statistics.estimating import chance_corrected
from labeling.agreement.statistics.patterns import Block, Cells, Patterns, distinct_rows
from labeling.agreement.statistics.scales import Level, Scale, linear_weights, quadratic_weights
from labeling.agreement.statistics.sums import Columns, Estimates, ratio, weighted_product

_AT_A_TIME = 4_000_000


@dataclass(frozen=True, eq=False)
class Pair:
    """Two raters, and what they said about their common items as patterns of two ratings."""

    a: int
    b: int
    patterns: Patterns

    @property
    def items(self) -> int:
        return int(self.patterns.counts.sum())


def common_items(identified: Patterns, categories: int) -> Iterator[Pair]:
    """Every two raters who have an item in common, in order."""
    columns, counts = _rated_by_both(identified, categories)
    edges = np.flatnonzero(np.any(np.diff(columns[:, :2], axis=0) != 0, axis=1)) + 1
    for rows, times in zip(np.split(columns, edges), np.split(counts, edges), strict=True):
        if len(rows):
            yield Pair(int(rows[0, 0]), int(rows[0, 1]), _pair_patterns(rows, times, identified.cells))


def _pair_patterns(rows: Ints, counts: Floats, cells: Cells | None) -> Patterns:
    """`rows` has the columns rater, rater, value, value, group."""
    values, inverse = distinct_rows(rows[:, 2:4], int(rows[:, 2:4].max()) + 1)
    total = sum_by(inverse, counts, len(values))
    grouped = None if cells is None else Cells(cells.groups, rows[:, 4], inverse, counts)
    return Patterns((Block(0, values, None),), total, grouped)


def _rated_by_both(identified: Patterns, categories: int) -> tuple[Ints, Floats]:
    """Rows of rater, rater, value, value and group, each different one once and in order, with how often."""
    raters = int(identified.token_raters().max(initial=0)) + 1
    cells = identified.cells
    groups = 1 if cells is None else cells.groups
    base = max(raters, categories, groups)
    found: list[tuple[Ints, Floats]] = []
    waiting: list[tuple[Ints, Floats]] = []
    held = 0
    for rows, counts in _value_pairs(identified):
        waiting.append((rows, counts))
        held += len(rows)
        if held > _AT_A_TIME:
            found, waiting, held = [_counted([*found, *waiting], base)], [], 0
    return _counted([*found, *waiting], base)


def _counted(parts: list[tuple[Ints, Floats]], base: int) -> tuple[Ints, Floats]:
    if not parts:
        return np.zeros((0, 5), dtype=np.int64), np.zeros(0)
    rows = np.concatenate([rows for rows, _ in parts])
    distinct, inverse = distinct_rows(rows, base)
    return distinct, sum_by(inverse, np.concatenate([counts for _, counts in parts]), len(distinct))


def _value_pairs(identified: Patterns) -> Iterator[tuple[Ints, Floats]]:
    cells = identified.cells
    pattern = np.arange(len(identified)) if cells is None else cells.pattern
    group = np.zeros(len(pattern), dtype=np.int64) if cells is None else cells.group
    count = identified.counts if cells is None else cells.count
    for block in identified.blocks:
        inside = (pattern >= block.rows.start) & (pattern < block.rows.stop)
        row = pattern[inside] - block.first
        if block.raters is None:
            raise ValueError("who rated is not known in these patterns")
        raters, values = block.raters[row], block.values[row]
        for left in range(block.size - 1):
            for right in range(left + 1, block.size):
                columns = [raters[:, left], raters[:, right], values[:, left], values[:, right], group[inside]]
                yield np.column_stack(columns), count[inside]


def pair_of(first: Ints, second: Ints) -> Pair:
    """A pair from two arrays of values, such as what one rater said the first and the second time."""
    values, inverse = distinct_rows(np.column_stack([first, second]), int(max(first.max(), second.max())) + 1)
    return Pair(0, 1, Patterns((Block(0, values, None),), np.bincount(inverse, minlength=len(values)).astype(float)))


class PairEstimator:
    """Cohen (1960) and, with weights, Cohen (1968): each rater's own shares; Scott (1955): the shares of both."""

    def __init__(self, pair: Pair, scale: Scale, weightings: dict[str, Floats | None]) -> None:
        values = pair.patterns.blocks[0].values
        rows, shape = np.arange(len(values)), (len(values), scale.size)
        self.first = Columns(rows, values[:, 0], np.ones(len(values)), shape=shape)
        self.second = Columns(rows, values[:, 1], np.ones(len(values)), shape=shape)
        self.weightings = weightings
        self.agreed = {
            name: (values[:, 0] == values[:, 1]).astype(float) if table is None else table[values[:, 0], values[:, 1]]
            for name, table in weightings.items()
        }
        self.cost = max(2 * len(values), scale.size)

    def __call__(self, weights: Floats) -> Estimates:
        items = weights.sum(axis=1)
        first = ratio(self.first.total(weights), items[:, None])
        second = ratio(self.second.total(weights), items[:, None])
        both = (first + second) / 2
        agreed = {name: ratio(weights @ column, items) for name, column in self.agreed.items()}
        estimates = {
            name: chance_corrected(agreed[name], weighted_product(first, second, table))
            for name, table in self.weightings.items()
        }
        estimates["agreement"] = agreed["cohen_kappa"]
        estimates["scott_pi"] = chance_corrected(agreed["cohen_kappa"], weighted_product(both, both, None))
        return estimates


def pair_weightings(scale: Scale) -> dict[str, Floats | None]:
    """Cohen's κ as it is; where categories have an order, with linear and quadratic weights; for sets, by distance."""
    weightings: dict[str, Floats | None] = {"cohen_kappa": None}
    if scale.level is Level.NOMINAL or scale.too_many:
        return weightings
    if scale.level is Level.SET:
        return {**weightings, "cohen_kappa_weighted": scale.agreement_weights()}
    return {
        **weightings,
        "cohen_kappa_linear": linear_weights(scale.positions()),
        "cohen_kappa_quadratic": quadratic_weights(scale.positions()),
    }
