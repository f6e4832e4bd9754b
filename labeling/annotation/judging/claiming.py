"""Which item a rater gets next. A claim is one short transaction under the rater's own lock; slots of others are
skipped while they are locked, so nobody waits for anybody."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from random import Random

from django.db import transaction
from django.db.models import BigIntegerField, Exists, Expression, F, IntegerField, OuterRef, Subquery
from django.db.models.functions import Cast
from django.utils import timezone

from labeling.annotation.models import (
    LEASE,
    Assignment,
    AssignmentQuerySet,
    Handing,
    Rater,
    Round,
    RoundItem,
    RoundState,
    Skip,
    SlotState,
    Vote,
)
from labeling.people.models import User
from labeling.statements import Given, Statement, update, writing_along

# A rater walks the common order in windows and meets each window in an order of their own (ADR 9).
WINDOW = 50
PRIME = 1_000_003
MOST_OPEN = 2  # the item on the screen and the one that is fetched ahead
WORTH_NOTING = timedelta(minutes=1)
LAST = 2**31 - 1
Number = int | Expression

# What a claim looks at of a round and of a rater.
DESIGN = [
    *("project", "name", "state", "handing", "votes_wanted", "seed", "repeat_every", "repeat_distance", "returns"),
    *("protocol__number", "protocol__created_at"),
]
STANDING = ["round", "user", "number", "place", "returns_seen", "tally", "repeats", "skips", "seen_at"]
WORKING = Statement(
    lambda: (
        Rater.objects.working(Given("user"))
        .filter(round__project__slug=Given("slug"), round__state=RoundState.OPEN)
        .filter(round__gte=Given("first"), round__lte=Given("last"))
        .only(*STANDING)
        .order_by("round_id")
        .select_for_update(of=("self",))[:1]
    )
)
ROUND = Statement(
    lambda: (
        Round.objects.select_related("protocol")
        .annotate(has_planned=Exists(planned_for(Given("rater"))))
        .only(*DESIGN)
        .filter(pk=Given("pk"))
        .order_by()
    )
)
# What whoever gets an item will show of it.
SHOWN = ["kind", "group", "title", "payload"]
PLACE = Statement(
    lambda: (
        RoundItem.objects.select_related("item")
        .only("item", *(f"item__{name}" for name in SHOWN))
        .filter(pk=Given("pk"))
        .order_by()
    )
)
OPENED = Statement(lambda: opened_by(Given("rater")).order_by("held_at").select_for_update()[: MOST_OPEN + 1])
PLANNED = Statement(lambda: planned_for(Given("rater")).order_by("position")[:1])
# Each twice: for those who have skipped nothing, and for those who have.
IN_WINDOW = [Statement(lambda: window(has_skips=False)), Statement(lambda: window(has_skips=True))]
AHEAD = [Statement(lambda: first_ahead(has_skips=False)), Statement(lambda: first_ahead(has_skips=True))]


@transaction.atomic
def next_assignment(user: User, round: Round, *, holding: Collection[int] = ()) -> Assignment | None:
    """What the rater should judge now, other than what they hold already; None when nothing is left for them."""
    rater = Rater.objects.working(user).filter(round=round).select_for_update(of=("self",)).first()
    if rater is None:
        return None
    round.refresh_from_db(fields=["state", "returns"])  # under the lock: a round is closed by taking all of them
    return claim(rater, round, holding=holding, has_planned=planned_for(rater).exists())


def planned_for(rater: Rater | Expression) -> AssignmentQuerySet:
    """What the rater was given beforehand and has not opened yet."""
    return Assignment.objects.open().filter(rater=rater, held_at=None)


def opened_by(rater: Expression) -> AssignmentQuerySet:
    """What the rater has before them."""
    return Assignment.objects.open().filter(rater=rater, held_at__isnull=False)


def next_in_project(
    user: User, slug: str, *, round_id: int | None = None, holding: Collection[int] = ()
) -> tuple[Round, Assignment] | None:
    """The same in the first open round of the project, or in the one named, that has something left for the rater."""
    first, last = (1, LAST) if round_id is None else (round_id, round_id)
    while True:
        with writing_along():
            rater = WORKING.first(user=user.pk, slug=slug, first=first, last=last)
            # Under the lock, as in `next_assignment`.
            round = ROUND.first(pk=rater.round_id, rater=rater.pk) if rater else None
            if rater is None or round is None:
                return None
            if found := claim(rater, round, holding=holding, has_planned=vars(round)["has_planned"]):
                return round, found
        first = round.pk + 1


def claim(
    rater: Rater, round: Round, *, holding: Collection[int], has_planned: bool, has_opened: bool = True
) -> Assignment | None:
    """Under the rater's lock, with the round as it is since, whether anything of it is planned for the rater, and
    whether they may have opened anything: who knows that they have not need not ask."""
    if not round.is_open:
        return None
    now = timezone.now()
    # Locked, for a slot whose lease ran out may be on its way to somebody else.
    mine = OPENED.all(rater=rater.pk) if has_opened else []
    waiting = [assignment for assignment in mine if assignment.pk not in holding]
    if waiting or len(mine) >= MOST_OPEN:
        return hold(waiting[0], rater, now) if waiting else None
    before = (rater.place, rater.returns_seen)
    found = due_repeat(rater, round) or planned_or_claimed(rater, round, has_planned=has_planned)
    if before != (rater.place, rater.returns_seen) or rater.seen_at is None or now - rater.seen_at > WORTH_NOTING:
        rater.seen_at = now
        update(rater, "place", "returns_seen", "seen_at")
    return hold(found, rater, now) if found else None


def hold(assignment: Assignment, rater: Rater, now: datetime) -> Assignment:
    """Gives the slot to the rater with its item, or renews their hold on it."""
    was_planned = assignment.rater_id == rater.pk and assignment.lease_until is None
    assignment.rater, assignment.state = rater, SlotState.HELD
    assignment.held_at = assignment.held_at or now
    assignment.lease_until = None if was_planned else now + LEASE
    update(assignment, "rater", "state", "held_at", "lease_until")
    (assignment.round_item,) = PLACE.all(pk=assignment.round_item_id)
    return assignment


def renew_lease(assignment: Assignment) -> None:
    """A sign of life: the rater still has the item before them."""
    leased = Assignment.objects.open().filter(pk=assignment.pk, rater=assignment.rater, lease_until__isnull=False)
    leased.update(lease_until=timezone.now() + LEASE)


def planned_or_claimed(rater: Rater, round: Round, *, has_planned: bool) -> Assignment | None:
    planned = PLANNED.first(rater=rater.pk) if has_planned else None
    if planned and round.handing == Handing.PLANNED:
        return planned
    free = free_slot(rater, round)
    if planned and (free is None or planned.position <= free.position):
        return planned
    return free


def free_slot(rater: Rater, round: Round) -> Assignment | None:
    """A slot of the pool; when it is empty, one whose lease ran out; at last one that somebody else skipped."""
    if rater.returns_seen != round.returns:
        rater.place, rater.returns_seen = 0, round.returns
    found = slot_ahead(rater, round)
    if found is None and release_expired(round):
        rater.place, rater.returns_seen = 0, round.returns
        found = slot_ahead(rater, round)
    return found or skipped_slot(rater, round)


def slot_ahead(rater: Rater, round: Round) -> Assignment | None:
    """A free slot in the window where the rater is, else in the next window that has one for them."""
    if found := slot_in_window(rater, round, rater.place):
        return found
    ahead = position_ahead(rater, round, rater.place)
    if ahead is not None:  # otherwise the place stays: what others hold now may come back
        rater.place = ahead - ahead % WINDOW
    # A window may be full of slots that others are claiming this very moment: the search passes it, the place does not.
    while ahead is not None:
        window = ahead - ahead % WINDOW
        if found := slot_in_window(rater, round, window):
            return found
        ahead = position_ahead(rater, round, window + WINDOW)
    return None


def slot_in_window(rater: Rater, round: Round, start: int) -> Assignment | None:
    """The same positions for everybody, scattered by a hash whose constants are the rater's own."""
    rng = Random(f"{round.seed}:rater:{rater.number}")  # noqa: S311 (a design, not a secret)
    mine = {"shift": rng.randrange(PRIME), "factor": rng.randrange(1, PRIME)}
    return IN_WINDOW[bool(rater.skips)].first(round=round.pk, rater=rater.pk, start=start, end=start + WINDOW, **mine)


