"""How far a rater and their round are, and an honest guess at the time that is left."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.annotation.models import Rater, Round

FEWEST_FOR_A_GUESS = 5


@dataclass(frozen=True)
class Progress:
    """`left` is what will probably come to this rater: in a round that hands out items on demand, their fair share."""

    mine: int
    left: int
    votes: int
    wanted: int
    complete: int
    size: int
    seconds_left: float | None

    @property
    def percent(self) -> int:
        return 100 * self.votes // self.wanted if self.wanted else 0


def progress_of(round: Round, rater: Rater) -> Progress:
    raters = list(round.raters.all())
    active = [other for other in raters if other.left_at is None]
    votes = sum(other.votes for other in raters)
    wanted = round.votes_due
    share = -(-max(wanted - votes, 0) // max(len(active), 1))
    left = max(min(share, round.item_count - rater.votes - rater.skips), 0)
    pace = rater.pace if rater.timed >= FEWEST_FOR_A_GUESS else None
    return Progress(
        mine=rater.votes,
        left=left,
        votes=votes,
        wanted=wanted,
        complete=sum(other.completions for other in raters),
        size=round.item_count,
        seconds_left=None if pace is None else pace * left,
    )
