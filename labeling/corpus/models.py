"""What is judged: a project and, in it, its items."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.people.models import User


class ProjectQuerySet(models.QuerySet["Project"]):
    def for_member(self, user: User) -> ProjectQuerySet:
        return self.filter(memberships__user=user).distinct()

    def current(self) -> ProjectQuerySet:
        return self.filter(archived_at=None)


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