def window(*, has_skips: bool) -> AssignmentQuerySet:
    free = free_slots(Given("round"), Given("rater"), has_skips=has_skips)
    shifted = Cast("position", BigIntegerField()) + Given("shift", IntegerField())
    scattered = shifted * shifted % PRIME * Given("factor", IntegerField()) % PRIME
    within = free.filter(position__gte=Given("start"), position__lt=Given("end"))
    return within.order_by(scattered, "position", "slot").select_for_update(skip_locked=True)[:1]


def position_ahead(rater: Rater, round: Round, start: int) -> int | None:
    found = AHEAD[bool(rater.skips)].first(round=round.pk, rater=rater.pk, start=start)
    return found.position if found else None


def first_ahead(*, has_skips: bool) -> AssignmentQuerySet:
    free = free_slots(Given("round"), Given("rater"), has_skips=has_skips)
    return free.filter(position__gte=Given("start")).only("position").order_by("position")[:1]


def free_slots(round: Number, rater: Number, *, has_skips: bool) -> AssignmentQuerySet:
    return not_met_by(rater, Assignment.objects.filter(round=round, state=SlotState.FREE), has_skips=has_skips)


def skipped_slot(rater: Rater, round: Round) -> Assignment | None:
    """What one person passed over, another may judge; where everybody has a slot of their own, nobody takes it."""
    if round.votes_wanted is None:
        return None
    others = Assignment.objects.filter(round=round, state=SlotState.SKIPPED, repeat=0, rater__left_at=None)
    slots = not_met_by(rater.pk, others.exclude(rater=rater), has_skips=bool(rater.skips)).order_by("position", "pk")
    return slots.select_for_update(of=("self",), skip_locked=True).first()


