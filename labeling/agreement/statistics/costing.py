"""Which items were used, which were left out and why, and what the disagreement on each costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labeling.agreement.statistics.alphas import alpha_for
from labeling.agreement.statistics.arrays import Floats, Ints
from labeling.agreement.statistics.measuring import NO_RATING, ONE_RATING
from labeling.agreement.statistics.patterns import one_by_one
from labeling.agreement.statistics.ratings import Ratings
from labeling.agreement.statistics.sums import Columns

_TWO = 2


@dataclass(frozen=True, eq=False)
class Costs:
    """Items with disagreement, the dearest first, and by how much each one holds α down; together 1 − α."""

    item: Ints
    cost: Floats


def item_costs(ratings: Ratings) -> Costs:
    """The part of D_o / D_e (Krippendorff 2004) that is the item's own; none when α is undefined."""
    patterns, items = one_by_one(ratings)
    alpha = alpha_for(patterns, ratings.scale)
    pattern, value = patterns.tokens()
    paired = (patterns.sizes >= _TWO)[pattern].astype(float)
    totals = Columns(pattern, value, paired, shape=(len(patterns), ratings.scale.size)).total(patterns.counts[None, :])
    if not np.isfinite(alpha(patterns.counts[None, :], totals)[0]):
        return Costs(np.zeros(0, dtype=np.int64), np.zeros(0))
    expected = float(alpha.expected(totals)[0])
    cost = np.where(patterns.sizes >= _TWO, alpha.observed_under(totals), 0.0) * (totals.sum() - 1) / expected
    order = np.lexsort((items, -cost))[: int((cost > 0).sum())]
    return Costs(items[order], cost[order])


def items_left_out(ratings: Ratings) -> dict[str, Ints]:
    """The items without a pair of ratings, by reason."""
    sizes = ratings.per_item()
    return {ONE_RATING: np.flatnonzero(sizes == 1), NO_RATING: np.flatnonzero(sizes == 0)}
