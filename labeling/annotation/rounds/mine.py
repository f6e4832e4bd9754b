"""Rounds as one of their annotators sees them: what is left for me, how fast I am, what I noted and passed over."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, OuterRef, Subquery

from labeling.annotation.models import Assignment, Handing, Rater, Round, RoundState, Skip, SlotState, Vote
from labeling.annotation.rounds.pacing import Estimate, estimate, recent_pace
from labeling.corpus.models import Project
from labeling.people.models import User

SHOWN = 50


@dataclass(frozen=True)
class MyRound:
    """`left` is exact, or, where others may be faster, the most that can come; hidden repeats count like all."""

    round: Round
    rater: Rater
    judged: int
    left: int
    is_most: bool
    noted: list[Vote]  # with a note or a flag, newest first
    skipped: list[Assignment]  # each with its `reason`

    @property
    def pace(self) -> float | None:
        return recent_pace(self.rater)

    @property
    def time_left(self) -> Estimate:
        return estimate(self.left, self.rater)


def my_rounds(user: User, project: Project) -> list[MyRound]:
    """Those that are open first, newest first; by a number of queries that does not grow with them."""
    mine = Rater.objects.of(user).active().filter(round__project=project).exclude(round__state=RoundState.PLANNING)
    raters = list(mine.select_related("round__protocol__protocol", "user").order_by("-round_id"))
    raters.sort(key=lambda rater: not rater.round.is_open)
    cast: dict[int, int] = defaultdict(int)
    for other in Rater.objects.filter(round__in=[rater.round_id for rater in raters]).only("round", "tally"):
        cast[other.round_id] += other.votes
    held, passed, noted, repeated = held_counts(raters), skipped_by(raters), noted_by(raters), judged_repeats(raters)

    def mine_of(rater: Rater) -> MyRound:
        left = left_for(rater, cast[rater.round_id], held[rater.pk], len(passed[rater.pk]))
        return MyRound(
            rater.round,
            rater,
            judged=rater.votes + repeated[rater.pk],
            left=left + repeats_to_come(rater.round, rater, left=left, judged=repeated[rater.pk]),
            is_most=rater.round.handing == Handing.CLAIMED and rater.round.votes_wanted is not None,
            noted=noted[rater.pk][:SHOWN],
            skipped=passed[rater.pk][:SHOWN],
        )

    return [mine_of(rater) for rater in raters]


def judged_repeats(raters: list[Rater]) -> dict[int, int]:
    """How many hidden repeats each has judged or passed over, and not merely before them."""
    waiting = Assignment.objects.open().filter(rater__in=[rater for rater in raters if rater.repeats], repeat__gt=0)
    counted = dict(waiting.order_by().values_list("rater").annotate(Count("pk")))
    return {rater.pk: rater.repeats - counted.get(rater.pk, 0) for rater in raters}


def repeats_to_come(round: Round, rater: Rater, *, left: int, judged: int) -> int:
    if not round.repeat_every or not round.is_open:
        return 0
    return max((rater.votes + left) // round.repeat_every - judged, 0)


def left_for(rater: Rater, cast: int, held: int, skipped: int) -> int:
    round = rater.round
    if not round.is_open:
        return 0
    unmet = round.item_count - rater.votes - skipped
    if round.votes_wanted is None:
        return unmet
    return held if round.handing == Handing.PLANNED else min(unmet, round.votes_due - cast)


def held_counts(raters: list[Rater]) -> dict[int, int]:
    """How long the planned lists of these raters still are."""
    planned = [rater for rater in raters if rater.round.handing == Handing.PLANNED]
    rows = Assignment.objects.open().filter(rater__in=planned, repeat=0).order_by()
    return defaultdict(int, rows.values_list("rater").annotate(Count("pk")))


def skipped_by(raters: list[Rater]) -> dict[int, list[Assignment]]:
    last = Skip.objects.filter(assignment=OuterRef("pk"), rater=OuterRef("rater")).order_by("-pk").values("reason")[:1]
    rounds = [rater.round_id for rater in raters]
    slots = Assignment.objects.filter(round__in=rounds, rater__in=raters, state=SlotState.SKIPPED)
    slots = slots.select_related("round_item__item").defer("round_item__item__payload").annotate(reason=Subquery(last))
    found: dict[int, list[Assignment]] = defaultdict(list)
    for slot in slots.order_by("-pk"):
        if slot.rater_id:
            found[slot.rater_id].append(slot)
    return found


def noted_by(raters: list[Rater]) -> dict[int, list[Vote]]:
    """Votes in force that have a note or a flag; of a person's many, the newest of all their rounds."""
    votes = Vote.objects.filter(rater__in=raters, current_of__isnull=False).with_words()
    votes = votes.select_related("assignment__round_item__item").defer("assignment__round_item__item__payload")
    found: dict[int, list[Vote]] = defaultdict(list)
    for vote in votes.order_by("-pk")[: SHOWN * max(len(raters), 1)]:
        found[vote.rater_id].append(vote)
    return found
