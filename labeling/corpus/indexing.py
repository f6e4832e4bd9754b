"""Making items searchable by a job, where somebody waits for an answer and there are many."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from django.utils import timezone

from labeling.corpus.models import Item, Project
from labeling.corpus.projects import lock, wait_in_line
from labeling.corpus.searching import index_words
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import Run
from labeling.people.models import User

KIND = "index_items"
MOST_AT_ONCE = 200  # new items whose words are made in the request that brings them
QUIET = timedelta(seconds=1)  # after which nobody seems to bring more
PATIENCE = 60  # seconds


def start_indexing(project: Project, *, by: User | None) -> None:
    """By who shares or locks the project, which the job locks before it looks: one that has not looked yet will see
    what is stored now."""
    waiting = Job.objects.active().filter(project=project, kind=KIND, result__looked=False, cancel_requested_at=None)
    if waiting.exists():
        return
    # Of two who share the project, the second waits until the first has stored its items and its job.
    wait_in_line(project, "pg_advisory_xact_lock", before=KIND)
    if not waiting.all().exists():
        job = enqueue(KIND, project=project, by=by, title="Making new items searchable")
        Job.objects.filter(pk=job.pk).update(result={"looked": False})


def is_being_filled(project: Project) -> bool:
    newest = Item.objects.filter(project=project).order_by("-pk").values_list("imported_at", flat=True).first()
    return newest is not None and timezone.now() - newest < QUIET


def index_items(run: Run) -> dict[str, Any]:
    """The job. Who brings many brings them in many calls: it waits until they have done, for each would wait for it."""
    with run.step(0):
        run.keep(looked=False)  # also when it begins anew
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up and is_being_filled(run.job.project):
        time.sleep(QUIET.total_seconds() / 2)
        with run.step(0):
            pass  # it lives, and may be cancelled
    with run.step(0):
        lock(run.job.project)  # what is being stored is waited for
        run.keep(looked=True)
    return {"items": index_words(run.job.project, step=run.step)}
