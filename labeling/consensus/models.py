"""What was settled, how and by whom. Rows say what people did; an outcome is derived from them and from the votes."""

from __future__ import annotations

from secrets import randbits

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from labeling.annotation.models import Assignment, Round, RoundItem, Unchanging
from labeling.annotation.visibility import settled_items
from labeling.consensus.rules import Others, Way
from labeling.corpus.models import Project
from labeling.people.models import User

WAYS = [
    (Way.DISCUSSION.value, "The voters discuss until all confirm the same answer"),
    (Way.ADJUDICATOR.value, "One person who did not vote on it decides"),
    (Way.MAJORITY.value, "More than half of the votes settle it; else the voters discuss"),
]
OTHERS = [
    (Others.DISCUSSION.value, "Any difference makes a case"),
    (Others.UNION.value, "Every option that anybody chose"),
    (Others.INTERSECTION.value, "The options that everybody chose"),
    (Others.MAJORITY.value, "The options that more than half chose"),
]


def new_seed() -> int:
    return randbits(31)


class Rule(models.Model):
    """How a round's disagreements end."""

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="rule", primary_key=True)
    way = models.CharField(max_length=12, choices=WAYS, default=Way.DISCUSSION.value)
    others = models.CharField(max_length=12, choices=OTHERS, default=Others.DISCUSSION.value)
    names_shown = models.BooleanField(default=False)  # else the voters of a case are Rater A, B, C
    seed = models.BigIntegerField(default=new_seed)  # of their order

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(way__in=[way.value for way in Way]), name="rule_way_is_known"),
            models.CheckConstraint(condition=Q(others__in=[way.value for way in Others]), name="rule_others_is_known"),
        ]

    def __str__(self) -> str:
        return f"rule of {self.round}"


class CaseState(models.TextChoices):
    OPEN = "open", "Open"
    DECIDED = "decided", "Decided"
    MOOT = "moot", "No longer needed"  # by later votes or another rule, the votes settle the item


class Why(models.TextChoices):
    DISAGREEMENT = "disagreement", "The votes differ"
    FLAG = "flag", "Somebody asked to discuss it"
    TOO_FEW = "too_few", "Too few votes"


class CaseQuerySet(models.QuerySet["Case"]):
    def shown(self) -> CaseQuerySet:
        """Those of items whose independent phase is over: while an item is being judged again nobody sees its case."""
        return self.filter(round_item__in=settled_items(RoundItem.objects.all()))

    def open(self) -> CaseQuerySet:
        return self.filter(state=CaseState.OPEN)

    def voted_on_by(self, user: User) -> CaseQuerySet:
        return self.filter(has_vote_of(user))


def has_vote_of(user: User) -> Exists:
    """Asked of each case alone: a queue ends after a page of them, and nobody's votes are all looked up for it."""
    voted = Assignment.objects.filter(repeat=0, vote__isnull=False, rater__user=user)
    return Exists(voted.filter(round_item=OuterRef("round_item")))


class Case(models.Model):
    """An item of a round that its votes alone do not settle. It stays the item's case whatever happens to it."""

    round_item = models.OneToOneField(RoundItem, on_delete=models.PROTECT, related_name="case")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="cases", db_index=False)
    # That of the round: a project's queue is read in its order, over all rounds.
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="cases", db_index=False)
    way = models.CharField(max_length=12, choices=[("discussion", "Discussion"), ("adjudicator", "Adjudicator")])
    why = models.CharField(max_length=12, choices=Why)
    questions = models.JSONField(default=list)  # on which the votes differ, by key
    pattern = models.CharField(max_length=300, blank=True)  # how they differ: cases alike have it alike
    state = models.CharField(max_length=8, choices=CaseState, default=CaseState.OPEN)
    adjudicator = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    decision = models.OneToOneField("Decision", on_delete=models.PROTECT, null=True, related_name="in_force_for")
    voted = models.JSONField(default=list)  # the votes that it is about, by id: others make it open again
    raters = models.JSONField(default=list)  # by id, in the order of their letters; who comes later comes last
    opened_at = models.DateTimeField(default=timezone.now)
    version = models.PositiveIntegerField(default=1)  # goes up with every event: who decides says what they had seen

    objects = CaseQuerySet.as_manager()

    class Meta:
        ordering = ["opened_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=CaseState.values), name="case_state_is_known"),
            models.CheckConstraint(condition=Q(why__in=Why.values), name="case_why_is_known"),
            models.CheckConstraint(
                condition=Q(state="decided", decision__isnull=False) | (~Q(state="decided") & Q(decision=None)),
                name="case_decided_has_a_decision",
            ),
            models.CheckConstraint(
                condition=Q(way="adjudicator") | Q(way="discussion", adjudicator=None), name="case_way_and_adjudicator"
            ),
        ]
        indexes = [
            models.Index(fields=["round", "state"], name="case_of_round"),
            models.Index(fields=["project", "state", "opened_at", "id"], name="case_of_project"),
            models.Index(
                fields=["project", "round"],
                condition=Q(state=CaseState.OPEN, way="adjudicator", adjudicator=None),
                name="case_without_adjudicator",
            ),
        ]

    def __str__(self) -> str:
        return f"case of {self.round_item}"


