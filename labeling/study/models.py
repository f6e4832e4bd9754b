"""The questionnaire: its material, texts and sheets; what participants answered is in `taking/models.py`. Where a name
came from is not here, and nothing here leads there: see `origins.py`."""

from __future__ import annotations

import secrets
from secrets import randbits

from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.corpus.models import Project
from labeling.people.models import User


def new_seed() -> int:
    return randbits(31)


def new_code() -> str:
    """A word for an address or a form field: nothing can be told from it."""
    return secrets.token_urlsafe(12)


class Stage(models.TextChoices):
    PILOT = "pilot", "Pilot"
    MAIN = "main", "Study"


class Study(models.Model):
    """One questionnaire over some methods and their names. Its state is told by its times, which only go forward."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="studies")
    name = models.CharField(max_length=120)
    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)  # in addresses
    seed = models.BigIntegerField(default=new_seed)
    design = models.JSONField(default=dict)  # as `designing.Design` reads it
    source = models.JSONField(default=dict)  # where the material came from, with digests; never the name of an origin
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    piloted_at = models.DateTimeField(null=True, blank=True)  # since when the pilot takes participants
    frozen_at = models.DateTimeField(null=True, blank=True)
    frozen_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    digest = models.CharField(max_length=64, blank=True)  # over `origins.FrozenPlan`
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    unblinded_at = models.DateTimeField(null=True, blank=True)
    unblinded_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "studies"
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="study_name_once_per_project"),
            models.CheckConstraint(condition=Q(opened_at=None) | ~Q(digest=""), name="study_opens_frozen"),
            models.CheckConstraint(
                condition=Q(frozen_at=None, digest="") | (Q(frozen_at__isnull=False) & ~Q(digest="")),
                name="study_frozen_has_a_digest",
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None) | Q(opened_at__isnull=False), name="study_closes_after_opening"
            ),
            models.CheckConstraint(
                condition=Q(unblinded_at=None, unblinded_by=None)
                | Q(unblinded_at__isnull=False, unblinded_by__isnull=False, closed_at__isnull=False),
                name="study_unblinds_closed",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def state(self) -> str:
        if self.unblinded_at:
            return "unblinded"
        if self.closed_at:
            return "closed"
        if self.opened_at:
            return "open"
        return "frozen" if self.frozen_at else "piloting" if self.piloted_at else "draft"

    @property
    def is_frozen(self) -> bool:
        return self.frozen_at is not None


class StudyText(models.Model):
    """The words that participants read and the background form, in versions. Consent is to one of them."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="texts", db_index=False)
    version = models.PositiveSmallIntegerField(default=1)
    content = models.JSONField()  # as `texts.Texts` reads it
    written_at = models.DateTimeField(default=timezone.now)
    written_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["study", "version"]
        constraints = [models.UniqueConstraint(fields=["study", "version"], name="study_text_once_per_version")]

    def __str__(self) -> str:
        return f"texts {self.version} of {self.study}"


class Deviation(models.Model):
    """Something that was done after the freeze and not as it was frozen, in words."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="deviations")
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    what = models.TextField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.what[:80]


class Method(models.Model):
    """A method body that names are judged against."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="methods", db_index=False)
    key = models.CharField(max_length=200)  # of the item it came from
    group = models.CharField(max_length=200, blank=True)
    given = models.TextField()  # the body as it came
    shown = models.TextField()  # the body as it is shown: names that give themselves away are masked
    in_sample = models.BooleanField(default=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="method_once_per_study")]

    def __str__(self) -> str:
        return self.key


class Name(models.Model):
    """A distinct name of a method: judged once, whether one technique gave it or several did."""

    method = models.ForeignKey(Method, on_delete=models.CASCADE, related_name="names", db_index=False)
    given = models.CharField(max_length=300)
    shown = models.CharField(max_length=300)
    attention = models.CharField(max_length=3, blank=True)  # of an attention check: the answer it should get

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["method", "shown"], name="name_once_per_method")]

    def __str__(self) -> str:
        return self.shown


class Ruling(models.Model):
    """What the coordinator did about a leak that was found: masked, put into camelCase, or waived with a reason."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="rulings")
    leak = models.CharField(max_length=40)  # its kind
    method_key = models.CharField(max_length=200, blank=True)  # blank: a rule for all of the kind
    name = models.CharField(max_length=300, blank=True)
    act = models.CharField(max_length=10, choices=[("mask", "Mask"), ("normalise", "Normalise"), ("waive", "Waive")])
    reason = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "leak", "method_key", "name"], name="ruling_once"),
            models.CheckConstraint(condition=~Q(act="waive") | ~Q(reason=""), name="ruling_waives_with_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.leak} {self.name}"


class Sheet(models.Model):
    """The plan of what one participant gets: methods in order, and for each its names in order."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="sheets", db_index=False)
    stage = models.CharField(max_length=5, choices=Stage, default=Stage.MAIN)
    number = models.PositiveIntegerField()
    plan = models.JSONField()  # [[method id, [name id, …]], …]
    replaces = models.PositiveIntegerField(null=True, blank=True)  # of a spare one: the number of the sheet it repeats

    class Meta:
        ordering = ["study", "stage", "number"]
        constraints = [models.UniqueConstraint(fields=["study", "stage", "number"], name="sheet_once_per_study")]

    def __str__(self) -> str:
        return f"sheet {self.number}"
