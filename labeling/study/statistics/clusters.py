"""The bootstrap over participants: whoever is drawn comes with all of their judgements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labeling.agreement.statistics.arrays import Floats
from labeling.agreement.statistics.intervals import Interval, bootstrap_interval, wilson_interval
from labeling.agreement.statistics.resampling import Resampled, Resampling
from labeling.agreement.statistics.sums import ratio
from labeling.study.statistics.results import Share

FEW = 20
FEW_PARTICIPANTS = "With fewer than {few} participants, bootstrap intervals over participants tend to be too narrow."
_TWO = 2

Weighted = Callable[[Floats], Floats]


class Clusters:
    """Draws once how often each participant is in each resample, so that all intervals rest on the same resamples."""

    def __init__(self, participants: int, how: Resampling) -> None:
        self.participants = participants
        self.how = how
        self.weights = np.zeros((how.resamples, participants))
        if participants:
            even = np.full(participants, 1 / participants)
            self.weights += how.stream("participants").multinomial(participants, even, size=how.resamples)

    def interval(self, estimate: Weighted) -> Interval:
        """`estimate` takes rows of weights, one a participant, and gives a number a row (not a number: undefined)."""
        if not self.how.resamples:
            return Interval(reason=self.how.why_none)
        if self.participants < _TWO:
            return Interval(reason="No interval over participants: there is only one.")
        left_out = estimate(1 - np.eye(self.participants)) if self.how.method == "bca" else np.zeros(0)
        replicates = {"it": estimate(self.weights)}
        value = float(estimate(np.ones((1, self.participants)))[0])
        return bootstrap_interval(
            "it", value, Resampled(replicates, {"it": left_out}, np.ones(len(left_out))), self.how
        )

    def share(self, counts: Floats, totals: Floats, *, nothing: str) -> Share:
        """`counts` of `totals`, one of each a participant; `nothing` says why there is no share of nothing."""
        count, total = int(counts.sum()), int(totals.sum())
        if not total:
            none = Interval(reason=nothing)
            return Share(count, total, None, none, none, nothing)
        wilson = wilson_interval(count, total, self.how.confidence)
        over = self.interval(lambda weights: ratio(weights @ counts, weights @ totals))
        return Share(count, total, count / total, wilson, over)
