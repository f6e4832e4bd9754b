"""Changing a round while people work in it. No vote is ever touched; locks are taken rater by rater, in their order,
so that nobody's vote is half-way through."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Exists, F, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from labeling.annotation.judging.claiming import return_to_pool
from labeling.annotation.models import (
    Assignment,
    AssignmentQuerySet,
    Handing,
    ProtocolVersion,
    Rater,
    Round,
    RoundItem,
    RoundState,
    SlotState,
    Vote,
)
from labeling.annotation.protocols.models import held_version
from labeling.annotation.rounds.counting import recount
from labeling.annotation.rounds.planning import BATCH, SLOT_COLUMNS, own_order, require_annotators
from labeling.annotation.rounds.storing import insert_rows
from labeling.corpus.models import Project
from labeling.people.access import require_current
from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal


def lock_round(round: Round) -> Round:
    """Waits until nothing is under way in the round; to be called in a transaction."""
    # One change at a time: a rater who is being let in would otherwise escape the locks of the next change.
    require_current(Project.objects.select_for_update(no_key=True).get(pk=round.project_id))
    list(Rater.objects.select_for_update().filter(round=round).order_by("pk"))
    chain = ("project", "protocol__protocol")
    locked = Round.objects.select_for_update(of=("self",)).select_related(*chain).get(pk=round.pk)
    if locked.state == RoundState.PLANNING:
        raise Refusal(f"{locked} is still being planned.")
    return locked


def lock_open_round(round: Round) -> Round:
    locked = lock_round(round)
    if not locked.is_open:
        raise Refusal(f"{locked} is closed. Open it again first.")
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
    round = lock_open_round(round)
    require_annotators(round.project, [user])
    last = round.raters.aggregate(last=Max("number"))["last"] or 0
    rater, is_new = Rater.objects.get_or_create(round=round, user=user, defaults={"number": last + 1})
    if not is_new and rater.left_at is None:
        raise Refusal(f"{user} takes part in {round} already.")
    Rater.objects.filter(pk=rater.pk).update(left_at=None, place=0)
    rater.left_at = None
    give_common_items(round, rater)
    record(round.project, by=by, verb="let an annotator into the round", subject=f"{round.name}: {user.email}")
    return rater


def common_items(round: Round) -> QuerySet[RoundItem]:
    """What everybody judges."""
    if round.votes_wanted is None:
        return round.items.all()
    return round.items.filter(Q(position__lt=round.calibration) | Q(gold__isnull=False))


def slots_of(rater: Rater) -> AssignmentQuerySet:
    """Theirs in the item of the outer query."""
    return Assignment.objects.filter(round_item=OuterRef("pk"), rater=rater, repeat=0)


def give_common_items(round: Round, rater: Rater) -> None:
    """What everybody judges waits for this rater too: in the slots they left behind, else in new ones."""
    common = common_items(round)
    waiting = common.filter(Exists(slots_of(rater).filter(vote=None)))
    RoundItem.objects.filter(pk__in=waiting.values("pk")).update(wanted=F("wanted") + 1)
    missing = common.filter(~Exists(slots_of(rater)))
    if round.handing == Handing.CLAIMED and round.votes_wanted is None:
        add_slots(round, missing)
    else:
        add_slots(round, missing, rater=rater)
    recount(round)


@transaction.atomic
def remove_rater(round: Round, rater: Rater, *, by: User | None) -> None:
    """The person gets nothing more in this round; what they voted stays, what they hold goes back."""
    round = lock_open_round(round)
    rater = Rater.objects.select_related("user").get(pk=rater.pk)
    if rater.left_at:
        return
    if not round.raters.active().exclude(pk=rater.pk).exists():
        raise Refusal(f"{rater} is the last annotator of {round}. Close the round instead.")
    Rater.objects.filter(pk=rater.pk).update(left_at=timezone.now())
    restore_votes(rater)
    give_up_common_items(round, rater)
    kept = common_items(round).values("pk")
    return_to_pool(round, unanswered(rater).exclude(round_item__in=kept))
    recount(round)
    record(round.project, by=by, verb="took an annotator out of the round", subject=f"{round.name}: {rater.user.email}")


def unanswered(rater: Rater) -> AssignmentQuerySet:
    return rater.assignments.filter(state__in=[SlotState.HELD, SlotState.SKIPPED], repeat=0)


def give_up_common_items(round: Round, rater: Rater) -> None:
    """What everybody judges no longer waits for this rater. Their slots stay theirs, should they come back."""
    common = common_items(round)
    unmet = common.filter(~Exists(slots_of(rater)))
    free = Assignment.objects.filter(round=round, state=SlotState.FREE, round_item__in=unmet)
    one_each = free.order_by().values("round_item").annotate(one=Min("pk")).values("one")
    Assignment.objects.filter(pk__in=one_each).update(rater=rater, state=SlotState.HELD)
    waiting = unanswered(rater).filter(round_item__in=common)
    waiting.update(held_at=None, lease_until=None)
    RoundItem.objects.filter(pk__in=waiting.values("round_item")).update(wanted=F("wanted") - 1)


def restore_votes(rater: Rater) -> int:
    """A vote that was asked for again and not given again stands as it was."""
    earlier = Vote.objects.filter(assignment=OuterRef("pk"), rater=rater).order_by("-revision")
    asked = rater.assignments.filter(Exists(earlier), vote=None)
    return asked.update(
        state=SlotState.VOTED,
        vote=Subquery(earlier.values("pk")[:1]),
        voted_at=Subquery(earlier.values("cast_at")[:1]),
        lease_until=None,
    )


@transaction.atomic
def return_open_items(round: Round, rater: Rater, *, by: User | None) -> int:
    """Puts back into the pool what an absent annotator holds or skipped and has not voted on."""
    round = lock_open_round(round)
    rater = Rater.objects.select_related("user").get(pk=rater.pk)
    if restore_votes(rater):
        recount(round)
    # What everybody judges stays: there is nobody else whom it could go to.
    others = unanswered(rater).exclude(round_item__in=common_items(round).values("pk"))
    count = return_to_pool(round, others) if rater.left_at is None else 0
    if count:
        record(
            round.project,
            by=by,
            verb="returned to the pool the items of",
            subject=f"{rater.user.email} in {round.name}",
            items=count,
        )
    return count


@transaction.atomic
def top_up(round: Round, votes: int, *, by: User | None) -> None:
    """Asks for more votes an item; items that were complete are open again until they have them."""
    round = lock_open_round(round)
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
    recount(round)
    record(round.project, by=by, verb="asked for more votes in", subject=round.name, votes=votes)


def add_slots(round: Round, items: QuerySet[RoundItem], *, rater: Rater | None = None) -> None:
    """One slot more in each of the items: in the pool, or at its place in the rater's own order."""
    places = {}
    if rater and round.handing == Handing.PLANNED:
        positions = list(items.order_by("position").values_list("position", flat=True))
        places = {position: place for place, position in enumerate(own_order(round, rater.number, positions))}
    given = (rater.pk, SlotState.HELD.value) if rater else (None, SlotState.FREE.value)
    for start in range(0, round.item_count, BATCH):
        some = items.filter(position__gte=start, position__lt=start + BATCH).annotate(last=Max("assignments__slot"))
        rows = list(some.values_list("pk", "position", "last"))
        slots = [(round.pk, pk, last + 1, 0, *given, places.get(position, position)) for pk, position, last in rows]
        insert_rows(Assignment, SLOT_COLUMNS, slots)
        RoundItem.objects.filter(pk__in=[pk for pk, _, _ in rows]).update(wanted=F("wanted") + 1)


@transaction.atomic
def use_version(round: Round, version: ProtocolVersion, *, by: User | None) -> None:
    """From now on the round asks by this version; votes cast before keep theirs and are stale."""
    round = lock_round(round)
    if version.protocol_id != round.protocol.protocol_id:
        raise Invalid("protocol: a round stays with its protocol; only the version can change.")
    held_version(version.pk)  # as in `create_round`
    Round.objects.filter(pk=round.pk).update(protocol=version)
    round.items.exclude(routed_at=None).update(routed_at=None)  # what its questions are, an outcome depends on
    record(round.project, by=by, verb="changed the protocol of", subject=round.name, version=version.number)


@transaction.atomic
def ask_again(round: Round, *, by: User | None) -> int:
    """Gives every stale vote back to its rater as an open item; the vote itself stays, as an earlier revision."""
    round = lock_open_round(round)
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
    # By name, not by exclusion: among millions of votes an index finds the few of another version.
    versions = ProtocolVersion.objects.filter(protocol__versions=round.protocol_id).exclude(pk=round.protocol_id)
    others = list(versions.values_list("pk", flat=True))
    return Assignment.objects.filter(round=round, state=SlotState.VOTED, vote__protocol__in=others)
