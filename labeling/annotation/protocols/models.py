"""Protocols of a project. A version that somebody voted under is never changed: an edit makes the next one."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from functools import lru_cache

from django.db import models
from django.db.models.expressions import RawSQL
from django.utils import timezone
from django.utils.functional import cached_property

from labeling.amounts import Amount
from labeling.annotation.protocols.codebook import Codebook
from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.statements import Given, Statement


class Protocol(models.Model):
    """A codebook through its versions."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="protocols")
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="protocol_name_once_per_project")]

    def __str__(self) -> str:
        return self.name

    @property
    def latest(self) -> ProtocolVersion:
        return self.versions.latest("number")


MOST_VOTES = 10_000  # of a version that are counted
# Django cannot count in a subquery what another one cut off.
VOTES_SO_FAR = """SELECT COUNT(*) FROM (
    SELECT 1 FROM labeling_vote WHERE protocol_id = labeling_protocolversion.id LIMIT %s
) AS counted"""


class ProtocolVersionQuerySet(models.QuerySet["ProtocolVersion"]):
    def with_votes(self) -> ProtocolVersionQuerySet:
        """The latest first, each with how many votes were cast under it as `votes_cast`, counted only so far."""
        counted = RawSQL(VOTES_SO_FAR, [MOST_VOTES + 1], output_field=models.IntegerField())  # noqa: S611 (our own words)
        return self.annotate(found_votes=counted).order_by("-number")


class ProtocolVersion(models.Model):
    """A codebook as it stood at one time."""

    protocol = models.ForeignKey(Protocol, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField(default=1)
    content = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    objects = ProtocolVersionQuerySet.as_manager()

    class Meta:
        ordering = ["protocol", "-number"]
        constraints = [models.UniqueConstraint(fields=["protocol", "number"], name="protocol_version_once")]

    def __str__(self) -> str:
        return f"{self.protocol}, version {self.number}"

    @cached_property
    def codebook(self) -> Codebook:
        return Codebook.read(self.content)

    @property
    def kept(self) -> ProtocolVersion:
        """The same for one that is in use, and so never changes: each process reads its content once."""
        return read_once(self.pk, self.created_at)

    @property
    def votes_cast(self) -> Amount:
        """Of one that comes `with_votes`."""
        return Amount(vars(self)["found_votes"], MOST_VOTES)

    @property
    def is_in_use(self) -> bool:
        """Somebody is asked by it, or has answered to it: from then on it never changes."""
        return self.rounds.exists() or self.votes.exists()

    @property
    def state(self) -> str:
        """Which version this is and what it says, in short: what somebody started from and what is there now differ."""
        text = json.dumps(self.content, sort_keys=True)
        return f"{self.number}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


HELD = Statement(
    lambda: ProtocolVersion.objects.filter(pk=Given("pk")).only("number", "created_at").order_by(),
    lock="FOR KEY SHARE",
)


def held_version(pk: int) -> ProtocolVersion:
    """The version as it is, and as it stays until the transaction ends; many may hold it at the same time.

    Whoever makes a round ask by a version takes it by this. The foreign key of the round is too late a lock: it is
    checked at the commit, when an edit that saw no round may already have changed what the round asks. Votes come
    after, and so need none.
    """
    found = HELD.first(pk=pk)
    if found is None:
        raise ProtocolVersion.DoesNotExist
    return found


@lru_cache(maxsize=100)
def read_once(pk: int, created_at: datetime) -> ProtocolVersion:
    return ProtocolVersion.objects.get(pk=pk, created_at=created_at)


class KeyMap(models.Model):
    """The keys that a person chose for the judging page, for one protocol: what a key does, by its name."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="key_maps")
    protocol = models.ForeignKey(Protocol, on_delete=models.CASCADE, related_name="+")
    keys = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "protocol"], name="key_map_once_per_protocol")]

    def __str__(self) -> str:
        return f"keys of {self.user} for {self.protocol}"
