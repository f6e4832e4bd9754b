"""Whether the place of a name in the display moved the answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labeling.agreement.statistics.arrays import Floats
from labeling.agreement.statistics.resampling import Resampling
from labeling.study.statistics.clusters import Clusters
from labeling.study.statistics.flipping import sign_flip_test
from labeling.study.statistics.judgements import NO_POSITION, YES, Judgements
from labeling.study.statistics.results import Result, Share, SignificanceTest


@dataclass(frozen=True)
class PositionShare(Result):
    position: int
    yes: Share


@dataclass(frozen=True)
class OrderEffect(Result):
    """Yes by position, and a test of the slope of yes on position within participants."""

    positions: list[PositionShare]
    test: SignificanceTest
    note: str = "Each distinct name counts once here, whatever its origins."


def measure_order(judgements: Judgements, how: Resampling) -> OrderEffect:
    """The slopes of participants are tested as the differences are: by flipping their signs."""
    kept = judgements.where(judgements.answered & (judgements.position != NO_POSITION))
    _, participant = np.unique(kept.participant, return_inverse=True)
    count = int(participant.max(initial=-1)) + 1
    clusters = Clusters(count, how)
    positions = []
    for position in np.unique(kept.position).tolist():
        here = kept.position == position
        yes = np.bincount(participant[here & (kept.answer == YES)], minlength=count).astype(float)
        shown = np.bincount(participant[here], minlength=count).astype(float)
        positions.append(PositionShare(position, clusters.share(yes, shown, nothing="Nobody answered here.")))
    test = sign_flip_test(position_slopes(kept), rng=how.stream("order"))
    if test.reason:
        test = SignificanceTest(test.method, test.n, None, reason=_FEW)
    return OrderEffect(positions, test)


_FEW = "No test: fewer than two participants answered names in two positions or more."


def position_slopes(judgements: Judgements) -> Floats:
    """Least squares of yes on position for each participant who saw more than one position."""
    slopes = []
    for one in np.unique(judgements.participant):
        mine = judgements.participant == one
        position = judgements.position[mine] - judgements.position[mine].mean()
        spread = float(position @ position)
        if spread > 0:
            slopes.append(float(position @ (judgements.answer[mine] == YES)) / spread)
    return np.array(slopes)
