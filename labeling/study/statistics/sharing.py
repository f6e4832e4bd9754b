"""How far participants agree on the names that several of them judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from labeling.agreement.statistics.measuring import measure
from labeling.agreement.statistics.ratings import Ratings
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.results import Agreement
from labeling.agreement.statistics.scales import nominal_scale
from labeling.study.statistics.judgements import Judgements
from labeling.study.statistics.results import Result

_TWO = 2


@dataclass(frozen=True)
class SharedAgreement(Result):
    """The coefficients of the agreement stage, items being names; intervals are over methods, which hold the names."""

    methods: int
    names: int
    agreement: Agreement | None
    reason: str | None = None


def others_on_a_method(judgements: Judgements) -> float | None:
    """How many other participants judged the same method, on average over all that was judged."""
    kept = judgements.where(judgements.answered)
    pages = np.unique(np.stack([kept.method, kept.participant], axis=1), axis=0)
    if not len(pages):
        return None
    judged = np.bincount(pages[:, 0])
    return float(np.mean(judged[pages[:, 0]] - 1))


def measure_agreement(judgements: Judgements, how: Resampling) -> SharedAgreement:
    kept = judgements.where(judgements.answered)
    often = np.bincount(kept.name) >= _TWO
    shared = kept.where(often[kept.name])
    if not len(shared):
        return SharedAgreement(0, 0, None, "No name was answered by two participants.")
    names, first, item = np.unique(shared.name, return_index=True, return_inverse=True)
    methods, group = np.unique(shared.method[first], return_inverse=True)
    ratings = Ratings(
        item,
        shared.participant,
        shared.answer,
        nominal_scale(["no", "yes"]),
        shared.participants,
        len(names),
        group=group,
        groups=len(methods),
    )
    found = measure(ratings, question="consistent", how=replace(how, clustered=True))
    return SharedAgreement(len(methods), len(names), found)
