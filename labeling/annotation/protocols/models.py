"""Protocols of a project. A version that somebody voted under is never changed: an edit makes the next one."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.functional import cached_property

from labeling.annotation.protocols.codebook import Codebook
from labeling.corpus.models import Project
from labeling.people.models import User


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


class ProtocolVersion(models.Model):
    """A codebook as it stood at one time."""

    protocol = models.ForeignKey(Protocol, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField(default=1)
    content = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["protocol", "-number"]
        constraints = [models.UniqueConstraint(fields=["protocol", "number"], name="protocol_version_once")]

    def __str__(self) -> str:
        return f"{self.protocol}, version {self.number}"

    @cached_property
    def codebook(self) -> Codebook:
        return Codebook.read(self.content)


class KeyMap(models.Model):
    """The keys that a person chose for the judging page, for one protocol: what a key does, by its name."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="key_maps")
    protocol = models.ForeignKey(Protocol, on_delete=models.CASCADE, related_name="+")
    keys = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "protocol"], name="key_map_once_per_protocol")]

    def __str__(self) -> str:
        return f"keys of {self.user} for {self.protocol}"