def not_met_by(rater: Number, slots: AssignmentQuerySet, *, has_skips: bool) -> AssignmentQuerySet:
    """Slots of items that the rater neither has nor had, nor passed over. Asked for a value that is missing, PostgreSQL
    looks it up; asked whether a row exists, it first weighs ways to join, which takes longer than the lookup."""
    mine = Assignment.objects.filter(round_item=OuterRef("round_item"), rater=rater).values("pk")
    slots = slots.alias(mine=Subquery(mine[:1])).filter(mine=None)
    if not has_skips:
        return slots
    return slots.filter(~Exists(Skip.objects.filter(rater=rater, assignment__round_item=OuterRef("round_item"))))


def release_expired(round: Round) -> int:
    """Puts back into the pool what was held longer than its lease; a draft stays with its writer."""
    expired = Assignment.objects.open().filter(round=round, lease_until__lt=timezone.now())
    locked = list(expired.select_for_update(skip_locked=True).values_list("pk", flat=True))
    return return_to_pool(round, Assignment.objects.filter(pk__in=locked)) if locked else 0


def return_to_pool(round: Round, slots: AssignmentQuerySet) -> int:
    """Frees slots that nobody voted in, and lets those who were past them look again."""
    common = Assignment.objects.filter(pk=OuterRef("pk")).values("round_item__position")
    count = slots.filter(vote=None, repeat=0).update(
        rater=None, state=SlotState.FREE, held_at=None, lease_until=None, position=common[:1]
    )
    if count:
        Round.objects.filter(pk=round.pk).update(returns=F("returns") + 1)
        round.returns += 1
    return count


def due_repeat(rater: Rater, round: Round) -> Assignment | None:
    """Every so many votes, an item that the rater judged at least `repeat_distance` votes ago comes again."""
    if not round.repeat_every or rater.votes // round.repeat_every <= rater.repeats:
        return None
    judged = rater.assignments.filter(state=SlotState.VOTED, repeat=0)
    again = rater.assignments.filter(round_item=OuterRef("round_item"), repeat__gt=0)
    far = judged.order_by("-voted_at", "-pk")[round.repeat_distance : round.repeat_distance + WINDOW]
    eligible = list(judged.filter(pk__in=list(far.values_list("pk", flat=True))).filter(~Exists(again)).order_by("pk"))
    if not eligible:
        return None
    rng = Random(f"{round.seed}:repeat:{rater.number}:{rater.votes}")  # noqa: S311 (a design, not a secret)
    chosen = rng.choice(eligible)
    Rater.objects.filter(pk=rater.pk).update(repeats=F("repeats") + 1)
    return Assignment.objects.create(
        round=round, round_item_id=chosen.round_item_id, repeat=1, rater=rater, state=SlotState.HELD, position=0
    )


def last_vote_before(rater: Rater, assignment: Assignment | None) -> Vote | None:
    """The vote that the rater cast before this one, for going back."""
    voted = rater.assignments.filter(state=SlotState.VOTED).order_by("-voted_at", "-pk")
    if assignment is not None and assignment.voted_at:
        voted = voted.filter(voted_at__lt=assignment.voted_at)
    found = voted.select_related("vote").first()
    return found.vote if found else None
