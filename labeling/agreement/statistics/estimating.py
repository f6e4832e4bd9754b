"""The coefficients themselves, for many resamples at once: not a number where one is undefined.

r_ik is the number of raters who put item i into category k, r_i the number who rated it at all, q the number of
categories, w the agreement weights of the scale. Items with one rating count in the shares of the categories where
their author counts them (Fleiss, Gwet, Conger; Gwet 2014, ch. 2 and 3) and nowhere else.
"""

from __future__ import annotations

import numpy as np

from labeling.agreement.statistics.alphas import alpha_for
from labeling.agreement.statistics.arrays import Floats
from labeling.agreement.statistics.patterns import Patterns
from labeling.agreement.statistics.scales import Level, Scale
from labeling.agreement.statistics.sums import (
    Columns,
    Estimates,
    ratio,
    same_pairs,
    weighed_pairs,
    weighted_product,
)

MOST_CATEGORIES_LISTED = 100
WEIGHTED = ("weighted_agreement", "fleiss_kappa_weighted", "gwet_ac", "brennan_prediger_weighted")


def chance_corrected(agreed: Floats, expected: Floats) -> Floats:
    """(p_a − p_e) / (1 − p_e); undefined where chance alone would bring full agreement."""
    return ratio(agreed - expected, np.where(np.isclose(expected, 1, rtol=0, atol=1e-12), 0.0, 1 - expected))


class RatersUnknown:
    """Everything that does not need to know who rated: all but Conger's κ and the pairs."""

    def __init__(self, patterns: Patterns, scale: Scale) -> None:
        self.scale = scale
        self.sizes = patterns.sizes
        pattern, value = patterns.tokens()
        shape = (len(patterns), scale.size)
        two = self.sizes >= 2  # noqa: PLR2004 (two ratings make a pair)
        pairs = np.maximum(self.sizes * (self.sizes - 1), 1)
        same = same_pairs(patterns)
        self.plain = {
            "items": np.ones(len(patterns)),
            "used": two.astype(float),
            "paired": self.sizes * two,
            "unanimous": two * (same == pairs),
            "agreed": two * same / pairs,
        }
        self.shares = Columns(pattern, value, 1 / self.sizes[pattern], shape=shape)
        self.paired = Columns(pattern, value, two[pattern].astype(float), shape=shape)
        self.weights: Floats | None = None
        if scale.level is not Level.NOMINAL and not scale.too_many:
            self.weights = scale.agreement_weights()
            self.plain["agreed_weighted"] = two * weighed_pairs(patterns, self.weights) / pairs
        self.alpha = alpha_for(patterns, scale)
        self.specific = SpecificAgreement(patterns, scale) if scale.size <= MOST_CATEGORIES_LISTED else None

    @property
    def cost(self) -> int:
        """Numbers touched in one resample, in the order of magnitude."""
        return max(int(self.sizes.sum()), self.scale.size)

    def __call__(self, weights: Floats) -> Estimates:
        sums = {name: weights @ column for name, column in self.plain.items()}
        shares = ratio(self.shares.total(weights), sums["items"][:, None])
        agreed = ratio(sums["agreed"], sums["used"])
        estimates = {
            "unanimous": ratio(sums["unanimous"], sums["used"]),
            "pairwise_agreement": agreed,
            "krippendorff_alpha": self.alpha(weights, self.paired.total(weights)),
            "fleiss_kappa": fleiss(agreed, shares, None),
            "gwet_ac" if self.scale.level is Level.NOMINAL else "gwet_ac1": gwet(agreed, shares, None),
            "brennan_prediger": brennan_prediger(agreed, self.scale.size, None),
        }
        if self.scale.level is not Level.NOMINAL:
            estimates |= self._weighted(sums, shares)
        return estimates if self.specific is None else {**estimates, **self.specific(weights)}

    def _weighted(self, sums: Estimates, shares: Floats) -> Estimates:
        if self.weights is None:
            return dict.fromkeys(WEIGHTED, np.full(len(shares), np.nan))
        agreed = ratio(sums["agreed_weighted"], sums["used"])
        return {
            "weighted_agreement": agreed,
            "fleiss_kappa_weighted": fleiss(agreed, shares, self.weights),
            "gwet_ac": gwet(agreed, shares, self.weights),
            "brennan_prediger_weighted": brennan_prediger(agreed, self.scale.size, self.weights),
        }


