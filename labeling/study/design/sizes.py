"""How many judgements a share needs to be known within a margin."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

from labeling.refusals import Invalid

MOST = 10**15  # above it floats no longer count one by one
_ROUNDING = 1e-9  # so that a whole number that floats cannot hold is not rounded up


@dataclass(frozen=True)
class SampleSize:
    """The size with everything that it follows from."""

    population: int
    confidence: float
    margin: float
    proportion: float
    design_effect: float
    without_population: int  # of a population without end, with no design effect
    needed: int

    @property
    def note(self) -> str:
        """What to do where more judgements are needed than there are methods; else nothing."""
        if self.needed <= self.population:
            return ""
        return (
            f"{self.needed:,} judgements are needed of a population of {self.population:,}: "
            "all of it, and some of it judged by several participants."
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"note": self.note}


def sample_size(
    population: int, *, confidence: float, margin: float, proportion: float = 0.5, design_effect: float = 1.0
) -> SampleSize:
    """Cochran (1977, §4.4): n0 = z² p (1 − p) / d², n = n0 / (1 + (n0 − 1) / N); times Kish's design effect."""
    if not 1 <= population <= MOST:
        raise Invalid(f"The population must lie between 1 and {MOST:,}.")
    for name, value in (("confidence", confidence), ("margin", margin), ("proportion", proportion)):
        if not 0 < value < 1:
            raise Invalid(f"The {name} must lie between 0 and 1; it is {value:g}.")
    if not 0 < design_effect < math.inf:
        raise Invalid(f"The design effect must be a number above 0; it is {design_effect:g}.")
    z = NormalDist().inv_cdf(min((1 + confidence) / 2, 1 - 2**-53))
    endless = z / margin * (z / margin) * proportion * (1 - proportion)
    if not endless * design_effect <= MOST:
        raise Invalid(f"The margin {margin:g} and design effect {design_effect:g} need more than {MOST:,} judgements.")
    # n0 below 1 (a margin wider than any doubt) still takes one.
    finite = max(1.0, endless) / (1 + (max(1.0, endless) - 1) / population)
    return SampleSize(
        population, confidence, margin, proportion, design_effect, _up(endless), _up(finite * design_effect)
    )


def design_effect(cluster_size: float, icc: float) -> float:
    """Kish (1965, §5.4): 1 + (m − 1) ρ for m judgements a participant whose answers correlate by ρ."""
    if not 1 <= cluster_size < math.inf:
        raise Invalid(f"The cluster size must be 1 or more; it is {cluster_size:g}.")
    if not 0 <= icc <= 1:
        raise Invalid(f"The intraclass correlation must lie between 0 and 1; it is {icc:g}.")
    return 1 + (cluster_size - 1) * icc


def _up(number: float) -> int:
    return max(1, math.ceil(number - _ROUNDING))
