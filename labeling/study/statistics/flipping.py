"""The sign-flip test: under the null a participant's difference could as well have had the other sign."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labeling.agreement.statistics.arrays import Floats
from labeling.study.statistics.results import SignificanceTest

MOST_ENUMERATED = 20
FLIPS = 100_000
_AT_A_TIME = 2_000_000
_ROUNDING = 1e-12
_TWO = 2


def sign_flip_test(differences: Floats, *, rng: np.random.Generator, flips: int = FLIPS) -> SignificanceTest:
    """Fisher (1935, §21), two-sided, on the mean of one difference a participant."""
    count = len(differences)
    exact = count <= MOST_ENUMERATED
    method = f"sign-flip test over participants, {f'all 2^{count}' if exact else f'{flips:,} random'} assignments"
    if count < _TWO:
        few = "only one participant" if count else "no participant"
        return SignificanceTest(method, count, None, reason=f"No test: {few} answered names of both origins.")
    p = enumerated(differences[None, :]) if exact else sampled(differences[None, :], rng=rng, flips=flips)
    smallest = 2.0 ** (1 - count) if exact else 1 / (flips + 1)
    return SignificanceTest(method, count, float(p[0]), float(differences.mean()), smallest=smallest)


def enumerated(differences: Floats) -> Floats:
    """p of each row, from all assignments of signs; by symmetry the first sign can stay."""
    rows, count = differences.shape
    step = max(1, _AT_A_TIME >> (count - 1))
    found = []
    for first in range(0, rows, step):
        part = differences[first : first + step]
        sums = part[:, :1]
        for column in range(1, count):
            one = part[:, column : column + 1]
            sums = np.concatenate([sums + one, sums - one], axis=1)
        found.append(np.mean(np.abs(sums) >= _observed(part), axis=1))
    return np.concatenate(found)


def sampled(differences: Floats, *, rng: np.random.Generator, flips: int) -> Floats:
    """p of each row from random signs; (1 + as extreme) / (1 + flips), Phipson & Smyth (2010)."""
    rows, count = differences.shape
    step = max(1, _AT_A_TIME // max(rows, count))
    extreme = np.zeros(rows)
    for first in range(0, flips, step):
        signs = rng.integers(0, 2, size=(count, min(step, flips - first))) * 2.0 - 1
        extreme += np.sum(np.abs(differences @ signs) >= _observed(differences), axis=1)
    return np.asarray((1 + extreme) / (1 + flips))


def _observed(differences: Floats) -> Floats:
    """What a sum must reach to count as extreme; sums that are equal on paper may differ by rounding."""
    return np.asarray(np.abs(differences.sum(axis=1, keepdims=True)) - _ROUNDING)


def holm(p: Floats) -> Floats:
    """Holm (1979), along the last axis: p_(i) · (m − i + 1), never falling, at most 1."""
    order = np.argsort(p, axis=-1, kind="stable")
    ranked = np.take_along_axis(p, order, axis=-1) * np.arange(p.shape[-1], 0, -1)
    adjusted = np.empty_like(ranked)
    np.put_along_axis(adjusted, order, np.minimum(np.maximum.accumulate(ranked, axis=-1), 1.0), axis=-1)
    return adjusted


def holm_defined(p: Sequence[float | None]) -> list[float | None]:
    """The same where some tests are undefined: the family is those that are defined."""
    defined = [one for one in p if one is not None]
    adjusted = iter(holm(np.array(defined)).tolist())
    return [None if one is None else next(adjusted) for one in p]
