"""The same question side by side: over time, by round, by version, by group; and without each rater in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labeling.agreement.statistics.arrays import Ints
from labeling.agreement.statistics.measuring import measure, measure_collapsed
from labeling.agreement.statistics.patterns import collapse, without_rater
from labeling.agreement.statistics.ratings import Ratings
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.results import Agreement


@dataclass(frozen=True)
class Slice:
    """Some of the ratings, such as those of a week or a round, and how far they agree."""

    name: str
    agreement: Agreement


def measure_slices(
    ratings: Ratings, slice_of: Ints, names: Sequence[str], *, how: Resampling, with_pairs: bool = False
) -> list[Slice]:
    """`slice_of` is the slice of each rating, as a code; only items with a rating in a slice count as its items."""
    if len(slice_of) != len(ratings):
        raise ValueError("each rating needs a slice")
    slices = []
    for code, name in enumerate(names):
        part = ratings.where(slice_of == code).only_rated()
        slices.append(Slice(name, measure(part, question=name, how=how, with_pairs=with_pairs)))
    return slices


@dataclass(frozen=True)
class Influence:
    """What the agreement would be without one rater, and by how much each coefficient would change."""

    rater: str
    without: Agreement
    change: dict[str, float | None]


def measure_influence(ratings: Ratings, *, how: Resampling) -> list[Influence]:
    """Leaves out one rater after the other; those without ratings are passed over."""
    collapsed = collapse(ratings)
    whole = measure_collapsed(collapsed, ratings, question="", how=how, with_pairs=False)
    found = []
    for rater in np.unique(ratings.rater).tolist():
        rest = without_rater(collapsed.identified, rater, ratings.scale.size)
        without = measure_collapsed(rest, ratings, question="", how=how, with_pairs=False)
        found.append(Influence(ratings.raters[rater], without, _change(whole, without)))
    return found


def _change(whole: Agreement, without: Agreement) -> dict[str, float | None]:
    change: dict[str, float | None] = {}
    for name, before in whole.coefficients.items():
        after = without.coefficients[name]
        known = before.value is not None and after.value is not None
        change[name] = (after.value or 0.0) - (before.value or 0.0) if known else None
    return change
