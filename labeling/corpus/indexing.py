"""Making items searchable by a job, where somebody waits for an answer and there are many."""

from __future__ import annotations

from typing import Any

from labeling.corpus.models import Project
from labeling.corpus.projects import lock
from labeling.corpus.searching import index_words
from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.jobs.running import Run
from labeling.people.models import User

KIND = "index_items"
MOST_AT_ONCE = 200  # new items whose words are made in the request that brings them


def start_indexing(project: Project, *, by: User | None) -> None:
    """Under the lock of the project, which the job takes too: one that waits will see what is stored now."""
    if not Job.objects.filter(project=project, kind=KIND, state=State.QUEUED).exists():
        enqueue(KIND, project=project, by=by, title="Making new items searchable")


def index_items(run: Run) -> dict[str, Any]:
    """The job."""
    with run.step(0):
        lock(run.job.project)  # what is being stored is waited for
    return {"items": index_words(run.job.project, step=run.step)}
