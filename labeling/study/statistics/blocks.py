"""All origins at once, without a model."""

from __future__ import annotations

import numpy as np

from labeling.study.statistics.judgements import UNANSWERED, YES, Matched
from labeling.study.statistics.results import SignificanceTest

Q_CAVEAT = (
    "Takes each method of each participant to be an independent block and ignores that participants differ in which "
    "origins they like: its p-value tends to be too small. Reported beside the primary test, not instead of it."
)
_TWO = 2


def cochrans_q(matched: Matched) -> SignificanceTest:
    """Cochran (1950), over the methods on which a participant answered the names of all origins."""
    complete = np.all(matched.answer != UNANSWERED, axis=1)
    yes = (matched.answer[complete] == YES).astype(float)
    n, origins = yes.shape
    method = f"Cochran's Q, {max(origins - 1, 0)} degrees of freedom"
    if origins < _TWO:
        reason = "No test: there are fewer than two origins."
    elif not n:
        reason = "No test: no method was answered for all origins."
    elif np.all(yes == yes[:, :1]):
        reason = "No test: on every method all origins got the same answer."
    else:
        from statsmodels.stats.contingency_tables import cochrans_q as test

        found = test(yes)
        return SignificanceTest(method, n, float(found.pvalue), float(found.statistic), caveat=Q_CAVEAT)
    return SignificanceTest(method, n, None, reason=reason, caveat=Q_CAVEAT)
