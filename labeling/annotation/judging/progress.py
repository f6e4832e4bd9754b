"""How far a rater and their round are, and an honest guess at the time that is left."""

from __future__ import annotations

from dataclasses import dataclass, replace

from labeling.annotation.models import Rater, Round
from labeling.annotation.rounds.mine import judged_repeats, repeats_to_come
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

    def after_one(self) -> Progress:
        """As it will be when the item before the rater is judged."""
        return replace(self, mine=self.mine + 1, left=max(self.left - 1, 0), votes=min(self.votes + 1, self.wanted))


def progress_of(round: Round, rater: Rater) -> Progress:
    """Hidden repeats count like any other item, so that no figure betrays one."""
    raters = list(round.raters.all())
    left, judged = share_left(rater, round, raters), judged_repeats([rater])[rater.pk]
    left += repeats_to_come(round, rater, left=left, judged=judged)
    return Progress(
        mine=rater.votes + judged,
        left=left,
        votes=sum(other.votes for other in raters),
        wanted=round.votes_due,
        seconds_left=estimate(left, rater).seconds,
    )
