"""What mining has seen of each pull request. A row is a unit of work, done once; its counts are the funnel."""

from __future__ import annotations

from django.db import models
from django.db.models import Count, Exists, OuterRef, Q, Sum
from django.utils import timezone

from labeling.corpus.models import Project
from labeling.jobs.models import Job, State


class Stage(models.TextChoices):
    WAITING = "waiting", "Waiting"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


FUNNEL = ["commits", "files", "renames", "linked", "items"]


class MinedChangeQuerySet(models.QuerySet["MinedChange"]):
    def waiting(self) -> MinedChangeQuerySet:
        return self.filter(stage=Stage.WAITING)

    def free(self) -> MinedChangeQuerySet:
        """Waiting, and nobody looks into them: a claim holds only while the run that made it holds its job."""
        living = Job.objects.filter(state=State.RUNNING, claim=OuterRef("claim"))
        return self.waiting().exclude(Exists(living))

    def funnel(self) -> dict[str, int]:
        """How many pull requests there were, and what was left after each sieve."""
        counts = self.order_by().aggregate(
            pull_requests=Count("pk"),
            with_naming_words=Count("pk", filter=Q(has_naming_words=True)),
            **{name: Sum(name, default=0) for name in FUNNEL},
        )
        return {name: int(value) for name, value in counts.items()}


class GitHubPause(models.Model):
    """Until when nobody may ask GitHub with a token, of which only a digest is kept."""

    who = models.CharField(max_length=64, unique=True)
    until = models.DateTimeField()
    reason = models.CharField(max_length=300)

    def __str__(self) -> str:
        return f"until {self.until:%H:%M:%S}: {self.reason}"


class MinedChange(models.Model):
    """One pull request of a repository: what its source told about it, and what was found in it."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="mined_changes")
    repository = models.CharField(max_length=200)
    number = models.PositiveIntegerField()
    record = models.JSONField()
    has_naming_words = models.BooleanField()
    stage = models.CharField(max_length=10, choices=Stage, default=Stage.WAITING)
    reason = models.CharField(max_length=500, blank=True)
    commits = models.PositiveIntegerField(default=0)
    files = models.PositiveIntegerField(default=0)
    renames = models.PositiveIntegerField(default=0)
    linked = models.PositiveIntegerField(default=0)
    items = models.PositiveIntegerField(default=0)
    claim = models.UUIDField(null=True)  # of the run (Job.claim) that looks into it
    read_at = models.DateTimeField(default=timezone.now)

    objects = MinedChangeQuerySet.as_manager()

    class Meta:
        ordering = ["repository", "number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "repository", "number"], name="mined_change_once_per_project"),
            models.CheckConstraint(condition=Q(stage__in=Stage.values), name="mined_change_stage_is_known"),
            models.CheckConstraint(
                condition=~Q(stage="failed") | ~Q(reason=""), name="mined_change_failed_has_a_reason"
            ),
        ]
        indexes = [models.Index(fields=["project", "stage", "repository", "number"], name="mined_change_by_stage")]

    def __str__(self) -> str:
        return f"{self.repository}#{self.number}"
