"""Writing into the activity log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labeling.people.models import Activity, User

if TYPE_CHECKING:
    from labeling.corpus.models import Project


def record(project: Project, *, by: User | None, verb: str, subject: str = "", **details: Any) -> Activity:
    """Adds one line: who (nobody is the system) did what (a verb in the past tense) to what, with its details."""
    return Activity.objects.create(project=project, actor=by, verb=verb, subject=subject[:300], details=details)
