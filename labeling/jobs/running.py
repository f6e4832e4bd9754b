"""Doing long work, so that a killed worker, a second worker or a cancel leaves every step done once or not at all."""

from __future__ import annotations

import errno
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, connection, transaction
from django.db.models import F
from django.utils import timezone

from labeling.jobs.models import Job, State

logger = logging.getLogger(__name__)

NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class JobError(Exception):
    """Raised by work that cannot go on; its sentence is shown to the person who started it."""


class ClaimLost(Exception):  # noqa: N818
    """Another worker has the job now; whatever we were doing must not be stored."""


class Cancelled(Exception):  # noqa: N818
    """Somebody asked for the job to stop."""


class Run:
    """One worker's hold on one job. Work changes the world only inside `step`."""

    def __init__(self, job: Job, claim: UUID) -> None:
        self.job = job
        self.claim = claim

    @property
    def arguments(self) -> dict[str, Any]:
        return dict(self.job.arguments)

    @property
    def done(self) -> int:
        """What earlier attempts finished and stored: start there."""
        return self.job.done

    def expect(self, total: int, *, done: int) -> None:
        """Says how much there is to do, and how much of it earlier attempts did: `run.done`, or 0 to start over."""
        self._store(total=total, done=done)
        self.job.total, self.job.done = total, done

    @contextmanager
    def step(self, size: int = 1, *, message: str = "") -> Iterator[None]:
        """A unit of work and its progress, stored together; undone when the job was cancelled or is no longer ours."""
        said = {"message": printable(message)[:300]} if message else {}
        with transaction.atomic():
            yield
            # A job that gets on is not what kills its workers: only losses in a row without a step count.
            self._store(done=F("done") + size, heartbeat_at=timezone.now(), attempts=1, **said)
        self.job.done += size

    def keep(self, **result: Any) -> None:
        """Notes a part of the result; inside a step it is stored or undone with the step."""
        self._store(result={**self.job.result, **result})
        self.job.result = {**self.job.result, **result}

    def beat(self) -> None:
        Job.objects.filter(pk=self.job.pk, claim=self.claim).update(heartbeat_at=timezone.now())

    def end(self, state: State, *, error: str = "", result: Mapping[str, Any] | None = None) -> None:
        fields: dict[str, Any] = {"state": state, "claim": None, "ended_at": timezone.now(), "error": printable(error)}
        if result is not None:
            fields["result"] = dict(result)
        Job.objects.filter(pk=self.job.pk, claim=self.claim).update(**fields)

    def _store(self, **fields: Any) -> None:
        ours = Job.objects.filter(pk=self.job.pk, claim=self.claim)
        if ours.filter(cancel_requested_at=None).update(**fields):
            return
        raise Cancelled if ours.exists() else ClaimLost


def printable(text: str) -> str:
    """Without the one character that PostgreSQL does not store."""
    return text.replace("\x00", "")


Work = Callable[[Run], Mapping[str, Any]]


def run(job_id: int, work: Mapping[str, Work]) -> None:
    """Runs the job if it waits and nobody else has it; otherwise does nothing, so ringing twice is harmless."""
    held = take(job_id)
    if held is None:
        return
    with heartbeat(held):
        try:
            held.end(State.FINISHED, result=work[held.job.kind](held))
        except ClaimLost:
            logger.warning("job was taken over", extra={"fields": {"job": job_id}})
        except Cancelled:
            held.end(State.CANCELLED)
        except JobError as error:
            held.end(State.FAILED, error=str(error))
        except (OperationalError, InterfaceError):
            # The database failed, not the work: its row stays as it is, and the sweep has it taken up again.
            logger.exception("job lost the database", extra={"fields": {"job": job_id}})
        except Exception as error:
            logger.exception("job failed", extra={"fields": {"job": job_id}})
            held.end(State.FAILED, error=in_words(error, job_id))


def in_words(error: Exception, job_id: int) -> str:
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return "There is no room left on the disk of the server. When its operator has made some, try again."
    return f"Something broke on our side. The log has the details under job {job_id}."


def take(job_id: int) -> Run | None:
    claim = uuid4()
    taken = Job.objects.filter(pk=job_id, state=State.QUEUED).update(
        state=State.RUNNING, claim=claim, heartbeat_at=timezone.now(), attempts=F("attempts") + 1
    )
    return Run(Job.objects.select_related("project", "created_by").get(pk=job_id), claim) if taken else None


@contextmanager
def heartbeat(held: Run) -> Iterator[None]:
    """Says every third of a lease that we live, also in the middle of a long step."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(settings.JOB_LEASE_SECONDS / 3):
            try:
                held.beat()
            except Error:
                logger.warning("missed a heartbeat", extra={"fields": {"job": held.job.pk}})
                connection.close()  # the next one begins anew
        connection.close()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
