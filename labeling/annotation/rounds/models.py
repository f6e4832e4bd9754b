"""A round and its design."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.annotation.protocols.models import ProtocolVersion
from labeling.corpus.models import Project
from labeling.people.models import User


class RoundState(models.TextChoices):
    PLANNING = "planning", "Being planned"
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


class Handing(models.TextChoices):
    PLANNED = "planned", "Planned beforehand"
    CLAIMED = "claimed", "Claimed on demand"


class Order(models.TextChoices):
    SHUFFLED = "shuffled", "Shuffled"
    STRATIFIED = "stratified", "Spread evenly over the groups"


class RoundQuerySet(models.QuerySet["Round"]):
    def open_for(self, user: User) -> RoundQuerySet:
        return self.filter(state=RoundState.OPEN, raters__user=user, raters__left_at=None).order_by("pk")


class Round(models.Model):
    """One pass of some people over some items under one protocol. Its design and its seed make its plan."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rounds")
    name = models.CharField(max_length=120)
    protocol = models.ForeignKey(ProtocolVersion, on_delete=models.PROTECT, related_name="rounds")
    state = models.CharField(max_length=10, choices=RoundState, default=RoundState.PLANNING)
    handing = models.CharField(max_length=10, choices=Handing, default=Handing.CLAIMED)
    order = models.CharField(max_length=10, choices=Order, default=Order.SHUFFLED)
    votes_wanted = models.PositiveSmallIntegerField(null=True, blank=True)  # None: everybody judges everything
    seed = models.BigIntegerField()
    calibration = models.PositiveIntegerField(default=0)
    repeat_every = models.PositiveIntegerField(default=0)
    repeat_distance = models.PositiveIntegerField(default=20)
    selection = models.JSONField(default=dict)  # which items: as `rounds/choosing.py` reads it
    returns = models.PositiveIntegerField(default=0)  # slots that came back: whoever was past them looks again
    item_count = models.PositiveIntegerField(default=0)  # the size of the plan; changes only with it (ADR 8)
    votes_due = models.PositiveBigIntegerField(default=0)  # the votes that all its items together want
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = RoundQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="round_name_once_per_project"),
            models.CheckConstraint(condition=Q(state__in=RoundState.values), name="round_state_is_known"),
            models.CheckConstraint(condition=Q(handing__in=Handing.values), name="round_handing_is_known"),
            models.CheckConstraint(condition=Q(order__in=Order.values), name="round_order_is_known"),
            models.CheckConstraint(condition=~Q(votes_wanted=0), name="round_wants_a_vote"),
            models.CheckConstraint(
                condition=Q(state="closed", closed_at__isnull=False) | (~Q(state="closed") & Q(closed_at=None)),
                name="round_closed_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        return self.state == RoundState.OPEN
