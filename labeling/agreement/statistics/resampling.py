"""The bootstrap on patterns: a resample is a row of new counts, so that it costs patterns and not items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from labeling.agreement.statistics.arrays import Floats
from labeling.agreement.statistics.patterns import Patterns
from labeling.agreement.statistics.sums import CHUNK, Columns, Estimates, Estimator

Method = Literal["percentile", "bca"]
_MOST_LEFT_OUT = 1_000
_DRAWS_A_BINOMIAL_COSTS = 8


@dataclass(frozen=True)
class Resampling:
    """How intervals are made; the seed makes them again. Without resamples there are none."""

    resamples: int = 1000
    seed: int = 0
    method: Method = "percentile"
    clustered: bool = False
    confidence: float = 0.95
    why_none: str = "No interval was asked for."  # where there are no resamples

    def stream(self, name: str) -> np.random.Generator:
        """Randomness of its own for each kind of resample, so that none depends on which others were asked for."""
        return np.random.default_rng([self.seed, *name.encode()])

    @property
    def words(self) -> str:
        over = "groups" if self.clustered else "items"
        method = "BCa" if self.method == "bca" else "percentile"
        return f"{method} bootstrap over {over}, {self.resamples:,} resamples"


@dataclass(frozen=True, eq=False)
class Resampled:
    """The estimates in each resample, and with one item (or group) left out, with how many items each stands for."""

    replicates: Estimates
    left_out: Estimates
    multiplicity: Floats


def resample(estimator: Estimator, patterns: Patterns, how: Resampling, *, name: str, cost: int) -> Resampled:
    """Bootstraps every coefficient of the estimator at once; for BCa, leaves out one after the other as well."""
    rng = how.stream(name)
    step = max(1, CHUNK // max(cost, len(patterns), 1))
    sample = _Groups(patterns) if how.clustered else _Items(patterns)
    replicates = _joined(estimator(sample.draw(rng, size)) for size in _steps(how.resamples, step))
    if how.method == "percentile":
        return Resampled(replicates, {}, np.zeros(0))
    left_out = _joined(estimator(weights) for weights in sample.one_less(rng, step))
    return Resampled(replicates, left_out, sample.multiplicity)


def _steps(total: int, step: int) -> Iterator[int]:
    for first in range(0, total, step):
        yield min(step, total - first)


def _joined(parts: Iterable[Estimates]) -> Estimates:
    held = list(parts)
    return {key: np.concatenate([part[key] for part in held]) for key in held[0]}


class _Items:
    """Items drawn with replacement: multinomial counts of the patterns."""

    def __init__(self, patterns: Patterns) -> None:
        self.counts = patterns.counts
        self.items = int(self.counts.sum())
        self.pattern_of = np.repeat(np.arange(len(patterns)), self.counts.astype(np.int64))
        self.one_by_one = len(patterns) <= _MOST_LEFT_OUT
        self.multiplicity = self.counts if self.one_by_one else np.ones(_MOST_LEFT_OUT)

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        if _DRAWS_A_BINOMIAL_COSTS * len(self.counts) < self.items:
            return rng.multinomial(self.items, self.counts / self.items, size=size).astype(float)
        # With a long tail of patterns, drawing the items themselves is the cheaper way to the same counts.
        drawn = (self.pattern_of[rng.integers(self.items, size=self.items)] for _ in range(size))
        return np.array([np.bincount(patterns, minlength=len(self.counts)) for patterns in drawn], dtype=float)

    def one_less(self, rng: np.random.Generator, step: int) -> Iterator[Floats]:
        """Weights with one item left out; with very many patterns, with one of 1,000 random parts left out."""
        if self.one_by_one:
            for first in range(0, len(self.counts), step):
                yield self.counts - np.eye(len(self.counts))[first : first + step]
            return
        shuffled = rng.permutation(self.pattern_of)
        for first in range(0, _MOST_LEFT_OUT, step):
            parts = range(first, min(first + step, _MOST_LEFT_OUT))
            gone = [np.bincount(shuffled[part::_MOST_LEFT_OUT], minlength=len(self.counts)) for part in parts]
            yield self.counts - np.array(gone)


class _Groups:
    """Whole groups drawn with replacement, with all of their items."""

    def __init__(self, patterns: Patterns) -> None:
        cells = patterns.cells
        if cells is None:
            raise ValueError("the ratings have no groups")
        rated, row = np.unique(cells.group, return_inverse=True)
        self.counts = patterns.counts
        self.groups = len(rated)
        self.table = Columns(row, cells.pattern, cells.count, shape=(self.groups, len(patterns)))
        self.parts = min(self.groups, _MOST_LEFT_OUT)
        self.multiplicity = np.ones(self.parts)

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        even = np.full(self.groups, 1 / self.groups)
        return self.table.total(rng.multinomial(self.groups, even, size=size).astype(float))

    def one_less(self, rng: np.random.Generator, step: int) -> Iterator[Floats]:
        """Weights with one group left out; with very many, with one of 1,000 random parts left out."""
        part_of = rng.permutation(self.groups) % self.parts
        for first in range(0, self.parts, step):
            parts = np.arange(first, min(first + step, self.parts))
            yield self.counts - self.table.total((part_of == parts[:, None]).astype(float))
