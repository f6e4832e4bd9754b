"""Every pair of raters, each over the items that both rated: never paired by position, never averaged over items."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

from labeling.agreement.statistics.arrays import Ints
from labeling.agreement.statistics.figures import as_plain_share, estimate
from labeling.agreement.statistics.pairs import Pair, PairEstimator, common_items, pair_weightings
from labeling.agreement.statistics.patterns import Patterns
from labeling.agreement.statistics.ratings import Ratings
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.results import Coefficient, PairAgreement

MOST_PAIRS_RESAMPLED = 2_000
MOST_RATERS_LISTED = 100  # above it, pairs without a common item are counted and not listed
NO_COMMON_ITEM = "No item was rated by both."
_ONE_VALUE = "Both gave only one and the same value, so that agreement by chance is certain."


def measure_pairs(
    identified: Patterns, ratings: Ratings, took_part: Ints, how: Resampling
) -> tuple[list[PairAgreement], int]:
    """All pairs of those who took part, and how many pairs have no item in common."""
    weightings = pair_weightings(ratings.scale)
    pairs = list(common_items(identified, ratings.scale.size))
    if len(pairs) > MOST_PAIRS_RESAMPLED:
        how = replace(how, resamples=0, why_none=f"No interval: there are {len(pairs):,} pairs, too many to resample.")
    found = {
        (pair.a, pair.b): measure_pair(pair, ratings, how, PairEstimator(pair, ratings.scale, weightings))
        for pair in pairs
    }
    apart = math.comb(len(took_part), 2) - len(found)
    if len(took_part) > MOST_RATERS_LISTED:
        return list(found.values()), apart
    nothing = dict.fromkeys([*weightings, "agreement", "scott_pi"], Coefficient(None, reason=NO_COMMON_ITEM))
    couples = combinations(took_part.tolist(), 2)
    return [
        found.get((a, b)) or PairAgreement(ratings.raters[a], ratings.raters[b], 0, nothing) for a, b in couples
    ], apart


def measure_pair(pair: Pair, ratings: Ratings, how: Resampling, estimator: PairEstimator) -> PairAgreement:
    """One pair, with resamples of its own common items."""
    stream = f"pair {pair.a} {pair.b}"
    coefficients = estimate(estimator, pair.patterns, how, stream=stream, why=lambda _: _ONE_VALUE)
    if not how.clustered:
        coefficients["agreement"] = as_plain_share(coefficients["agreement"], pair.items, how)
    return PairAgreement(ratings.raters[pair.a], ratings.raters[pair.b], pair.items, coefficients)
