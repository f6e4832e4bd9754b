"""Whether the noes to two origins have the same reasons."""

from __future__ import annotations

import numpy as np

from labeling.agreement.statistics.arrays import Ints
from labeling.study.statistics.judgements import NO, NO_REASON, Matched
from labeling.study.statistics.results import SignificanceTest

METHOD = "Stuart–Maxwell test of marginal homogeneity"
REASONS_CAVEAT = (
    "Over methods on which a participant said no to both names, and gave a reason for each; takes these pairs to be "
    "independent and ignores that a participant gives many of them. A large-sample test: with few pairs it is rough."
)
_TWO = 2


def reason_table(matched: Matched, a: int, b: int) -> Ints:
    """Reasons for `a` by reasons for `b`, where both got a no with a reason."""
    kept = np.all((matched.answer[:, [a, b]] == NO) & (matched.reason[:, [a, b]] != NO_REASON), axis=1)
    size = len(matched.reasons)
    table = np.zeros((size, size), dtype=np.int64)
    np.add.at(table, (matched.reason[kept, a], matched.reason[kept, b]), 1)
    return table


def compare_reasons(matched: Matched, a: int, b: int) -> SignificanceTest:
    return homogeneity_test(reason_table(matched, a, b))


def homogeneity_test(table: Ints) -> SignificanceTest:
    """Stuart (1955), Maxwell (1970); reasons that neither origin got are left out of the table."""
    n = int(table.sum())
    used = (table.sum(axis=0) + table.sum(axis=1)) > 0
    kept = table[np.ix_(used, used)]
    reason = _why_undefined(kept, n)
    if reason:
        return SignificanceTest(METHOD, n, None, reason=reason, caveat=REASONS_CAVEAT)
    from statsmodels.stats.contingency_tables import SquareTable

    found = SquareTable(kept.astype(float), shift_zeros=False).homogeneity(method="stuart_maxwell")
    method = f"{METHOD}, {int(found.df)} degrees of freedom"
    return SignificanceTest(method, n, float(found.pvalue), float(found.statistic), caveat=REASONS_CAVEAT)


def _why_undefined(table: Ints, n: int) -> str | None:
    if not n:
        return "No test: no method got a no with a reason for both origins."
    if len(table) < _TWO:
        return "No test: all of these noes have the same reason."
    off = table - np.diag(np.diag(table))
    if not off.sum():
        return "No test: on every one of these methods both noes have the same reason."
    # The covariance of the marginal differences (less one reason) is that of a weighted graph: it can be inverted
    # exactly if the reasons hang together by pairs that differ.
    reached = np.linalg.matrix_power(((off + off.T) > 0).astype(float) + np.eye(len(off)), len(off))[0] > 0
    if not reached.all():
        return "No test: some reasons are never exchanged for another, so that the statistic cannot be computed."
    return None
