"""What was released, what was found on the way there, and who is who behind the pseudonyms."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.corpus.models import Project
from labeling.jobs.models import Job
from labeling.people.models import User

FROZEN_IS_FROZEN = "A frozen release is never changed or removed: a mistake makes a new one."


class ReleaseState(models.TextChoices):
    MAKING = "making", "Being made"
    FROZEN = "frozen", "Frozen"


class ReleaseQuerySet(models.QuerySet["Release"]):
    def frozen(self) -> ReleaseQuerySet:
        return self.filter(state=ReleaseState.FROZEN)

    def update(self, **kwargs: Any) -> int:
        self.require_unfrozen()
        return super().update(**kwargs)

    def delete(self) -> tuple[int, dict[str, int]]:
        self.require_unfrozen()
        return super().delete()

    def require_unfrozen(self) -> None:
        if self.frozen().exists():
            raise TypeError(FROZEN_IS_FROZEN)


class Release(models.Model):
    """A numbered benchmark. Until it is frozen it is an attempt; from then on it stays as it is."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases", db_index=False)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    notes = models.TextField(blank=True)
    authors = models.TextField(blank=True)  # one a line, as they want to be cited
    licence = models.CharField(max_length=60, blank=True)
    rounds = models.JSONField()  # by id, oldest first
    filters = models.JSONField(default=dict)  # question -> the options of which a final answer has one
    state = models.CharField(max_length=8, choices=ReleaseState, default=ReleaseState.MAKING)
    job = models.ForeignKey(Job, on_delete=models.PROTECT, null=True, related_name="+")
    manifest = models.JSONField(default=dict)
    statistics = models.JSONField(default=dict)
    changes = models.JSONField(default=dict)
    digest = models.CharField(max_length=64, blank=True)  # SHA-256 of manifest.json, which has those of all files
    archive = models.FileField(upload_to="releases", blank=True)
    made_at = models.DateTimeField(default=timezone.now)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="release_number_once_per_project"),
            models.UniqueConstraint(fields=["project"], condition=Q(state="making"), name="release_one_at_a_time"),
            models.CheckConstraint(condition=Q(state__in=ReleaseState.values), name="release_state_is_known"),
            models.CheckConstraint(
                condition=Q(state="making", digest="") | (Q(state="frozen") & ~Q(digest="") & ~Q(archive="")),
                name="release_frozen_has_an_archive",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}, release {self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            Release.objects.filter(pk=self.pk).require_unfrozen()
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        Release.objects.filter(pk=self.pk).require_unfrozen()
        return super().delete(*args, **kwargs)

    @property
    def is_frozen(self) -> bool:
        return self.state == ReleaseState.FROZEN

    @property
    def is_being_made(self) -> bool:
        return not self.is_frozen and self.job is not None and self.job.is_active

    @property
    def file_name(self) -> str:
        return f"{self.project.slug}-release-{self.number}.zip"


class Guard(models.TextChoices):
    OPEN = "open", "Items without a final answer"
    DUPLICATE = "duplicate", "Items that show the same"
    NEAR_DUPLICATE = "near_duplicate", "Same body under other names"
    FORK = "fork", "Same change in two repositories"
    TYPO = "typo", "Renames that may only mend a typo"
    NAME_IN_BODY = "name_in_body", "Names that still occur in the body"
    PERSONAL = "personal", "Addresses of members in an item"


class Waiver(models.Model):
    """What a coordinator answers to a finding: the item stays, or it is left out of the benchmark; and why."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="waivers", db_index=False)
    guard = models.CharField(max_length=20, choices=Guard)
    item = models.CharField(max_length=200)  # its key
    leave_out = models.BooleanField(default=False)
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["guard", "item"]
        constraints = [
            models.UniqueConstraint(fields=["project", "guard", "item"], name="waiver_once_per_finding"),
            models.CheckConstraint(condition=Q(guard__in=Guard.values), name="waiver_guard_is_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="waiver_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.item}: {self.reason}"


class Pseudonym(models.Model):
    """Under which number a person appears in the releases of a project: drawn once, and the same in all of them."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="pseudonyms", db_index=False)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="pseudonym_once_per_person"),
            models.UniqueConstraint(fields=["project", "number"], name="pseudonym_number_once"),
        ]

    def __str__(self) -> str:
        return f"R{self.number}"


class Forerunner(models.Model):
    """The release that a project was imported from. As long as nothing changed, its first release is that one."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="forerunner", primary_key=True)
    number = models.PositiveIntegerField()
    manifest = models.JSONField()
    changes = models.JSONField()
    archive = models.FileField(upload_to="releases")

    def __str__(self) -> str:
        return f"forerunner of {self.project}"
