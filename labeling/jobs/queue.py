"""Asking for long work: enqueue, ring, cancel, retry, and find again what was lost."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotator.celery import app
from labeling.jobs.models import Job, State
from labeling.people.access import require_current
from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Refusal

if TYPE_CHECKING:
    from labeling.corpus.models import Project

logger = logging.getLogger(__name__)

TASK = "labeling.tasks.run_job"
MOST_ATTEMPTS = 3
KEEPS_KILLING = (
    f"The worker or the database stopped {MOST_ATTEMPTS} times while this job ran, so it was not started again."
)


@transaction.atomic
def enqueue(kind: str, *, project: Project, by: User | None, title: str, **arguments: Any) -> Job:
    """Writes down what is to be done, and rings when that is safely stored."""
    require_current(project)
    job = Job.objects.create(kind=kind, project=project, created_by=by, title=title[:200], arguments=arguments)
    record(project, by=by, verb="started", subject=title, job=job.pk)
    ring_on_commit(job)
    return job


@transaction.atomic
def cancel(job: Job, *, by: User | None) -> Job:
    """A waiting job ends now; a running one at its next step, which is not kept."""
    job = Job.objects.select_for_update().get(pk=job.pk)
    if not job.is_active:
        raise Refusal(f"“{job}” has already ended ({job.get_state_display().lower()}).")
    if job.cancel_requested_at:
        return job  # it was asked before, and asking twice changes nothing
    job.cancel_requested_at = timezone.now()
    if job.state == State.QUEUED:
        job.state, job.ended_at = State.CANCELLED, timezone.now()
    job.save(update_fields=["cancel_requested_at", "state", "ended_at"])
    record(job.project, by=by, verb="asked to cancel", subject=job.title, job=job.pk)
    return job


@transaction.atomic
def retry(job: Job, *, by: User | None) -> Job:
    """Goes on where the job stopped: what its finished steps did stays and is not done again."""
    job = Job.objects.select_for_update().get(pk=job.pk)
    if not job.can_retry:
        raise Refusal(f"“{job}” can be tried again only after it failed or was cancelled.")
    job.state, job.ended_at, job.cancel_requested_at = State.QUEUED, None, None
    job.attempts, job.error, job.rung_at = 0, "", timezone.now()
    job.save(update_fields=["state", "ended_at", "cancel_requested_at", "attempts", "error", "rung_at"])
    record(job.project, by=by, verb="retried", subject=job.title, job=job.pk)
    ring_on_commit(job)
    return job


def ring_on_commit(job: Job) -> None:
    transaction.on_commit(lambda: ring(job))


def ring(job: Job) -> None:
    """Tells a worker that the job waits. When Redis is away nothing is lost: the sweep will ring again."""
    try:
        app.send_task(TASK, [job.pk])
    except (OperationalError, OSError):
        logger.warning("could not ring for a job", extra={"fields": {"job": job.pk}})


def sweep() -> None:
    """Finds the jobs whose message or worker was lost, and rings for them. Every worker may do this at any time."""
    with transaction.atomic():
        # A locked row is being worked on at this moment by somebody who lives.
        for job in Job.objects.abandoned().select_for_update(skip_locked=True):
            put_back(job)
    with transaction.atomic():
        unheard = list(Job.objects.unheard().select_for_update(skip_locked=True))
        Job.objects.filter(pk__in=[job.pk for job in unheard]).update(rung_at=timezone.now())
    for job in unheard:
        ring(job)


def put_back(job: Job) -> None:
    """Takes a job from a worker that is gone; should it live after all, without its claim it can store nothing."""
    job.claim = None
    if job.attempts >= MOST_ATTEMPTS:
        job.state, job.ended_at, job.error = State.FAILED, timezone.now(), KEEPS_KILLING
    else:
        job.state, job.rung_at = State.QUEUED, timezone.now()
        ring_on_commit(job)
    job.save(update_fields=["state", "claim", "ended_at", "error", "rung_at"])
    logger.warning("job put back", extra={"fields": {"job": job.pk, "state": job.state, "attempts": job.attempts}})
