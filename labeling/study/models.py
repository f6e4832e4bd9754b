"""The questionnaire: its material, its sheets, and what participants answered. Where a name came from is not here, and
nothing here leads there: see `origins.py`."""

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


class Step(models.TextChoices):
    """How far a participant is; whoever leaves goes to one of the last four."""

    INVITED = "invited", "Invited"
    STARTED = "started", "Started"  # a sheet is reserved; consent, background, practice are told by their times
    FINISHED = "finished", "Finished"
    TIMED_OUT = "timed_out", "Timed out"
    STOPPED = "stopped", "Stopped, answers kept"
    DELETED = "deleted", "Withdrew, answers deleted"
    REVOKED = "revoked", "Link revoked"


class OpenLink(models.Model):
    """A link for many, to be given to a recruiting service: everybody who starts by it becomes a participant."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="open_links", db_index=False)
    stage = models.CharField(max_length=5, choices=Stage, default=Stage.MAIN)
    link_digest = models.CharField(max_length=64, unique=True, editable=False)
    made_at = models.DateTimeField(default=timezone.now)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "stage"], condition=Q(revoked_at=None), name="open_link_once_per_stage"
            )
        ]

    def __str__(self) -> str:
        return f"open link of {self.study}"


class Participant(models.Model):
    """Somebody with a personal link. No account, no name; a label that the coordinator chose."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="participants", db_index=False)
    stage = models.CharField(max_length=5, choices=Stage, default=Stage.MAIN)
    number = models.PositiveIntegerField()
    label = models.CharField(max_length=80, blank=True)
    link_digest = models.CharField(max_length=64, unique=True, editable=False)
    external_id = models.CharField(max_length=80, blank=True)  # PROLIFIC_PID and the like
    step = models.CharField(max_length=10, choices=Step, default=Step.INVITED)
    sheet = models.ForeignKey(Sheet, on_delete=models.PROTECT, null=True, related_name="participants", db_index=False)
    invited_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    consent = models.ForeignKey(StudyText, on_delete=models.PROTECT, null=True, related_name="+")
    consented_at = models.DateTimeField(null=True, blank=True)
    background = models.JSONField(null=True, blank=True)
    practised_at = models.DateTimeField(null=True, blank=True)
    exit_answer = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    code = models.CharField(max_length=20, blank=True)  # of completion, or the receipt of a withdrawal
    forgotten_at = models.DateTimeField(null=True, blank=True)  # since when nothing here leads to a person

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="participant_number_once_per_study"),
            models.UniqueConstraint(
                fields=["study", "stage", "external_id"],
                condition=~Q(external_id=""),
                name="participant_once_per_person",
            ),
            models.UniqueConstraint(
                fields=["sheet"], condition=Q(step__in=["started", "finished"]), name="sheet_of_one_at_a_time"
            ),
            models.CheckConstraint(condition=Q(step__in=Step.values), name="participant_step_is_known"),
            models.CheckConstraint(
                condition=Q(consented_at=None, consent=None) | Q(consented_at__isnull=False, consent__isnull=False),
                name="participant_consents_to_a_text",
            ),
        ]

    def __str__(self) -> str:
        return self.label or f"P{self.number}"


class Page(models.Model):
    """One method before one participant. Its code is all that an address says about it."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="pages", db_index=False)
    position = models.PositiveSmallIntegerField()
    code = models.CharField(max_length=16, unique=True, default=new_code)
    method = models.ForeignKey(Method, on_delete=models.PROTECT, related_name="+")
    comment = models.TextField(blank=True)
    first_seen_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.FloatField(default=0)
    idle_seconds = models.FloatField(default=0)
    hidden_seconds = models.FloatField(default=0)

    class Meta:
        ordering = ["participant", "position"]
        constraints = [models.UniqueConstraint(fields=["participant", "position"], name="page_once_per_position")]

    def __str__(self) -> str:
        return f"page {self.position} of {self.participant}"


class Answer(models.TextChoices):
    YES = "yes", "Yes"
    NO = "no", "No"


class Line(models.Model):
    """One name on a page, in its place, and what the participant answered. Nothing tells whence the name came."""

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="lines", db_index=False)
    place = models.PositiveSmallIntegerField()
    code = models.CharField(max_length=16, unique=True, default=new_code)
    name = models.ForeignKey(Name, on_delete=models.PROTECT, related_name="+")
    answer = models.CharField(max_length=3, choices=Answer, blank=True)
    reason = models.CharField(max_length=40, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    changes = models.PositiveSmallIntegerField(default=0)  # how often a mind was changed: another answer or reason
    revision = models.PositiveIntegerField(default=0)  # how often it was written: tells a tab that it is out of date

    class Meta:
        ordering = ["page", "place"]
        constraints = [
            models.UniqueConstraint(fields=["page", "place"], name="line_once_per_place"),
            models.UniqueConstraint(fields=["page", "name"], name="name_once_per_page"),
            models.CheckConstraint(condition=Q(answer="no") | Q(reason=""), name="reason_only_with_no"),
        ]

    def __str__(self) -> str:
        return f"line {self.place} of {self.page}"