class Event(Unchanging):
    """Something happened to a case. Who and what, in the order of its versions."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="events", db_index=False)
    version = models.PositiveIntegerField()
    at = models.DateTimeField(default=timezone.now)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")  # None: it was derived
    verb = models.CharField(max_length=40)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["case", "version"]
        constraints = [models.UniqueConstraint(fields=["case", "version"], name="event_once_per_version")]

    def __str__(self) -> str:
        return f"{self.verb} ({self.case})"


class Message(models.Model):
    """A contribution to the discussion of a case; what it says is in its texts, the latest last."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="messages")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    submission = models.UUIDField(unique=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"message {self.pk} in {self.case}"


class MessageText(Unchanging):
    """What a message said from one time to the next edit."""

    message = models.ForeignKey(Message, on_delete=models.PROTECT, related_name="texts", db_index=False)
    revision = models.PositiveSmallIntegerField(default=1)
    body = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["message", "revision"]
        constraints = [models.UniqueConstraint(fields=["message", "revision"], name="message_text_once_per_revision")]

    def __str__(self) -> str:
        return f"text {self.revision} of {self.message}"


class Mention(models.Model):
    """Somebody was called upon in a message."""

    message = models.ForeignKey(Message, on_delete=models.PROTECT, related_name="mentions", db_index=False)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="mentions")
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["message", "user"], name="mention_once_per_message")]

    def __str__(self) -> str:
        return f"mention of {self.user} in {self.message}"


class Proposal(Unchanging):
    """An answer that a voter puts before the others, and why."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="proposals")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    submission = models.UUIDField(unique=True)
    answers = models.JSONField()
    because = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"proposal {self.pk} in {self.case}"


class Confirmation(models.Model):
    """Which proposal of a case a person stands by. It can be withdrawn or moved; the events keep what was."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="confirmations", db_index=False)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="confirmations")
    entered_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")  # said in a meeting
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["case", "user"], name="confirmation_once_per_person")]

    def __str__(self) -> str:
        return f"{self.user} confirms {self.proposal}"


class Decision(Unchanging):
    """How a case ended. A case that was opened again has several, of which the last may be in force."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="decisions", db_index=False)
    number = models.PositiveSmallIntegerField(default=1)
    submission = models.UUIDField(unique=True, null=True)  # None: the last confirmation made it
    answers = models.JSONField()  # none when all options were rejected
    rejected = models.BooleanField(default=False)
    rationale = models.TextField(blank=True)
    unclear = models.TextField(blank=True)  # what the guideline leaves unclear here, for the next version
    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, null=True, related_name="+")  # None: adjudicated
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")  # the adjudicator or last to confirm
    made_at = models.DateTimeField(default=timezone.now)
    voted = models.JSONField(default=list)  # the votes it was made on, by id

    class Meta:
        ordering = ["case", "number"]
        constraints = [
            models.UniqueConstraint(fields=["case", "number"], name="decision_once_per_number"),
            models.CheckConstraint(
                condition=Q(proposal__isnull=False) | ~Q(rationale=""), name="adjudication_has_a_rationale"
            ),
        ]

    def __str__(self) -> str:
        return f"decision {self.number} of {self.case}"

    @property
    def how(self) -> str:
        return "discussion" if self.proposal_id else "adjudication"


class Sitting(Unchanging):
    """Time that was spent over a case: by one person, or by a group in a meeting that this person showed it to."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="sittings")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    submission = models.UUIDField(unique=True)
    in_meeting = models.BooleanField(default=False)
    seconds = models.FloatField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(seconds__gte=0), name="sitting_is_not_negative")]

    def __str__(self) -> str:
        return f"{self.seconds:.0f} s over {self.case}"
