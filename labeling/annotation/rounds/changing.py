"""Changing a round while people work in it. No vote is ever touched; locks are taken rater by rater, in their order,
so that nobody's vote is half-way through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.utils import timezone

from labeling.annotation.judging.claiming import return_to_pool
from labeling.annotation.models import (
    Assignment,
    AssignmentQuerySet,
    ProtocolVersion,
    Rater,
    Round,
    RoundItem,
    RoundState,
    SlotState,
)
from labeling.annotation.rounds.counting import recount
from labeling.annotation.rounds.planning import require_annotators
from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal

BATCH = 5_000
T = TypeVar("T")


def lock_round(round: Round) -> Round:
    """Waits until nothing is under way in the round; to be called in a transaction."""
    list(Rater.objects.select_for_update().filter(round=round).order_by("pk"))
    locked = (
        Round.objects.select_for_update(of=("self",)).select_related("project", "protocol__protocol").get(pk=round.pk)
    )
    if locked.state == RoundState.PLANNING:
        raise Refusal(f"{locked} is still being planned.")
    return locked


@transaction.atomic
def close_round(round: Round, *, by: User | None) -> None:
    round = lock_round(round)
    if round.state == RoundState.CLOSED:
        return
    Round.objects.filter(pk=round.pk).update(state=RoundState.CLOSED, closed_at=timezone.now())
    record(round.project, by=by, verb="closed the round", subject=round.name)


@transaction.atomic
def reopen_round(round: Round, *, by: User | None) -> None:
    round = lock_round(round)
    if round.is_open:
        return
    Round.objects.filter(pk=round.pk).update(state=RoundState.OPEN, closed_at=None)
    record(round.project, by=by, verb="opened the round again", subject=round.name)


@transaction.atomic
def add_rater(round: Round, user: User, *, by: User | None) -> Rater:
    """Lets a person in: into the pool, and into what everybody judges. One who left comes back to their own place."""
    round = lock_round(round)
    require_annotators(round.project, [user])
    last = round.raters.aggregate(last=Max("number"))["last"] or 0
    rater, is_new = Rater.objects.get_or_create(round=round, user=user, defaults={"number": last + 1})
    if not is_new and rater.left_at is None:
        raise Refusal(f"{user} takes part in {round} already.")
    Rater.objects.filter(pk=rater.pk).update(left_at=None, place=0)
    rater.left_at = None
    give_common_items(round, rater)
    record(round.project, by=by, verb="let into the round", subject=round.name, annotator=user.email)
    return rater


def give_common_items(round: Round, rater: Rater) -> None:
    """A slot more, for this rater, in each item that everybody judges and they have not."""
    common = round.items.exclude(assignments__rater=rater)
    if round.votes_wanted is not None:
        common = common.filter(position__lt=round.calibration) | common.filter(gold__isnull=False)
    add_slots(round, common, rater=rater, state=SlotState.HELD)


@transaction.atomic
def remove_rater(round: Round, rater: Rater, *, by: User | None) -> None:
    """The person gets nothing more in this round; what they voted stays, what they hold goes back."""
    round = lock_round(round)
    if rater.left_at is None and not round.raters.active().exclude(pk=rater.pk).exists():
        raise Refusal(f"{rater} is the last annotator of {round}. Close the round instead.")
    Rater.objects.filter(pk=rater.pk, left_at=None).update(left_at=timezone.now())
    give_up_common_items(round, rater)
    return_open_items(round, rater, by=by)
    record(round.project, by=by, verb="took out of the round", subject=round.name, annotator=rater.user.email)


def give_up_common_items(round: Round, rater: Rater) -> None:
    """What everybody judges is not waited for any more when one of them has left."""
    unused = rater.assignments.filter(vote=None, votes=None, skips=None, repeat=0)
    if round.votes_wanted is not None:
        unused = unused.filter(round_item__wanted__gt=round.votes_wanted)
    rows = list(unused.values_list("pk", "round_item"))
    for some in chunks(rows):
        Assignment.objects.filter(pk__in=[pk for pk, _ in some]).delete()
        RoundItem.objects.filter(pk__in=[item for _, item in some]).update(wanted=F("wanted") - 1)
    if rows:
        recount(round)


@transaction.atomic
def return_open_items(round: Round, rater: Rater, *, by: User | None) -> int:
    """Puts back into the pool what an absent annotator holds or skipped and has not voted on."""
    round = lock_round(round)
    count = return_to_pool(round, rater.assignments.filter(state__in=[SlotState.HELD, SlotState.SKIPPED]))
    if count:
        record(round.project, by=by, verb="returned to the pool", subject=round.name, items=count, of=rater.user.email)
    return count


@transaction.atomic
def top_up(round: Round, votes: int, *, by: User | None) -> None:
    """Asks for more votes an item; items that were complete are open again until they have them."""
    round = lock_round(round)
    if round.votes_wanted is None:
        raise Refusal(f"In {round} everybody judges everything: let in one more annotator instead.")
    active = round.raters.active().count()
    if not round.votes_wanted < votes <= active:
        raise Invalid(
            f"votes: {round} asks for {round.votes_wanted}, and {active} annotators take part; "
            f"choose a number above the first and not above the second."
        )
    for wanted in range(round.votes_wanted + 1, votes + 1):
        add_slots(round, round.items.filter(wanted__lt=wanted))
    Round.objects.filter(pk=round.pk).update(votes_wanted=votes, returns=F("returns") + 1)
    record(round.project, by=by, verb="asked for more votes in", subject=round.name, votes=votes)


def add_slots(round: Round, items: QuerySet[RoundItem], **given: Any) -> None:
    """One slot more in each of the items: in the pool, or given to a rater."""
    rows = list(items.annotate(last=Max("assignments__slot")))
    for some in chunks(rows):
        RoundItem.objects.filter(pk__in=[row.pk for row in some]).update(wanted=F("wanted") + 1)
        Assignment.objects.bulk_create(
            Assignment(round=round, round_item=row, slot=row.last + 1, position=row.position, **given) for row in some
        )
    if rows:
        recount(round)


def chunks(rows: list[T]) -> Iterator[list[T]]:
    """Few enough for one statement."""
    return (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))


@transaction.atomic
def use_version(round: Round, version: ProtocolVersion, *, by: User | None) -> None:
    """From now on the round asks by this version; votes cast before keep theirs and are stale."""
    round = lock_round(round)
    if version.protocol_id != round.protocol.protocol_id:
        raise Invalid("protocol: a round stays with its protocol; only the version can change.")
    Round.objects.filter(pk=round.pk).update(protocol=version)
    record(round.project, by=by, verb="changed the protocol of", subject=round.name, version=version.number)


@transaction.atomic
def ask_again(round: Round, *, by: User | None) -> int:
    """Gives every stale vote back to its rater as an open item; the vote itself stays, as an earlier revision."""
    round = lock_round(round)
    stale = stale_assignments(round).filter(rater__left_at=None)
    count = Assignment.objects.filter(pk__in=stale.values("pk")).update(
        state=SlotState.HELD, vote=None, voted_at=None, held_at=None, lease_until=None
    )
    if count:
        recount(round)
        record(round.project, by=by, verb="asked again for stale votes in", subject=round.name, votes=count)
    return count


def stale_assignments(round: Round) -> AssignmentQuerySet:
    """Whose vote was cast under another version than the one in force."""
    return Assignment.objects.filter(round=round, state=SlotState.VOTED).exclude(vote__protocol=round.protocol_id)
