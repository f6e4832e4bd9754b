"""A stratified sample whose every number can be read."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from random import Random
from typing import Any, Generic, TypeVar

from labeling.refusals import Invalid

Thing = TypeVar("Thing", bound=Hashable)


@dataclass(frozen=True)
class Stratum:
    """How many of a stratum are taken; `quota` is its exact share of the sample, before rounding."""

    name: str
    size: int
    share: float
    quota: float
    taken: int


@dataclass(frozen=True)
class Sample(Generic[Thing]):
    strata: tuple[Stratum, ...]
    chosen: tuple[Thing, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"strata": [asdict(stratum) for stratum in self.strata], "size": len(self.chosen)}


def allocate(sizes: Mapping[str, int], wanted: int) -> tuple[Stratum, ...]:
    """Largest remainders (Hamilton's method); of equal ones the larger stratum's, then the first name's."""
    total = sum(sizes.values())
    if not 0 <= wanted <= total:
        raise Invalid(f"A sample of {wanted:,} cannot be drawn from {total:,}.")
    quotas = {name: Fraction(wanted * size, max(total, 1)) for name, size in sizes.items()}
    taken = {name: int(quota) for name, quota in quotas.items()}
    by_remainder = sorted(sizes, key=lambda name: (taken[name] - quotas[name], -sizes[name], name))
    for name in by_remainder[: wanted - sum(taken.values())]:
        taken[name] += 1
    return tuple(
        Stratum(name, sizes[name], sizes[name] / total if total else 0.0, float(quotas[name]), taken[name])
        for name in sorted(sizes)
    )


def draw_sample(strata: Mapping[str, Sequence[Thing]], wanted: int, *, rng: Random) -> Sample[Thing]:
    """Draws from each stratum what `allocate` gives it, in the order in which the strata list their things."""
    allocation = allocate({name: len(things) for name, things in strata.items()}, wanted)
    chosen: list[Thing] = []
    for stratum in allocation:
        positions = sorted(rng.sample(range(stratum.size), stratum.taken))
        chosen += [strata[stratum.name][position] for position in positions]
    return Sample(allocation, tuple(chosen))
