"""Several workers on the pull requests of one mining: each takes one that is free; a killed one's become free again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from django.db import transaction
from django.utils import timezone

from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.jobs.running import Run
from labeling.mining.models import MinedChange, MinedChangeQuerySet

SHARE = "share_mining"
MOST_HELPERS = 3
PER_HELPER = 25  # fewer pull requests than that are done before another worker has begun


def claim_next(changes: MinedChangeQuerySet, run: Run) -> MinedChange | None:
    """Takes the next change that nobody holds; it is held for as long as this run holds its job."""
    with transaction.atomic():
        free = changes.free().select_for_update(skip_locked=True)
        change = free.order_by("repository", "number").first()
        if change is not None:
            change.claim = run.claim
            change.save(update_fields=["claim"])
        return change


def work_through(
    changes: MinedChangeQuerySet,
    run: Run,
    *,
    look: Callable[[MinedChange], Callable[[], None]],
    step: Callable[[str], AbstractContextManager[None]],
) -> None:
    """Looks into every change that is free, which may take long, and stores what `look` found in one step."""
    while change := claim_next(changes, run):
        store = look(change)
        with step(str(change)):
            if MinedChange.objects.select_for_update().waiting().filter(pk=change.pk, claim=run.claim).first():
                store()  # else it was read anew meanwhile, and somebody looks into what it says now


def call_helpers(changes: MinedChangeQuerySet, run: Run, **source: Any) -> None:
    """Asks for other workers, as many as there is work for; those that an earlier attempt asked for are still there."""
    there = Job.objects.active().filter(kind=SHARE, arguments__parent=run.job.pk).count()
    for _ in range(min(MOST_HELPERS, changes.count() // PER_HELPER) - there):
        title = f"Help with “{run.job.title}”"
        enqueue(SHARE, project=run.job.project, by=run.job.created_by, title=title, parent=run.job.pk, **source)


def dismiss_helpers(run: Run) -> None:
    """Ends those that no worker came to: there is nothing left for them to do."""
    late = Job.objects.filter(kind=SHARE, arguments__parent=run.job.pk, state=State.QUEUED)
    late.update(state=State.FINISHED, ended_at=timezone.now(), result={"pull_requests": 0})
