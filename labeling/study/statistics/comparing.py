"""Every two origins side by side: the primary test, what is reported beside it, and how large the difference is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from labeling.agreement.statistics.arrays import Bools, Floats, Ints
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.sums import ratio
from labeling.study.statistics.clusters import Clusters
from labeling.study.statistics.flipping import holm_defined, sign_flip_test
from labeling.study.statistics.judgements import YES, Matched
from labeling.study.statistics.reasons import compare_reasons
from labeling.study.statistics.results import Estimate, Result, SignificanceTest

PAIRS_CAVEAT = (
    "Takes each pair of answers to be independent and so ignores that a participant gives many of them: "
    "its p-value tends to be too small. Reported beside the primary test, not instead of it."
)


@dataclass(frozen=True)
class PairComparison(Result):
    """Origin `a` against origin `b`, over the methods on which a participant answered names of both.

    `identical` counts those on which both have the same name: one judgement that counts for both, so that it adds a
    difference of zero to every figure here.
    """

    a: str
    b: str
    pairs: int
    identical: int
    primary: SignificanceTest
    mcnemar: SignificanceTest
    risk_difference: Estimate
    odds_ratio: Estimate
    reasons: SignificanceTest


def compare_pairs(matched: Matched, clusters: Clusters, how: Resampling) -> list[PairComparison]:
    """All pairs in the order of the origins; Holm's correction is over the pairs whose test is defined."""
    columns = combinations(range(len(matched.origins)), 2)
    found = [_compare(matched, a, b, clusters, how) for a, b in columns]
    adjusted = holm_defined([pair.primary.p for pair in found])
    return [replace(pair, primary=replace(pair.primary, adjusted=p)) for pair, p in zip(found, adjusted, strict=True)]


def participant_differences(matched: Matched, a: int, b: int) -> Floats:
    """For each participant with both: the mean over methods of yes to `a` less yes to `b`."""
    both = matched.both(a, b)
    sums = matched.per_participant(_differences(matched, a, b, both))
    counts = matched.per_participant(both)
    return np.asarray(sums[counts > 0] / counts[counts > 0])


def _differences(matched: Matched, a: int, b: int, both: Bools) -> Ints:
    yes = (matched.answer == YES).astype(np.int64)
    return np.where(both, yes[:, a] - yes[:, b], 0)


def _compare(matched: Matched, a: int, b: int, clusters: Clusters, how: Resampling) -> PairComparison:
    both = matched.both(a, b)
    differences = _differences(matched, a, b, both)
    only_a, only_b = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    names = (matched.origins[a], matched.origins[b])
    pairs = int(both.sum())
    return PairComparison(
        *names,
        pairs,
        int(np.sum(both & (matched.name[:, a] == matched.name[:, b]))),
        # The stream is the pair's own, so that another order of the origins changes no digit.
        sign_flip_test(participant_differences(matched, a, b), rng=how.stream(f"sign flips {sorted(names)}")),
        mcnemar_test(only_a, only_b, pairs),
        _risk_difference(matched, differences, both, clusters),
        matched_odds_ratio(only_a, only_b, pairs, names=names, confidence=how.confidence),
        compare_reasons(matched, a, b),
    )


def _risk_difference(matched: Matched, differences: Ints, both: Bools, clusters: Clusters) -> Estimate:
    """Share of yes to `a` less share of yes to `b` over the same pairs; (b − c) / n in McNemar's table."""
    sums, counts = matched.per_participant(differences), matched.per_participant(both)
    total = int(counts.sum())
    method = f"difference of shares, {clusters.how.method} bootstrap over participants"
    if not total:
        return Estimate(None, 0, method=method, reason="No method was answered for both origins.")
    interval = clusters.interval(lambda weights: ratio(weights @ sums, weights @ counts))
    value = float(sums.sum() / total)
    return Estimate(value, total, interval.low, interval.high, method, interval.reason)


def mcnemar_test(only_a: int, only_b: int, pairs: int) -> SignificanceTest:
    """McNemar (1947), exact: of the pairs that differ, half should favour either (binomial test)."""
    from scipy.stats import binomtest

    method = "McNemar's test, exact"
    if not only_a + only_b:
        reason = "No test: both origins got the same answer on every method." if pairs else "No test: no pairs."
        return SignificanceTest(method, pairs, None, reason=reason, caveat=PAIRS_CAVEAT)
    p = float(binomtest(only_a, only_a + only_b).pvalue)
    return SignificanceTest(method, pairs, p, float(min(only_a, only_b)), caveat=PAIRS_CAVEAT)


def matched_odds_ratio(only_a: int, only_b: int, pairs: int, *, names: tuple[str, str], confidence: float) -> Estimate:
    """b / c; its interval from that of Clopper & Pearson (1934) for b / (b + c) (Breslow & Day 1980, §5.2)."""
    from scipy.stats import binomtest

    method = "matched odds ratio, exact conditional interval"
    differ = only_a + only_b
    if not differ:
        return Estimate(None, pairs, method=method, reason="No odds ratio: no pair of answers differs.")
    ends = binomtest(only_a, differ).proportion_ci(confidence_level=confidence, method="exact")
    low = float(ends.low / (1 - ends.low))
    if not only_b:
        reason = f"No finite odds ratio: no method got a yes for {names[1]} alone."
        return Estimate(None, pairs, low, None, method, reason)
    high = float(ends.high / (1 - ends.high))
    return Estimate(only_a / only_b, pairs, low, high, method)
