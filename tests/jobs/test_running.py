from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone
from pytest_django.fixtures import Settings

from labeling.corpus.models import Project
from labeling.jobs import queue, running
from labeling.jobs.models import Job, State
from labeling.jobs.running import JobError, Run, Work
from labeling.people.activity import record
from labeling.people.models import Activity, User
from labeling.refusals import Refusal


def enqueue(project: Project, **arguments: Any) -> Job:
    return queue.enqueue("work", project=project, by=None, title="Work", **arguments)


def run(job: Job, work: Work) -> Job:
    running.run(job.pk, {"work": work})
    return Job.objects.get(pk=job.pk)


def count(held: Run) -> None:
    record(held.job.project, by=None, verb="counted", subject=str(held.done))


def count_once(held: Run) -> dict[str, Any]:
    count(held)
    return {}


def counted() -> int:
    return Activity.objects.filter(verb="counted").count()


def test_finished_job_keeps_its_result_and_progress(project: Project) -> None:
    def work(held: Run) -> dict[str, Any]:
        held.expect(2, done=0)
        for _ in range(2):
            with held.step(message="counting"):
                count(held)
        return {"answer": held.arguments["answer"]}

    job = run(enqueue(project, answer=42), work)
    assert (job.state, job.done, job.total, job.percent, job.message) == (State.FINISHED, 2, 2, 100, "counting")
    assert job.result == {"answer": 42}
    assert job.claim is None


def test_ringing_twice_runs_once(project: Project) -> None:
    job = enqueue(project)
    for _ in range(2):
        run(job, count_once)
    assert counted() == 1


def test_failure_is_told_in_its_own_words(project: Project) -> None:
    def work(held: Run) -> dict[str, Any]:
        raise JobError("Row 7 has no name.")

    assert run(enqueue(project), work).error == "Row 7 has no name."


def test_unforeseen_failure_shows_nothing_of_its_inside(project: Project) -> None:
    def work(held: Run) -> dict[str, Any]:
        raise RuntimeError("password=hunter2")

    job = run(enqueue(project), work)
    assert job.state == State.FAILED
    assert "hunter2" not in job.error
    assert f"job {job.pk}" in job.error


def test_full_disk_is_said(project: Project) -> None:
    def work(held: Run) -> dict[str, Any]:
        with Path("/dev/full").open("w") as file:
            file.write("no room")
        return {}

    assert "no room left on the disk" in run(enqueue(project), work).error


def test_step_that_fails_leaves_nothing_behind(project: Project) -> None:
    def work(held: Run) -> dict[str, Any]:
        with held.step():
            count(held)
        with held.step():
            count(held)
            raise JobError("no")

    job = run(enqueue(project), work)
    assert (job.state, job.done, counted()) == (State.FAILED, 1, 1)


def test_retry_goes_on_after_the_last_finished_step(project: Project) -> None:
    attempts = []

    def work(held: Run) -> dict[str, Any]:
        attempts.append(held.done)
        for number in range(held.done, 4):
            with held.step():
                count(held)
            if number == 1 and len(attempts) == 1:
                raise JobError("halfway")
        return {}

    job = run(enqueue(project), work)
    queue.retry(job, by=None)
    job = run(job, work)
    assert (job.state, job.error, attempts, counted()) == (State.FINISHED, "", [0, 2], 4)


def test_cancel_of_a_running_job_takes_back_the_step_it_is_in(project: Project, alice: User) -> None:
    def work(held: Run) -> dict[str, Any]:
        with held.step():
            count(held)
        with held.step():
            count(held)
            queue.cancel(held.job, by=alice)
        return {}

    job = run(enqueue(project), work)
    assert job.state == State.CANCELLED
    assert counted() == 1


def test_cancel_of_a_waiting_job_ends_it(project: Project, alice: User) -> None:
    job = enqueue(project)
    queue.cancel(job, by=alice)
    assert run(job, count_once).state == State.CANCELLED
    assert counted() == 0
    assert Activity.objects.filter(verb="asked to cancel", actor=alice).exists()


@pytest.mark.parametrize("state", [State.FINISHED, State.FAILED, State.CANCELLED])
def test_ended_job_cannot_be_cancelled(project: Project, state: State) -> None:
    job = enqueue(project)
    Job.objects.filter(pk=job.pk).update(state=state, ended_at=timezone.now())
    with pytest.raises(Refusal, match="already ended"):
        queue.cancel(job, by=None)


@pytest.mark.parametrize("state", [State.QUEUED, State.FINISHED])
def test_only_a_failed_or_cancelled_job_can_be_retried(project: Project, state: State) -> None:
    job = enqueue(project)
    if state == State.FINISHED:
        Job.objects.filter(pk=job.pk).update(state=state, ended_at=timezone.now())
    with pytest.raises(Refusal, match="only after it failed"):
        queue.retry(job, by=None)


def test_worker_that_was_given_up_for_dead_stores_nothing_more(project: Project) -> None:
    """A zombie: it sleeps past its lease, the sweep gives the job away, and then it wakes up and wants to store."""

    def work(held: Run) -> dict[str, Any]:
        with held.step():
            count(held)
        Job.objects.filter(pk=held.job.pk).update(heartbeat_at=timezone.now() - timedelta(hours=1))
        queue.sweep()
        with held.step():
            count(held)
        return {"zombie": True}

    job = run(enqueue(project), work)
    assert (job.state, job.done, job.result, counted()) == (State.QUEUED, 1, {}, 1)


def test_sweep_leaves_a_living_worker_alone(project: Project) -> None:
    def work(held: Run) -> dict[str, Any]:
        queue.sweep()
        with held.step():
            count(held)
        return {}

    assert run(enqueue(project), work).state == State.FINISHED


def test_sweep_rings_again_for_a_job_nobody_heard(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[int] = []
    job = enqueue(project)
    monkeypatch.setattr(queue, "ring", lambda job: rung.append(job.pk))
    queue.sweep()
    assert rung == []
    Job.objects.filter(pk=job.pk).update(rung_at=timezone.now() - timedelta(hours=1))
    queue.sweep()
    queue.sweep()
    assert rung == [job.pk]


def test_database_refuses_a_running_job_without_a_claim(project: Project) -> None:
    job = enqueue(project)
    with pytest.raises(IntegrityError):
        Job.objects.filter(pk=job.pk).update(state=State.RUNNING)


def test_cancel_asked_twice_is_logged_once(project: Project, alice: User) -> None:
    def work(held: Run) -> dict[str, Any]:
        queue.cancel(held.job, by=alice)
        queue.cancel(held.job, by=alice)
        with held.step():
            count(held)
        return {}

    assert run(enqueue(project), work).state == State.CANCELLED
    assert Activity.objects.filter(verb="asked to cancel").count() == 1


def test_odd_words_of_a_job_are_stored(project: Project) -> None:
    def work(held: Run) -> dict[str, Any]:
        with held.step(message="x\x00" * 500):
            pass
        raise JobError("a\x00b")

    job = run(queue.enqueue("work", project=project, by=None, title="t" * 500), work)
    assert (job.state, job.error, len(job.message), len(job.title)) == (State.FAILED, "ab", 300, 200)


@pytest.mark.django_db(transaction=True)
def test_long_step_is_kept_alive_by_its_heartbeat(project: Project, settings: Settings) -> None:
    settings.JOB_LEASE_SECONDS = 1

    def work(held: Run) -> dict[str, Any]:
        time.sleep(2.2)
        queue.sweep()
        return {}

    assert run(enqueue(project), work).state == State.FINISHED
