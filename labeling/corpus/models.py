"""What is judged: a project and, in it, its items."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Q
from django.utils import timezone

from labeling.corpus.kinds import KINDS, Kind
from labeling.people.models import User


class WordsField(models.TextField[str, str]):
    """Text on SQLite, which FTS5 indexes beside it; a tsvector on PostgreSQL. The migration makes the indexes."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "tsvector" if connection.vendor == "postgresql" else "text"


def upload_path(upload: models.Model, name: str) -> str:
    return f"uploads/{uuid4().hex}{Path(name).suffix[:10]}"


class ProjectQuerySet(models.QuerySet["Project"]):
    def for_member(self, user: User) -> ProjectQuerySet:
        return self.filter(memberships__user=user).distinct()


class Project(models.Model):
    """One piece of research: its people, its material, and all that was judged in it."""

    name = models.CharField(max_length=120)
    slug = models.SlugField("address", max_length=60, unique=True)
    description = models.TextField(blank=True, max_length=5000)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    archived_at = models.DateTimeField(null=True, blank=True)
    archived_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(archived_at=None, archived_by=None)
                | Q(archived_at__isnull=False, archived_by__isnull=False),
                name="project_archived_at_and_by",
            )
        ]

    def __str__(self) -> str:
        return self.name


class ItemQuerySet(models.QuerySet["Item"]):
    def light(self) -> ItemQuerySet:
        """Without payloads: for lists."""
        return self.defer("payload")

    def changeable(self) -> ItemQuerySet:
        """Those whose content may still change: nobody has judged them or has them before their eyes. The stage that
        knows is on our right, so it is asked by the name of its relation; replacement and picking keep to this."""
        unjudged = self.exclude(in_rounds__assignments__votes__isnull=False)
        return unjudged.exclude(in_rounds__assignments__held_at__isnull=False)

    def standing(self, state: str) -> ItemQuerySet:
        """Those that are in no round, that wait for votes in one, or that got all votes of one."""
        if state == "unplanned":
            return self.exclude(in_rounds__isnull=False)
        if state == "judging":
            waiting = Item.objects.filter(in_rounds__votes__lt=F("in_rounds__wanted"), in_rounds__round__closed_at=None)
            return self.filter(pk__in=waiting.values("pk"))
        judged = Item.objects.filter(in_rounds__votes__gte=F("in_rounds__wanted"))
        return self.filter(pk__in=judged.values("pk"))


class Item(models.Model):
    """One thing that people judge. Its payload is of a kind (`kinds/`) and was checked by it when it came in."""

    # Three of the indexes below begin with the project; one of it alone would only have to be written.
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="items", db_index=False)
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=200)
    group = models.CharField(max_length=200, blank=True)
    title = models.CharField(max_length=200)
    payload = models.JSONField()
    digest = models.CharField(max_length=32)
    sameness = models.CharField(max_length=32)
    imported_at = models.DateTimeField(default=timezone.now)

    objects = ItemQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="item_key_once_per_project")]
        indexes = [
            models.Index(fields=["project", "id"], name="item_in_order"),
            models.Index(fields=["project", "group", "id"], name="item_by_group"),
            models.Index(fields=["project", "sameness"], name="item_by_sameness"),
        ]

    def __str__(self) -> str:
        return self.title

    def may_change(self) -> bool:
        return Item.objects.changeable().filter(pk=self.pk).exists()

    def hold_still(self) -> bool:
        """Whether the content may change. Then it stays so until the transaction ends: nobody is given the item
        meanwhile. One who is being given it or votes on it this very moment is not waited for: the answer is no."""
        for place in self.in_rounds.select_for_update().order_by("pk"):  # also lets nobody add a slot
            slots = place.assignments.all()
            if len(slots.select_for_update(skip_locked=True)) < slots.count():
                return False
        return self.may_change()

    @property
    def content(self) -> Kind:
        """The payload as its kind reads it."""
        return KINDS[self.kind].read(self.payload)


class ItemWords(models.Model):
    """What full-text search looks through. Made from items after they came in, and can be made again at any time."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, primary_key=True, related_name="words")
    words = WordsField()

    def __str__(self) -> str:
        return f"words of item {self.item_id}"


class Upload(models.Model):
    """A file that a coordinator brought, waiting to be imported."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="uploads")
    name = models.CharField(max_length=200)
    file = models.FileField(upload_to=upload_path)
    uploaded_at = models.DateTimeField(default=timezone.now)
    uploaded_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return self.name
