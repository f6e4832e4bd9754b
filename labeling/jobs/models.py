"""Long work. A Job's row is the truth about it; Celery only rings the doorbell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Count, F, Q
from django.utils import timezone


class State(models.TextChoices):
    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Running"
    FINISHED = "finished", "Finished"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


ACTIVE = [State.QUEUED, State.RUNNING]


class JobQuerySet(models.QuerySet["Job"]):
    def active(self) -> JobQuerySet:
        return self.filter(state__in=ACTIVE)

    def asked_for(self) -> JobQuerySet:
        """Those that somebody started, without the helpers that a job called for itself."""
        return self.filter(arguments__parent__isnull=True)

    def helping(self, jobs: Iterable[Job]) -> JobQuerySet:
        """The helpers that these called, oldest first."""
        return self.filter(arguments__parent__in=[job.pk for job in jobs]).order_by("pk")

    def unheard(self) -> JobQuerySet:
        """Waiting for longer than a lease since the last ring: the message may be lost."""
        return self.filter(state=State.QUEUED, rung_at__lt=lease_start())

    def abandoned(self) -> JobQuerySet:
        """Running, but the worker has not been heard of for a lease: it was killed or cut off."""
        return self.filter(state=State.RUNNING, heartbeat_at__lt=lease_start())

    def count_by_state(self) -> Iterator[tuple[str, str, int]]:
        rows = self.order_by().values_list("kind", "state").annotate(count=Count("pk"))
        return ((kind, state, count) for kind, state, count in rows)


def lease_start() -> datetime:
    return timezone.now() - timedelta(seconds=settings.JOB_LEASE_SECONDS)


class Job(models.Model):
    """One piece of long work: what is to be done, how far it is, and how it ended."""

    project = models.ForeignKey("labeling.Project", on_delete=models.PROTECT, related_name="jobs")
    kind = models.CharField(max_length=50)
    title = models.CharField(max_length=200)
    arguments = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(null=True)
    message = models.CharField(max_length=300, blank=True)
    error = models.TextField(blank=True)
    result = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    rung_at = models.DateTimeField(default=timezone.now)
    claim = models.UUIDField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(fields=["project", "-created_at", "-id"], name="job_newest_first"),
            models.Index(fields=["state"], name="job_active", condition=Q(state__in=["queued", "running"])),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=State.values), name="job_state_is_known"),
            models.CheckConstraint(
                condition=Q(state="running", claim__isnull=False, heartbeat_at__isnull=False)
                | (~Q(state="running") & Q(claim=None)),
                name="job_running_has_a_claim",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running"], ended_at=None)
                | Q(state__in=["finished", "failed", "cancelled"], ended_at__isnull=False),
                name="job_ended_has_a_time",
            ),
            models.CheckConstraint(condition=Q(total=None) | Q(done__lte=F("total")), name="job_done_within_total"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE

    @property
    def can_retry(self) -> bool:
        return self.state in {State.FAILED, State.CANCELLED}

    @property
    def percent(self) -> int | None:
        """Whole per cent done; nothing when the total is not known yet."""
        return 100 * self.done // self.total if self.total else None
