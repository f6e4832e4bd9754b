"""From an estimator to coefficients: value, interval, and the reason where one is missing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from labeling.agreement.statistics.arrays import Floats
from labeling.agreement.statistics.intervals import Interval, bootstrap_interval, wilson_interval
from labeling.agreement.statistics.patterns import Patterns
from labeling.agreement.statistics.resampling import Resampling, resample
from labeling.agreement.statistics.results import Coefficient
from labeling.agreement.statistics.scales import MOST_CATEGORIES, Scale
from labeling.agreement.statistics.sums import Estimates

_TWO = 2


class Costed(Protocol):
    """An estimator that knows how many numbers it touches in one resample."""

    @property
    def cost(self) -> int: ...

    def __call__(self, weights: Floats) -> Estimates: ...


@dataclass(frozen=True)
class Facts:
    """Plain counts that say why a coefficient is undefined."""

    scale: Scale
    raters: int
    ratings: int
    used: int

    def why_undefined(self, name: str) -> str:
        """Why this coefficient has no value here, in words."""
        if not self.used:
            return self._why_nothing()
        if name.startswith("specific_agreement"):
            return "Nobody gave it on an item with two ratings or more."
        if self.scale.too_many:
            return (
                f"There are {self.scale.size:,} different values; this needs a table of all against all, "
                f"which is made for up to {MOST_CATEGORIES:,}."
            )
        return "Every rating that counts here is the same, so that agreement by chance is certain."

    def _why_nothing(self) -> str:
        if not self.ratings:
            return "There are no ratings."
        return "There is only one rater." if self.raters < _TWO else "No item has two ratings or more."


def facts_about(patterns: Patterns, scale: Scale, *, raters: int) -> Facts:
    """Counted in the patterns."""
    sizes, counts = patterns.sizes, patterns.counts
    return Facts(
        scale=scale,
        raters=raters,
        ratings=int(sizes @ counts),
        used=int(counts[sizes >= _TWO].sum()),
    )


def estimate(
    estimator: Costed, patterns: Patterns, how: Resampling, *, stream: str, why: Callable[[str], str]
) -> dict[str, Coefficient]:
    """All coefficients of the estimator, by name."""
    values = {name: float(value[0]) for name, value in estimator(patterns.counts[None, :]).items()}
    if not how.resamples or not len(patterns):
        return {
            name: _coefficient(name, value, Interval(reason=how.why_none), "", why) for name, value in values.items()
        }
    resampled = resample(estimator, patterns, how, name=stream, cost=estimator.cost)
    found = {}
    for name, value in values.items():
        interval = bootstrap_interval(name, value, resampled, how) if math.isfinite(value) else Interval()
        found[name] = _coefficient(name, value, interval, how.words, why)
    return found


def _coefficient(name: str, value: float, interval: Interval, method: str, why: Callable[[str], str]) -> Coefficient:
    if not math.isfinite(value):
        return Coefficient(None, reason=why(name))
    made = method if interval.low is not None else None
    return Coefficient(value, interval.low, interval.high, interval.reason, made)


def as_plain_share(coefficient: Coefficient, total: int, how: Resampling) -> Coefficient:
    """The same share with Wilson's interval, which needs no resamples."""
    if coefficient.value is None:
        return coefficient
    interval = wilson_interval(round(coefficient.value * total), total, how.confidence)
    return replace(coefficient, low=interval.low, high=interval.high, reason=None, interval="Wilson")
