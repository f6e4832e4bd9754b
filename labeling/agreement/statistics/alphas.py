"""Krippendorff's α, for many resamples at once: not a number where it is undefined."""

from __future__ import annotations

import numpy as np

from labeling.agreement.statistics.arrays import Floats
from labeling.agreement.statistics.patterns import Patterns
from labeling.agreement.statistics.scales import Level, Scale
from labeling.agreement.statistics.sums import ratio, same_pairs, squared_pairs, weighed_pairs, weighted_product


def alpha_for(patterns: Patterns, scale: Scale) -> Alpha:
    if scale.level is Level.ORDINAL:
        return OrdinalAlpha(patterns)
    if scale.level is Level.INTERVAL:
        return IntervalAlpha(patterns, scale.positions())
    if scale.level is Level.NOMINAL:
        return NominalAlpha(patterns)
    return TableAlpha(patterns, scale.distances() if not scale.too_many else None)


class Alpha:
    """Krippendorff (2004, ch. 11): 1 − D_o / D_e over items with two ratings or more.

    D_o = Σ_i Σ_pairs δ² / (r_i − 1) / N, D_e = Σ n_c n_k δ²_ck / (N (N − 1)).
    """

    observed: Floats  # Σ_pairs δ² / (r_i − 1) of each pattern

    def __init__(self, patterns: Patterns) -> None:
        self.spare = np.maximum(patterns.sizes - 1, 1)

    def __call__(self, weights: Floats, totals: Floats) -> Floats:
        paired = totals.sum(axis=1)
        expected = ratio(self.expected(totals), paired - 1)
        return 1 - ratio(self.disagreement(weights, totals), expected)

    def disagreement(self, weights: Floats, totals: Floats) -> Floats:
        return weights @ self.observed

    def observed_under(self, totals: Floats) -> Floats:
        """Σ_pairs δ² / (r_i − 1) of each pattern, when the categories have these totals (one row)."""
        return self.observed

    def mean_distances(self, totals: Floats) -> Floats:
        """How far each category lies from a rating taken at random, when they have these totals (one row)."""
        raise NotImplementedError

    def expected(self, totals: Floats) -> Floats:
        """Σ n_c n_k δ²_ck."""
        raise NotImplementedError


class NominalAlpha(Alpha):
    def __init__(self, patterns: Patterns) -> None:
        super().__init__(patterns)
        sizes = patterns.sizes
        self.observed = (sizes * (sizes - 1) - same_pairs(patterns)) / self.spare

    def expected(self, totals: Floats) -> Floats:
        return np.asarray(totals.sum(axis=1) ** 2 - (totals**2).sum(axis=1))

    def mean_distances(self, totals: Floats) -> Floats:
        return np.asarray(1 - totals[0] / totals.sum())


class IntervalAlpha(Alpha):
    """Squared differences need only sums and sums of squares, so that any number of categories is cheap."""

    def __init__(self, patterns: Patterns, positions: Floats) -> None:
        super().__init__(patterns)
        self.positions = positions
        self.observed = squared_pairs(patterns, positions) / self.spare

    def expected(self, totals: Floats) -> Floats:
        return squared_spread(totals, np.broadcast_to(self.positions, totals.shape))

    def mean_distances(self, totals: Floats) -> Floats:
        return mean_squares(totals[0], self.positions)


class OrdinalAlpha(Alpha):
    """The ordinal distance is the squared difference of mean ranks, and the ranks follow from the resample itself."""

    def __init__(self, patterns: Patterns) -> None:
        super().__init__(patterns)
        self.patterns = patterns

    def disagreement(self, weights: Floats, totals: Floats) -> Floats:
        ranks = mean_ranks(totals)
        observed = np.zeros(len(weights))
        for block in self.patterns.blocks:
            if block.size > 1:
                placed = ranks[:, block.values]
                centred = placed - placed.mean(axis=2, keepdims=True)
                squared = 2 * block.size * np.einsum("bpm,bpm->bp", centred, centred)
                observed += (weights[:, block.rows] * squared).sum(axis=1) / (block.size - 1)
        return observed

    def expected(self, totals: Floats) -> Floats:
        return squared_spread(totals, mean_ranks(totals))

    def observed_under(self, totals: Floats) -> Floats:
        return squared_pairs(self.patterns, mean_ranks(totals)[0]) / self.spare

    def mean_distances(self, totals: Floats) -> Floats:
        return mean_squares(totals[0], mean_ranks(totals)[0])


class TableAlpha(Alpha):
    """Any other distance (ratio, sets), from a table of all categories against all."""

    def __init__(self, patterns: Patterns, distances: Floats | None) -> None:
        super().__init__(patterns)
        self.distances = distances
        if distances is not None:
            self.observed = weighed_pairs(patterns, distances) / self.spare

    def __call__(self, weights: Floats, totals: Floats) -> Floats:
        return np.full(len(weights), np.nan) if self.distances is None else super().__call__(weights, totals)

    def expected(self, totals: Floats) -> Floats:
        return weighted_product(totals, totals, self.distances)

    def mean_distances(self, totals: Floats) -> Floats:
        return np.zeros(totals.shape[1]) if self.distances is None else self.distances @ totals[0] / totals.sum()


def mean_ranks(totals: Floats) -> Floats:
    """The mean rank of the ratings in each category: those below, and half of its own."""
    return np.cumsum(totals, axis=1) - totals / 2


def squared_spread(totals: Floats, positions: Floats) -> Floats:
    """Σ n_c n_k (x_c − x_k)² for each row."""
    count = totals.sum(axis=1, keepdims=True)
    centre = (totals * positions).sum(axis=1, keepdims=True) / np.maximum(count, 1)
    return np.asarray(2 * count[:, 0] * (totals * (positions - centre) ** 2).sum(axis=1))


def mean_squares(totals: Floats, positions: Floats) -> Floats:
    """The mean squared distance of each position from all ratings."""
    shares = totals / totals.sum()
    centre = shares @ positions
    return np.asarray((positions - centre) ** 2 + shares @ (positions - centre) ** 2)