def fleiss(agreed: Floats, shares: Floats, weights: Floats | None) -> Floats:
    """Fleiss (1971); with gaps and weights Gwet (2014, ch. 2 and 3): p_e = Σ w_kl π_k π_l, π_k = mean of r_ik / r_i."""
    return chance_corrected(agreed, weighted_product(shares, shares, weights))


def gwet(agreed: Floats, shares: Floats, weights: Floats | None) -> Floats:
    """Gwet (2008; 2014, ch. 3): p_e = Σ w / (q (q − 1)) · Σ π_k (1 − π_k); AC1 without weights, AC2 with them."""
    size = shares.shape[1]
    total = size if weights is None else float(weights.sum())
    spread = (shares * (1 - shares)).sum(axis=1)
    return chance_corrected(agreed, total / (size * (size - 1)) * spread if size > 1 else np.ones(len(agreed)))


def brennan_prediger(agreed: Floats, size: int, weights: Floats | None) -> Floats:
    """Brennan & Prediger (1981), weights as in Gwet (2014, ch. 3): p_e = Σ w / q²."""
    total = size if weights is None else float(weights.sum())
    return chance_corrected(agreed, np.full(len(agreed), total / max(size, 1) ** 2))


class SpecificAgreement:
    """How often another agrees on a category: Σ r_ik (r_ik − 1) / Σ r_ik (r_i − 1), Cicchetti & Feinstein (1990)."""

    def __init__(self, patterns: Patterns, scale: Scale) -> None:
        pattern, value = patterns.tokens()
        shape = (len(patterns), scale.size)
        cells, counts = np.unique(pattern * shape[1] + value, return_counts=True)
        row, column = np.divmod(cells, shape[1])
        self.agreed = Columns(row, column, counts * (counts - 1.0), shape=shape)
        self.possible = Columns(row, column, counts * (patterns.sizes[row] - 1), shape=shape)

    def __call__(self, weights: Floats) -> Estimates:
        shares = ratio(self.agreed.total(weights), self.possible.total(weights))
        return {specific(category): shares[:, category] for category in range(shares.shape[1])}


def specific(category: int) -> str:
    return f"specific_agreement_{category}"


class RatersKnown:
    """Conger (1980), with gaps and weights as in Gwet (2014, ch. 2): each rater has shares of their own.

    p_e = mean over the pairs of raters g ≠ h of Σ w_kl p_gk p_hl.
    """

    def __init__(self, patterns: Patterns, scale: Scale, raters: int) -> None:
        self.sizes = patterns.sizes
        self.shape = (raters, scale.size)
        pattern, value = patterns.tokens()
        column = patterns.token_raters() * scale.size + value
        self.given = Columns(pattern, column, np.ones(len(pattern)), shape=(len(patterns), raters * scale.size))
        two = self.sizes >= 2  # noqa: PLR2004 (two ratings make a pair)
        pairs = np.maximum(self.sizes * (self.sizes - 1), 1)
        self.used = two.astype(float)
        self.agreed = {"conger_kappa": two * same_pairs(patterns) / pairs}
        self.weights: dict[str, Floats | None] = {"conger_kappa": None}
        if scale.level is not Level.NOMINAL and not scale.too_many:
            weights = scale.agreement_weights()
            self.weights["conger_kappa_weighted"] = weights
            self.agreed["conger_kappa_weighted"] = two * weighed_pairs(patterns, weights) / pairs

    @property
    def cost(self) -> int:
        return max(int(self.sizes.sum()), self.shape[0] * self.shape[1])

    def __call__(self, weights: Floats) -> Estimates:
        given = self.given.total(weights).reshape(len(weights), *self.shape)
        shares, took_part = rater_shares(given)
        used = weights @ self.used
        return {
            name: chance_corrected(
                ratio(weights @ agreed, used), conger_expected(shares, took_part, self.weights[name])
            )
            for name, agreed in self.agreed.items()
        }


def rater_shares(given: Floats) -> tuple[Floats, Floats]:
    """Each rater's shares of the categories, nothing for who gave no rating, and how many raters gave any."""
    totals = given.sum(axis=2, keepdims=True)
    return given / np.maximum(totals, 1), (totals[:, :, 0] > 0).sum(axis=1).astype(float)


def conger_expected(shares: Floats, took_part: Floats, weights: Floats | None) -> Floats:
    """All pairs of different raters: the square of the sum less the squares of each."""
    together = shares.sum(axis=1)
    weighted = shares if weights is None else shares @ weights
    own = np.einsum("brk,brk->b", weighted, shares)
    return ratio(weighted_product(together, together, weights) - own, took_part * (took_part - 1))
