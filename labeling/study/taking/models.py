"""Who takes part, by which link, and what they answered. Nothing here tells whence a name came."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.people.models import User
from labeling.study.models import Method, Name, Sheet, Stage, Study, StudyText, new_code


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
