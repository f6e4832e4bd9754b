"""Confidence intervals from resamples and from formulas, and why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from labeling.agreement.statistics.arrays import Floats
from labeling.agreement.statistics.resampling import Resampled, Resampling

_MOST_UNDEFINED = 0.05


@dataclass(frozen=True)
class Interval:
    """Both ends, or the reason in words why there are none."""

    low: float | None = None
    high: float | None = None
    reason: str | None = None


def bootstrap_interval(name: str, value: float, resampled: Resampled, how: Resampling) -> Interval:
    """Percentile or BCa (Efron 1987); none where too many resamples are undefined or all are the same."""
    replicates = resampled.replicates[name]
    defined = replicates[np.isfinite(replicates)]
    undefined = len(replicates) - len(defined)
    if undefined > _MOST_UNDEFINED * len(replicates):
        return Interval(reason=f"No interval: undefined in {undefined:,} of {len(replicates):,} resamples.")
    if np.ptp(defined) < 1e-12:  # noqa: PLR2004 (rounding)
        return Interval(reason="No interval: every resample gives the same value, so resampling cannot show a spread.")
    tails = np.array([(1 - how.confidence) / 2, (1 + how.confidence) / 2])
    if how.method == "bca":
        left_out = resampled.left_out[name]
        tails = _bca_tails(value, defined, left_out, resampled.multiplicity, tails)
    low, high = np.quantile(defined, tails)
    return Interval(float(low), float(high))


def _bca_tails(value: float, replicates: Floats, left_out: Floats, multiplicity: Floats, tails: Floats) -> Floats:
    """Efron (1987): tails shifted by the bias z0 and the acceleration a of the jackknife."""
    normal = NormalDist()
    below = (np.sum(replicates < value - 1e-12) + np.sum(replicates <= value + 1e-12)) / 2 / len(replicates)
    edge = 0.5 / len(replicates)
    bias = normal.inv_cdf(float(np.clip(below, edge, 1 - edge)))
    kept = np.isfinite(left_out)
    estimates, times = left_out[kept], multiplicity[kept]
    gap = np.average(estimates, weights=times) - estimates
    spread = float(np.sum(times * gap**2))
    acceleration = float(np.sum(times * gap**3)) / (6 * spread**1.5) if spread > 0 else 0.0
    shifted = [bias + normal.inv_cdf(float(tail)) for tail in tails]
    return np.array([_accelerated(bias, z, acceleration) for z in shifted])


def _accelerated(bias: float, z: float, acceleration: float) -> float:
    stretch = 1 - acceleration * z
    if stretch <= 0:  # so skewed that the tail lies beyond every resample
        return 1.0 if z > 0 else 0.0
    return NormalDist().cdf(bias + z / stretch)


def wilson_interval(count: float, total: float, confidence: float) -> Interval:
    """Wilson (1927), for a plain share."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = count / total
    centre = share + z**2 / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z**2 / (4 * total**2))
    below = 1 + z**2 / total
    low = 0.0 if count == 0 else (centre - spread) / below
    high = 1.0 if count == total else (centre + spread) / below
    return Interval(max(0.0, low), min(1.0, high))


def student_interval(value: float, error: float, degrees: int, confidence: float) -> tuple[float, float]:
    """value ± t · standard error, cut at 1 as Gwet (2014) does."""
    t = student_quantile((1 + confidence) / 2, degrees)
    return value - t * error, min(1.0, value + t * error)


@lru_cache(maxsize=256)
def student_quantile(probability: float, degrees: int) -> float:
    """The quantile of Student's t by bisection; `probability` above one half."""
    low, high = 0.0, 1.0
    while _student_tail(high, degrees) > 1 - probability:
        low, high = high, high * 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _student_tail(middle, degrees) > 1 - probability else (low, middle)
    return (low + high) / 2


def _student_tail(t: float, degrees: int) -> float:
    """P(T > t) for t ≥ 0: half of the regularised incomplete beta function at ν / (ν + t²)."""
    return _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The continued fraction of the regularised incomplete beta function (Abramowitz & Stegun, 26.5.8)."""
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    fraction = 0.0
    for m in range(60, 0, -1):  # from the inside out; 60 terms are more than it needs here
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m - 1) * (a + b + m - 1) * x / ((a + 2 * m - 2) * (a + 2 * m - 1))
        fraction = odd / (1 + even / (1 + fraction))
    return front / a / (1 + fraction)
