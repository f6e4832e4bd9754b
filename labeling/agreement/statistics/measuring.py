"""The whole set for one question: every coefficient with its interval, or with the reason why it has none."""

from __future__ import annotations

import math

import numpy as np

from labeling.agreement.statistics.categories import measure_categories, measure_options
from labeling.agreement.statistics.errors import errors_with_raters, errors_without_raters
from labeling.agreement.statistics.estimating import RatersKnown, RatersUnknown
from labeling.agreement.statistics.explaining import find_notes
from labeling.agreement.statistics.figures import Facts, as_plain_share, estimate, facts_about
from labeling.agreement.statistics.intervals import student_interval
from labeling.agreement.statistics.pairing import measure_pairs
from labeling.agreement.statistics.patterns import Collapsed, Patterns, collapse
from labeling.agreement.statistics.ratings import Ratings
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.results import Agreement, Coefficient, PairAgreement, StandardError
from labeling.agreement.statistics.scales import Level

ONE_RATING, NO_RATING = "one rating only", "no rating"
_TWO = 2
_ORDER = (
    "unanimous",
    "pairwise_agreement",
    "krippendorff_alpha",
    "fleiss_kappa",
    "conger_kappa",
    "gwet_ac",
    "brennan_prediger",
    "scott_pi",
    "gwet_ac1",
    "weighted_agreement",
    "fleiss_kappa_weighted",
    "conger_kappa_weighted",
    "brennan_prediger_weighted",
)


def measure(
    ratings: Ratings, *, question: str = "", how: Resampling | None = None, with_pairs: bool = True
) -> Agreement:
    """Everything about one question; raises RatedTwiceError."""
    how = how or Resampling()
    if how.clustered and ratings.group is None:
        raise ValueError("intervals over groups need the group of each item")
    return measure_collapsed(collapse(ratings), ratings, question=question, how=how, with_pairs=with_pairs)


def measure_collapsed(
    collapsed: Collapsed, ratings: Ratings, *, question: str, how: Resampling, with_pairs: bool
) -> Agreement:
    """The same from patterns; `ratings` says what their codes stand for and how many items there are."""
    scale, anonymous = ratings.scale, collapsed.anonymous
    took_part = np.unique(collapsed.identified.token_raters())
    facts = facts_about(anonymous, scale, raters=len(took_part))
    unknown = RatersUnknown(anonymous, scale)
    known = RatersKnown(collapsed.identified, scale, len(ratings.raters))
    found = estimate(unknown, anonymous, how, stream="items", why=facts.why_undefined)
    found |= estimate(known, collapsed.identified, how, stream="raters", why=facts.why_undefined)
    if not how.clustered:
        found["unanimous"] = as_plain_share(found["unanimous"], facts.used, how)
    needed = with_pairs or facts.raters == _TWO  # for Scott's π
    pairs, apart = measure_pairs(collapsed.identified, ratings, took_part, how) if needed else ([], 0)
    found["scott_pi"] = _scott_pi(pairs, facts)
    agreement = Agreement(
        question=question,
        level=scale.level,
        distance=scale.distance if scale.level is Level.SET else None,
        items=ratings.items,
        items_used=facts.used,
        left_out=_left_out(anonymous, ratings.items),
        raters=facts.raters,
        ratings=facts.ratings,
        groups=None if anonymous.cells is None else len(np.unique(anonymous.cells.group)),
        coefficients={name: found[name] for name in _ORDER if name in found},
        weights=scale.weights_name,
        errors={} if how.clustered else _standard_errors(collapsed, unknown, known, found, how),
        pairs=pairs if with_pairs else [],
        pairs_without_common_items=apart,
        categories=measure_categories(anonymous, scale, found),
        options=measure_options(anonymous, scale, how, facts) if scale.level is Level.SET else [],
        resampling=how,
    )
    agreement.notes.extend(find_notes(agreement))
    return agreement


def _left_out(patterns: Patterns, items: int) -> dict[str, int]:
    single = int(patterns.counts[patterns.sizes == 1].sum())
    return {
        reason: count
        for reason, count in ((ONE_RATING, single), (NO_RATING, items - int(patterns.counts.sum())))
        if count
    }


def _scott_pi(pairs: list[PairAgreement], facts: Facts) -> Coefficient:
    if facts.raters == _TWO:
        return pairs[0].coefficients["scott_pi"]
    if facts.raters > _TWO:
        return Coefficient(None, reason="Scott's π is for two raters; Fleiss' κ is its form for more.")
    return Coefficient(None, reason=facts.why_undefined("scott_pi"))


def _standard_errors(
    collapsed: Collapsed, unknown: RatersUnknown, known: RatersKnown, found: dict[str, Coefficient], how: Resampling
) -> dict[str, StandardError]:
    """Only of the coefficients that are defined; Student's t with as many degrees as items less one."""
    if not len(collapsed.anonymous):
        return {}
    errors = errors_without_raters(collapsed.anonymous, unknown) | errors_with_raters(collapsed.identified, known)
    patterns = collapsed.anonymous
    items, paired = int(patterns.counts.sum()), int(patterns.counts[patterns.sizes >= _TWO].sum())
    answer = {}
    for name, error in errors.items():
        value = found[name].value
        degrees = (paired if name == "krippendorff_alpha" else items) - 1
        if value is not None and math.isfinite(error) and error > 0 and degrees > 0:
            answer[name] = StandardError(error, *student_interval(value, error, degrees, how.confidence))
    return answer
