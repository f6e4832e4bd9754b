"""Standard errors by linearisation, as Gwet (2014, ch. 5) gives them, on patterns.

Each is the spread of what one item adds to the coefficient: with n items and x_i the item's part of it,
variance = Σ (x_i − coefficient)² / (n (n − 1)). Items are taken as a sample from infinitely many.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from labeling.agreement.statistics.alphas import Alpha
from labeling.agreement.statistics.arrays import Floats, sum_by
from labeling.agreement.statistics.estimating import RatersKnown, RatersUnknown, conger_expected, rater_shares
from labeling.agreement.statistics.patterns import Patterns
from labeling.agreement.statistics.scales import Level

Errors = dict[str, float]


def errors_without_raters(patterns: Patterns, estimator: RatersUnknown) -> Errors:
    """Of α, Fleiss' κ, AC1 and AC2, and Brennan–Prediger, by the names of the estimates; not a number if undefined."""
    counts = patterns.counts[None, :]
    values = {name: float(value[0]) for name, value in estimator(counts).items()}
    shares = estimator.shares.total(counts)[0] / counts.sum()
    errors: Errors = {}
    if estimator.scale.level is not Level.ORDINAL:  # its distances come from the data themselves: no formula is known
        errors["krippendorff_alpha"] = alpha_error(patterns, estimator.alpha, estimator.paired.total(counts))
    nominal = estimator.scale.level is Level.NOMINAL
    plain = _Linearised(patterns, estimator.plain["agreed"], estimator.plain["used"])
    names = ("fleiss_kappa", "gwet_ac" if nominal else "gwet_ac1", "brennan_prediger")
    errors |= _kappa_errors(plain, shares, None, {name: values[name] for name in names})
    if estimator.weights is not None:
        weighted = _Linearised(patterns, estimator.plain["agreed_weighted"], estimator.plain["used"])
        names = ("fleiss_kappa_weighted", "gwet_ac", "brennan_prediger_weighted")
        errors |= _kappa_errors(weighted, shares, estimator.weights, {name: values[name] for name in names})
    return errors


@dataclass(frozen=True, eq=False)
class _Linearised:
    """The agreement of each pattern, and whether it has a pair of ratings at all."""

    patterns: Patterns
    agreed: Floats
    used: Floats

    def error(self, value: float, chance: float, own_chance: Floats) -> float:
        """Gwet (2014, ch. 5): `own_chance` is the item's part of the agreement by chance, which moves it twice."""
        counts = self.patterns.counts
        items, paired = counts.sum(), counts @ self.used
        if paired == 0 or chance >= 1 or not math.isfinite(value):
            return math.nan
        parts = items / paired * (self.agreed - chance * self.used) - 2 * (1 - value) * (own_chance - chance)
        return _error(parts / (1 - chance) - value, counts)


def _kappa_errors(linearised: _Linearised, shares: Floats, weights: Floats | None, values: Errors) -> Errors:
    """For Fleiss, Gwet and Brennan–Prediger, in this order in `values`."""
    size = len(shares)
    total = size if weights is None else float(weights.sum())
    near = shares if weights is None else weights @ shares
    scaled = total / max(size * (size - 1), 1) * (1 - shares)
    uniform = total / size**2
    chances = [(float(near @ shares), near), (float(scaled @ shares), scaled), (uniform, np.full(size, uniform))]
    return {
        name: linearised.error(value, chance, _mean_of(linearised.patterns, own))
        for (name, value), (chance, own) in zip(values.items(), chances, strict=True)
    }


def alpha_error(patterns: Patterns, alpha: Alpha, totals: Floats) -> float:
    """Gwet (2014, ch. 5), written with distances; items with one rating take no part."""
    value = float(alpha(patterns.counts[None, :], totals)[0])
    if not math.isfinite(value):
        return math.nan
    used = np.where(patterns.sizes > 1, patterns.counts, 0.0)
    paired = float(totals.sum())
    mean_size = paired / used.sum()
    observed = alpha.observed_under(totals) / mean_size
    distances = alpha.mean_distances(totals)
    do, de = float(used @ observed) / used.sum(), float(totals[0] @ distances) / paired
    larger = patterns.sizes / mean_size - 1
    agreed = do * (1 + (1 - 1 / paired) * larger) - observed
    own_chance = de * (1 + larger) - _mean_of(patterns, distances) * patterns.sizes / mean_size
    return _error((agreed - 2 * do / de * own_chance) / de, used)


def errors_with_raters(patterns: Patterns, estimator: RatersKnown) -> Errors:
    """Of Conger's κ: Gwet (2014, ch. 5); each rating moves the shares of the rater who gave it."""
    counts = patterns.counts[None, :]
    given = estimator.given.total(counts).reshape(1, *estimator.shape)
    shares, took_part = rater_shares(given)
    ratings_of = np.maximum(given[0].sum(axis=1), 1)
    pattern, category = patterns.tokens()
    rater = patterns.token_raters()
    errors = {}
    for name, value in estimator(counts).items():
        weights = estimator.weights[name]
        chance = float(conger_expected(shares, took_part, weights)[0])
        others = shares[0].sum(axis=0) - shares[0]
        near = others if weights is None else others @ weights
        moved = near - (near * shares[0]).sum(axis=1, keepdims=True)
        moved *= patterns.counts.sum() / ratings_of[:, None]
        pull = sum_by(pattern, moved[rater, category], len(patterns))
        own_chance = chance + pull / max(float(took_part[0] * (took_part[0] - 1)), 1.0)
        linearised = _Linearised(patterns, estimator.agreed[name], estimator.used)
        errors[name] = linearised.error(float(value[0]), chance, own_chance)
    return errors


def _mean_of(patterns: Patterns, by_category: Floats) -> Floats:
    """The mean over each pattern's ratings of a number that belongs to their category."""
    pattern, category = patterns.tokens()
    return sum_by(pattern, by_category[category], len(patterns)) / patterns.sizes


def _error(off_centre: Floats, counts: Floats) -> float:
    items = float(counts.sum())
    return math.sqrt(float(counts @ off_centre**2) / (items * (items - 1))) if items > 1 else math.nan
