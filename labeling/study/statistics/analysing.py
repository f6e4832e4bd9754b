"""Everything about a study's judgements, in the order in which a reader asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from labeling.agreement.statistics.resampling import Resampling
from labeling.study.design.overlap import warn_of_overlap
from labeling.study.statistics.blocks import cochrans_q
from labeling.study.statistics.clusters import FEW, FEW_PARTICIPANTS, Clusters
from labeling.study.statistics.comparing import PairComparison, compare_pairs
from labeling.study.statistics.judgements import Judgements, match
from labeling.study.statistics.modelling import Model, fit_model
from labeling.study.statistics.ordering import OrderEffect, measure_order
from labeling.study.statistics.results import Result, SignificanceTest
from labeling.study.statistics.shares import (
    Durations,
    OriginReasons,
    OriginShare,
    measure_durations,
    reason_shares,
    yes_shares,
)
from labeling.study.statistics.sharing import SharedAgreement, measure_agreement, others_on_a_method


@dataclass(frozen=True)
class Counts(Result):
    """What the figures rest on."""

    participants: int
    flagged: int
    methods: int
    names: int
    judgements: int
    answered: int
    several_origins: int  # judgements of names that have several origins


@dataclass(frozen=True)
class Variant(Result):
    """The main figures for a part of the judgements, to see whether they hold."""

    key: str
    words: str
    counts: Counts
    shares: list[OriginShare]
    pairs: list[PairComparison]


@dataclass(frozen=True)
class StudyResults(Result):
    counts: Counts
    shares: list[OriginShare]
    reasons: list[OriginReasons]
    durations: Durations
    pairs: list[PairComparison]
    cochrans_q: SignificanceTest
    model: Model
    order: OrderEffect
    agreement: SharedAgreement
    sensitivity: list[Variant]
    resampling: dict[str, Any]
    notes: list[str] = field(default_factory=list)


def analyse(judgements: Judgements, *, how: Resampling | None = None) -> StudyResults:
    """All figures; the seed in `how` makes them again."""
    how = how or Resampling()
    matched = match(judgements)
    clusters = Clusters(matched.participants, how)
    return StudyResults(
        count(judgements),
        yes_shares(matched, clusters),
        reason_shares(matched, clusters),
        measure_durations(judgements, how),
        compare_pairs(matched, clusters, how),
        cochrans_q(matched),
        fit_model(matched, confidence=how.confidence),
        measure_order(judgements, how),
        measure_agreement(judgements, how),
        check_sensitivity(judgements, how),
        {"method": how.method, "resamples": how.resamples, "seed": how.seed, "confidence": how.confidence},
        take_notes(judgements, matched.participants),
    )


def take_notes(judgements: Judgements, participants: int) -> list[str]:
    """What a reader must know about all of the figures."""
    few = FEW_PARTICIPANTS.format(few=FEW) if 1 < participants < FEW else ""
    return [note for note in (few, warn_of_overlap(others_on_a_method(judgements))) if note]


def check_sensitivity(judgements: Judgements, how: Resampling) -> list[Variant]:
    variants = (
        ("all", "all judgements", judgements),
        ("without_flagged", "without flagged participants", judgements.without_flagged()),
        ("distinct_names", "only names that have one origin", judgements.distinct_only()),
    )
    return [_variant(key, words, part, how) for key, words, part in variants]


def _variant(key: str, words: str, judgements: Judgements, how: Resampling) -> Variant:
    matched = match(judgements)
    clusters = Clusters(matched.participants, how)
    shares, pairs = yes_shares(matched, clusters), compare_pairs(matched, clusters, how)
    return Variant(key, words, count(judgements), shares, pairs)


def count(judgements: Judgements) -> Counts:
    participants = np.unique(judgements.participant)
    return Counts(
        len(participants),
        int(judgements.flagged[participants].sum()),
        len(np.unique(judgements.method)),
        len(np.unique(judgements.name)),
        len(judgements),
        int(judgements.answered.sum()),
        int(np.sum(judgements.origin.sum(axis=1) > 1)),
    )
