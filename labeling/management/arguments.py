"""What several commands take: a project and a person, found by the words a human types."""

from __future__ import annotations

from django.core.management.base import CommandError

from labeling.corpus.models import Project
from labeling.people.models import User


def find_project(slug: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        known = ", ".join(Project.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no project “{slug}”. Projects: {known}.")
    return project


def find_user(email: str) -> User:
    user = User.objects.filter(email=email.strip().lower()).first()
    if user is None:
        raise CommandError(f"There is no account with the address {email}.")
    return user
