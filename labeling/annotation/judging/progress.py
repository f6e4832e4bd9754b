"""How far a rater and their round are, and an honest guess at the time that is left."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.annotation.models import Rater, Round
from labeling.annotation.rounds.monitoring import share_left
from labeling.annotation.rounds.pacing import estimate


@dataclass(frozen=True)
class Progress:
    """`left` is what will probably come to this rater: in a round that hands out items on demand, their fair share."""

    mine: int
    left: int
    votes: int
    wanted: int
    seconds_left: float | None

    @property
    def percent(self) -> int:
        return 100 * self.votes // self.wanted if self.wanted else 0


def progress_of(round: Round, rater: Rater) -> Progress:
    """Hidden repeats count like any other item, so that no figure betrays one."""
    raters = list(round.raters.all())
    left = share_left(rater, round, raters)
    repeated, to_repeat = repeats_of(round, rater, left) if round.repeat_every else (0, 0)
    return Progress(
        mine=rater.votes + repeated,
        left=left + to_repeat,
        votes=sum(other.votes for other in raters),
        wanted=round.votes_due,
        seconds_left=estimate(left + to_repeat, rater).seconds,
    )


def repeats_of(round: Round, rater: Rater, left: int) -> tuple[int, int]:
    """How many the rater has judged, and how many will come."""
    waiting = rater.assignments.open().filter(repeat__gt=0).count()
    judged = rater.repeats - waiting
    return judged, max((rater.votes + left) // round.repeat_every - judged, 0)
