"""Who judges what: the raters and items of a round, the slots that are reserved, and the votes that were cast.

Foreign keys that begin another index have none of their own: three million votes pay for each.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NoReturn

from django.db import models
from django.db.models import Expression, F, Q
from django.utils import timezone

from labeling.annotation.protocols.models import KeyMap, Protocol, ProtocolVersion
from labeling.annotation.rounds.models import Handing, Order, Round, RoundState
from labeling.corpus.models import Item
from labeling.people.models import Role, User

__all__ = [
    "Assignment", "Draft", "Handing", "KeyMap", "Order", "Protocol", "ProtocolVersion", "Rater", "Round", "RoundItem",
    "RoundState", "Skip", "Vote",
]  # fmt: skip

LEASE = timedelta(hours=2)  # renewed by every sign of life of the page


class RaterQuerySet(models.QuerySet["Rater"]):
    def active(self) -> RaterQuerySet:
        return self.filter(left_at=None)

    def of(self, user: User | Expression) -> RaterQuerySet:
        """This person's places in rounds, as long as they are an annotator of the project."""
        project = "round__project__memberships"
        return self.filter(**{"user": user, f"{project}__user": user, f"{project}__role": Role.ANNOTATOR})

    def working(self, user: User | Expression) -> RaterQuerySet:
        return self.of(user).active().filter(round__project__archived_at=None)


