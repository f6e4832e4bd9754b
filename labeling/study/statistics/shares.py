"""How often each origin's names were called consistent, why not, and how long it took."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labeling.agreement.statistics.arrays import Floats, Ints
from labeling.agreement.statistics.intervals import Interval
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.sums import ratio
from labeling.study.statistics.clusters import Clusters
from labeling.study.statistics.judgements import NO, NO_REASON, UNANSWERED, YES, Judgements, Matched
from labeling.study.statistics.results import Result, Share


@dataclass(frozen=True)
class OriginShare(Result):
    """Yes among the answers to an origin's names, and how many participants answered them."""

    origin: str
    yes: Share
    participants: int


def yes_shares(matched: Matched, clusters: Clusters) -> list[OriginShare]:
    yes = matched.per_participant(matched.answer == YES)
    answered = matched.per_participant(matched.answer != UNANSWERED)
    return [
        OriginShare(
            origin,
            clusters.share(yes[:, column], answered[:, column], nothing=f"Nobody answered a name of {origin}."),
            int(np.sum(answered[:, column] > 0)),
        )
        for column, origin in enumerate(matched.origins)
    ]


@dataclass(frozen=True)
class ReasonShare(Result):
    """A reason among the noes to an origin's names, and among all answers to them."""

    reason: str
    of_no: Share
    of_all: Share


@dataclass(frozen=True)
class OriginReasons(Result):
    origin: str
    answers: int
    noes: int
    without_reason: int
    reasons: list[ReasonShare]


def reason_shares(matched: Matched, clusters: Clusters) -> list[OriginReasons]:
    return [_reasons_of(column, matched, clusters) for column in range(len(matched.origins))]


def _reasons_of(column: int, matched: Matched, clusters: Clusters) -> OriginReasons:
    origin = matched.origins[column]
    no = matched.answer[:, column] == NO
    reason = matched.reason[:, column]
    noes = matched.per_participant(no)
    answers = matched.per_participant(matched.answer[:, column] != UNANSWERED)
    shares = []
    for code, words in enumerate(matched.reasons):
        given = matched.per_participant(no & (reason == code))
        of_no = clusters.share(given, noes, nothing=f"Nobody said no to a name of {origin}.")
        of_all = clusters.share(given, answers, nothing=f"Nobody answered a name of {origin}.")
        shares.append(ReasonShare(words, of_no, of_all))
    without = int(np.sum(no & (reason == NO_REASON)))
    return OriginReasons(origin, int(answers.sum()), int(noes.sum()), without, shares)


@dataclass(frozen=True)
class Duration(Result):
    """Seconds: how many were measured, their mean with its interval over participants, and how they are spread."""

    n: int
    interval: Interval
    mean: float | None = None
    median: float | None = None
    first_quartile: float | None = None
    third_quartile: float | None = None
    shortest: float | None = None
    longest: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Durations(Result):
    """By judgement, by page (a participant on a method) and by participant."""

    judgement: Duration
    page: Duration
    participant: Duration


def measure_durations(judgements: Judgements, how: Resampling) -> Durations:
    """Judgements without a known time are left out, also of the sums."""
    timed = judgements.where(np.isfinite(judgements.seconds))
    _, participant = np.unique(timed.participant, return_inverse=True)
    clusters = Clusters(int(participant.max(initial=-1)) + 1, how)
    pages = np.stack([participant, timed.method], axis=1)
    return Durations(
        _duration(participant, timed.seconds, clusters),
        _duration(*_summed(pages, timed.seconds), clusters),
        _duration(*_summed(pages[:, :1], timed.seconds), clusters),
    )


def _summed(keys: Ints, seconds: Floats) -> tuple[Ints, Floats]:
    """Of equal keys one, with its participant and the sum of its seconds."""
    found, group = np.unique(keys, axis=0, return_inverse=True)
    return found[:, 0], np.asarray(np.bincount(group.reshape(-1), weights=seconds), dtype=np.float64)


def _duration(participant: Ints, seconds: Floats, clusters: Clusters) -> Duration:
    if not len(seconds):
        nothing = "No time was recorded."
        return Duration(0, Interval(reason=nothing), reason=nothing)
    sums = np.bincount(participant, weights=seconds, minlength=clusters.participants)
    counts = np.bincount(participant, minlength=clusters.participants).astype(float)
    interval = clusters.interval(lambda weights: ratio(weights @ sums, weights @ counts))
    shortest, first, median, third, longest = (float(part) for part in np.quantile(seconds, [0, 0.25, 0.5, 0.75, 1]))
    return Duration(len(seconds), interval, float(seconds.mean()), median, first, third, shortest, longest)
