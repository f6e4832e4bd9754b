"""A worker is really killed while it makes a release. Nothing of it is seen, and the next one leaves no rubbish."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from labeling.corpus.models import Project
from labeling.jobs.models import Job, State
from labeling.jobs.queue import sweep
from labeling.release.choosing import choose
from labeling.release.making import Title, create_release
from labeling.release.verifying import verify
from tests.release.samples import archive_of, releasable, run_job
from tests.servers import ROOT, environment_of_test

pytestmark = pytest.mark.django_db(transaction=True)
# Runs the job, and dies after doing what is named: placing the archive, or one step before it.
DYING = """
import os, signal, sys
import django
django.setup()
from labeling import tasks
from labeling.jobs import running
from labeling.release import making
act = getattr(making, sys.argv[2])
def last_act(*arguments):
    act(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(making, sys.argv[2], last_act)
running.run(int(sys.argv[1]), tasks.WORK)
"""


def killed_after(act: str, job: Job) -> None:
    """The job in a process that dies there; and so long ago that others notice."""
    environment = environment_of_test(DJANGO_SETTINGS_MODULE="annotator.settings")
    command = [sys.executable, "-c", DYING, str(job.pk), act]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(days=1))


def left() -> list[str]:
    return sorted(path.name for path in (Path(settings.MEDIA_ROOT) / "releases").iterdir())


@pytest.mark.parametrize("act", ["place_archive", "draft_archive", "write_files"])
def test_release_of_a_killed_worker_is_made_again_without_rubbish(project: Project, act: str) -> None:
    releasable(project)
    release, job = create_release(choose(project), Title("Rockets"), by=None)
    killed_after(act, job)
    release.refresh_from_db()
    assert not release.is_frozen
    assert left()  # the point of the test: something was left
    sweep()
    job.refresh_from_db()
    assert run_job(job).state == State.FINISHED, job.error
    release.refresh_from_db()
    assert left() == [archive_of(release).name]
    assert verify(archive_of(release)).digest == release.digest


def test_attempt_that_nobody_takes_up_is_cleared_by_the_next(project: Project) -> None:
    releasable(project)
    attempt, job = create_release(choose(project), Title("Rockets"), by=None)
    killed_after("place_archive", job)
    Job.objects.filter(pk=job.pk).update(state=State.FAILED, claim=None, ended_at=timezone.now())
    assert archive_of(attempt).exists()
    again, job = create_release(choose(project), Title("Rockets"), by=None)
    assert not archive_of(attempt).exists()
    assert run_job(job).state == State.FINISHED, job.error
    again.refresh_from_db()
    assert left() == [archive_of(again).name]