class Rater(models.Model):
    """A person in a round. The row is locked by everything this person does in it, so one thing happens at a time."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="raters", db_index=False)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField()  # in the order of joining, from 1: part of the seed of their own order
    joined_at = models.DateTimeField(default=timezone.now)
    left_at = models.DateTimeField(null=True, blank=True)
    place = models.PositiveIntegerField(default=0)  # no free slot before this position is for them, …
    returns_seen = models.PositiveIntegerField(default=0)  # … as far as they have looked
    tally = models.JSONField(default=list)  # how many votes of theirs were the first, second, … on their item (ADR 8)
    completions = models.PositiveIntegerField(default=0)  # how many were the last
    repeats = models.PositiveIntegerField(default=0)
    skips = models.PositiveIntegerField(default=0)
    recent = models.JSONField(
        default=list
    )  # [when, active seconds] of their latest votes; in the last, a revised repeat
    seen_at = models.DateTimeField(null=True, blank=True)

    objects = RaterQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "user"], name="rater_once_per_round"),
            models.UniqueConstraint(fields=["round", "number"], name="rater_number_once_per_round"),
        ]

    def __str__(self) -> str:
        return str(self.user)

    @property
    def votes(self) -> int:
        return sum(self.tally)


class RoundItem(models.Model):
    """An item in a round: where it stands in the common order, and how many votes it wants and has."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="items", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="in_rounds")
    position = models.PositiveIntegerField()
    wanted = models.PositiveSmallIntegerField()
    votes = models.PositiveSmallIntegerField(default=0)
    gold = models.JSONField(null=True, blank=True)  # the answers that are known to be right; no rater is told
    routed_at = models.DateTimeField(null=True)  # when its outcome was derived; None: not since its votes changed
    revealed_at = models.DateTimeField(null=True)  # since when its voters can see each other's votes in a case

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["round", "item"], name="item_once_per_round"),
            models.UniqueConstraint(fields=["round", "position"], name="position_once_per_round"),
            models.CheckConstraint(condition=Q(votes__lte=F("wanted")), name="no_more_votes_than_wanted"),
        ]
        indexes = [  # for the lists of a monitor: each item is in one of them
            models.Index(fields=["round", "position"], condition=Q(votes=0), name="round_item_untouched"),
            models.Index(
                fields=["round", "position"], condition=Q(votes__gt=0, votes__lt=F("wanted")), name="round_item_started"
            ),
            models.Index(fields=["round", "position"], condition=Q(votes__gte=F("wanted")), name="round_item_complete"),
            models.Index(fields=["round", "id"], condition=Q(votes__gt=0, routed_at=None), name="round_item_unrouted"),
            models.Index(
                fields=["round", "id"],
                condition=Q(votes__gte=F("wanted"), routed_at=None),
                name="round_item_without_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.item_id} in round {self.round_id}"

    @property
    def is_complete(self) -> bool:
        """All wanted votes are in: the independent phase of this item is over."""
        return self.votes >= self.wanted


class SlotState(models.TextChoices):
    FREE = "free", "In the pool"
    HELD = "held", "Held"
    VOTED = "voted", "Voted"
    SKIPPED = "skipped", "Skipped"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def open(self) -> AssignmentQuerySet:
        return self.filter(state=SlotState.HELD)


class Assignment(models.Model):
    """A reserved slot of an item, or a hidden repeat, which takes no slot. In the pool it has no rater."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="assignments", db_index=False)
    round_item = models.ForeignKey(RoundItem, on_delete=models.PROTECT, related_name="assignments", db_index=False)
    slot = models.PositiveSmallIntegerField(null=True)
    repeat = models.PositiveSmallIntegerField(default=0)
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, null=True, related_name="assignments", db_index=False)
    state = models.CharField(max_length=10, choices=SlotState, default=SlotState.FREE)
    position = models.PositiveIntegerField()  # in the pool the common one, in a planned list the rater's own
    held_at = models.DateTimeField(null=True)  # when the rater first saw it
    lease_until = models.DateTimeField(null=True)  # None: planned for the rater, and waits for them
    vote = models.OneToOneField("Vote", on_delete=models.PROTECT, null=True, related_name="current_of")
    voted_at = models.DateTimeField(null=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round_item", "slot"], name="slot_once_per_item"),
            models.UniqueConstraint(fields=["round_item", "rater", "repeat"], name="rater_once_per_item"),
            models.CheckConstraint(condition=Q(state__in=SlotState.values), name="slot_state_is_known"),
            models.CheckConstraint(
                condition=Q(slot=None, repeat__gt=0) | Q(slot__isnull=False, repeat=0), name="slot_or_repeat"
            ),
            models.CheckConstraint(
                condition=Q(state="free", rater=None) | (~Q(state="free") & Q(rater__isnull=False)),
                name="free_has_no_rater",
            ),
            models.CheckConstraint(
                condition=Q(state="voted", vote__isnull=False, voted_at__isnull=False)
                | (~Q(state="voted") & Q(vote=None, voted_at=None)),
                name="voted_has_a_vote",
            ),
        ]
        indexes = [
            models.Index(fields=["round", "position"], condition=Q(state="free"), name="assignment_in_pool"),
            models.Index(fields=["rater", "position"], condition=Q(state="held"), name="assignment_held"),
            models.Index(
                fields=["rater", "held_at"], condition=Q(state="held", held_at__isnull=False), name="assignment_opened"
            ),
            models.Index(
                fields=["round", "lease_until"],
                condition=Q(state="held", lease_until__isnull=False),
                name="assignment_leased",
            ),
            models.Index(fields=["rater", "voted_at", "id"], condition=Q(state="voted"), name="assignment_voted"),
            models.Index(fields=["round", "position", "id"], condition=Q(state="skipped"), name="assignment_skipped"),
        ]

    def __str__(self) -> str:
        return f"slot {self.slot} of {self.round_item}"


class Unchanging(models.Model):
    """A row that says what a human did: added, and never changed or removed."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError(f"A {type(self).__name__.lower()} is never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"A {type(self).__name__.lower()} is never removed.")


class VoteQuerySet(models.QuerySet["Vote"]):
    def with_words(self) -> VoteQuerySet:
        return self.filter(~Q(note="") | ~Q(flag=""))


class Vote(Unchanging):
    """One judgement. A revision is a new vote of the same assignment; consensus never touches either."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="votes", db_index=False)
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="votes_cast", db_index=False)
    revision = models.PositiveSmallIntegerField(default=1)
    submission = models.UUIDField(unique=True)
    protocol = models.ForeignKey(ProtocolVersion, on_delete=models.PROTECT, related_name="votes")
    answers = models.JSONField()
    note = models.TextField(blank=True)
    flag = models.CharField(max_length=300, blank=True)  # why the item should be discussed
    picked = models.PositiveIntegerField(null=True)  # the comment that asked for it, from 0; None: the linked one
    cast_at = models.DateTimeField(default=timezone.now)
    wall_seconds = models.FloatField(null=True)
    active_seconds = models.FloatField(null=True)
    idle_seconds = models.FloatField(null=True)

    objects = VoteQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "revision"], name="revision_once_per_assignment"),
            models.CheckConstraint(
                condition=Q(wall_seconds=None) | Q(wall_seconds__gte=0, active_seconds__gte=0, idle_seconds__gte=0),
                name="vote_times_are_not_negative",
            ),
        ]
        indexes = [
            models.Index(fields=["rater", "-id"], condition=~Q(note="") | ~Q(flag=""), name="vote_with_words"),
            models.Index(fields=["rater", "-id"], condition=Q(picked__isnull=False), name="vote_with_a_pick"),
        ]

    def __str__(self) -> str:
        return f"vote {self.pk} on assignment {self.assignment_id}"


class Skip(Unchanging):
    """A rater passed over an item, and said why."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="skips")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="skipped")
    reason = models.CharField(max_length=300)
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"skip of assignment {self.assignment_id}"


class Draft(models.Model):
    """What a rater has typed and not yet sent. It outlives a lost lease: it belongs to the person and the item."""

    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="drafts", db_index=False)
    round_item = models.ForeignKey(RoundItem, on_delete=models.CASCADE, related_name="+", db_index=False)
    repeat = models.PositiveSmallIntegerField(default=0)
    content = models.JSONField(default=dict)
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rater", "round_item", "repeat"], name="draft_once")]

    def __str__(self) -> str:
        return f"draft of {self.rater} on {self.round_item}"
