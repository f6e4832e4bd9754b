"""How far raters agree with themselves, from items that they were shown again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from labeling.agreement.statistics.arrays import Ints
from labeling.agreement.statistics.figures import as_plain_share, estimate
from labeling.agreement.statistics.pairs import PairEstimator, pair_of, pair_weightings
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.results import Coefficient
from labeling.agreement.statistics.scales import Scale

EVERYBODY = "all raters"
_ONE_VALUE = "Only one value was given, so that agreement by chance is certain."


@dataclass(frozen=True)
class Consistency:
    """One rater, or all of them: the share of repeats with the same answer, and Cohen's κ of first against second."""

    rater: str
    repeats: int
    coefficients: dict[str, Coefficient]


def measure_consistency(
    rater: Ints, values: tuple[Ints, Ints], *, raters: tuple[str, ...], scale: Scale, how: Resampling
) -> list[Consistency]:
    """`values` is what each rater said the first and the second time, one entry a repeat; everybody comes first."""
    if not len(rater):
        return []
    how = replace(how, clustered=False)
    found = [_consistency(EVERYBODY, *values, scale, how)]
    for code in np.unique(rater).tolist():
        own = rater == code
        found.append(_consistency(raters[code], values[0][own], values[1][own], scale, how))
    return found


def _consistency(name: str, first: Ints, second: Ints, scale: Scale, how: Resampling) -> Consistency:
    pair = pair_of(first, second)
    estimator = PairEstimator(pair, scale, pair_weightings(scale))
    stream = f"repeats {name}"
    coefficients = estimate(estimator, pair.patterns, how, stream=stream, why=lambda _: _ONE_VALUE)
    del coefficients["scott_pi"]
    coefficients["agreement"] = as_plain_share(coefficients["agreement"], pair.items, how)
    return Consistency(name, pair.items, coefficients)
