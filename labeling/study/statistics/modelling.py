"""A model of the odds of a yes that knows which answers are by the same participant."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from labeling.agreement.statistics.arrays import Bools, Floats, Ints
from labeling.study.statistics.judgements import UNANSWERED, YES, Matched
from labeling.study.statistics.results import Estimate, Result

METHOD = (
    "generalised estimating equations, binomial with logit link, exchangeable within participants, "
    "bias-reduced covariance (Mancl & DeRouen 2001), Student's t with participants less origins degrees of freedom"
)
_TWO = 2
_ROUNDING = 1e-6  # of a standard error
_LARGEST_LOGIT = 20.0
_WIDEST = 50.0  # of half an interval of log odds


@dataclass(frozen=True)
class OddsRatio(Result):
    """The odds of a yes to `a` over those of a yes to `b`."""

    a: str
    b: str
    odds_ratio: Estimate
    p: float | None = None


@dataclass(frozen=True)
class Model(Result):
    """The odds ratios of all pairs, or why there are none."""

    method: str
    participants: int  # with an answer to an origin that is in the model
    answers: int
    correlation: float | None  # between two answers of a participant
    pairs: list[OddsRatio]
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class _Fit:
    logit: Floats  # of each origin; not a number where it is not in the model
    covariance: Floats
    degrees: int
    correlation: float


def fit_model(matched: Matched, *, confidence: float) -> Model:
    """Liang & Zeger (1986) with the small-sample covariance of Mancl & DeRouen (2001).

    An origin that got only yes or only no has no finite odds: it is left out of the model, and its pairs say so.
    """
    unfit = [_why_no_odds(matched, column) for column in range(len(matched.origins))]
    modelled = np.array([why is None for why in unfit], dtype=bool)
    answered = matched.answer != UNANSWERED
    participants = len(np.unique(matched.participant[np.any(answered & modelled, axis=1)]))
    reason = _why_no_model(participants, int(modelled.sum()))
    fit = None if reason else _fit(matched, modelled)
    if not reason and fit is None:
        reason = "No model: the estimation did not come to an end."
    pairs = []
    for a, b in combinations(range(len(matched.origins)), 2):
        names = matched.origins[a], matched.origins[b]
        n = int(answered[:, [a, b]].sum())
        why = unfit[a] or unfit[b] or reason
        missing = OddsRatio(*names, Estimate(None, n, method="GEE", reason=why))
        pairs.append(missing if why or fit is None else _contrast(fit, (a, b), names, n, confidence))
    answers = int(np.sum(answered & modelled))
    return Model(METHOD, participants, answers, None if fit is None else fit.correlation, pairs, reason)


def _why_no_odds(matched: Matched, column: int) -> str | None:
    origin, answers = matched.origins[column], matched.answer[:, column]
    given = np.unique(answers[answers != UNANSWERED])
    if not len(given):
        return f"No odds ratio: nobody answered a name of {origin}."
    if len(given) == 1:
        return f"No odds ratio: {origin} got only {'yes' if given[0] == YES else 'no'}."
    return None


def _why_no_model(participants: int, origins: int) -> str | None:
    if origins < _TWO:
        return "No model: fewer than two origins got both yes and no."
    if participants <= origins:
        return (
            f"No model: {origins} origins need at least {origins + 1} participants for a standard error; "
            f"there are {participants}."
        )
    return None


def _fit(matched: Matched, modelled: Bools) -> _Fit | None:
    """One coefficient an origin, its logit, so that every pair is a difference of two of them."""
    page, origin = np.nonzero((matched.answer != UNANSWERED) & modelled)
    order = np.argsort(matched.participant[page], kind="stable")
    page, origin = page[order], origin[order]
    design = np.eye(len(modelled))[origin][:, modelled]
    found = _estimate((matched.answer[page, origin] == YES).astype(float), design, matched.participant[page])
    if found is None:
        return None
    parameters, errors, correlation = found
    logit = np.full(len(modelled), np.nan)
    logit[modelled] = parameters
    covariance = np.full((len(modelled), len(modelled)), np.nan)
    covariance[np.ix_(modelled, modelled)] = errors
    degrees = len(np.unique(matched.participant[page])) - int(modelled.sum())
    return _Fit(logit, covariance, degrees, correlation)


def _estimate(answer: Floats, design: Floats, participant: Ints) -> tuple[Floats, Floats, float] | None:
    from statsmodels.genmod.cov_struct import Exchangeable
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_estimating_equations import GEE

    structure = Exchangeable()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # what they warn of is looked at below
        try:
            model: Any = GEE(answer, design, groups=participant, family=Binomial(), cov_struct=structure)
            found = model.fit(cov_type="bias_reduced")
        except (np.linalg.LinAlgError, ValueError, ZeroDivisionError, FloatingPointError):
            return None
    parameters, errors = np.asarray(found.params, dtype=float), np.asarray(found.cov_robust_bc, dtype=float)
    correlation = float(np.asarray(structure.dep_params))
    # With few participants the working correlation can drive the logits off, without a word from statsmodels.
    sound = np.all(np.abs(parameters) < _LARGEST_LOGIT) and np.isfinite(errors).all() and np.isfinite(correlation)
    return (parameters, errors, correlation) if found.converged and sound else None


def _contrast(fit: _Fit, pair: tuple[int, int], names: tuple[str, str], n: int, confidence: float) -> OddsRatio:
    from scipy.stats import t

    a, b = pair
    log_ratio = float(fit.logit[a] - fit.logit[b])
    variance = float(fit.covariance[a, a] + fit.covariance[b, b] - 2 * fit.covariance[a, b])
    error = float(np.sqrt(max(variance, 0.0)))
    reach = float(t.ppf((1 + confidence) / 2, fit.degrees)) * error
    if error <= _ROUNDING or reach > _WIDEST:
        reason = "No interval: the two origins differ alike for every participant, so that no spread can be seen."
        if reach > _WIDEST:
            reason = "No interval: with so few answers it would have no bounds."
        return OddsRatio(*names, Estimate(float(np.exp(log_ratio)), n, method="GEE", reason=reason))
    low, value, high = (float(np.exp(log_ratio + part)) for part in (-reach, 0, reach))
    p = float(2 * t.sf(abs(log_ratio) / error, fit.degrees))
    return OddsRatio(*names, Estimate(value, n, low, high, "GEE"), p)
