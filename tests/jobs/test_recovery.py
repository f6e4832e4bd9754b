"""Workers and Redis are really killed here. Afterwards every step was done once, and nobody had to repair anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from celery import Celery
from django.db import connection

from annotator.environment import broker_url
from labeling.corpus.models import Project
from labeling.jobs import queue
from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.people.models import Activity
from tests.jobs.waiting import wait_for
from tests.servers import RedisServer, Worker, redis_server

pytestmark = pytest.mark.django_db(transaction=True)
APP = "tests.jobs.tally"
StartWorker = Callable[..., Worker]


@pytest.fixture
def redis(monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisServer]:
    """A Redis of this test's own, to which both sides ring, and which may be killed."""
    with redis_server() as server:
        doorbell = Celery(broker=broker_url(server.url), set_as_current=False)
        doorbell.conf.task_publish_retry = False
        monkeypatch.setattr(queue, "app", doorbell)
        yield server


def start_tally(project: Project, *, total: int, pause: float = 0.05) -> Job:
    return enqueue("tally", project=project, by=None, title="Tally", total=total, pause=pause)


def counted() -> list[int]:
    return sorted(int(subject) for subject in Activity.objects.filter(verb="counted").values_list("subject", flat=True))


def wait_for_state(job: Job, state: State, worker: Worker) -> Job:
    wait_for(
        lambda: Job.objects.get(pk=job.pk).state == state, what=lambda: (Job.objects.values().get(), worker.output())
    )
    return Job.objects.get(pk=job.pk)


def test_job_of_a_killed_worker_goes_on_where_it_stopped(project: Project, worker: StartWorker) -> None:
    job = start_tally(project, total=60)
    first = worker(app=APP)
    wait_for(lambda: Job.objects.get(pk=job.pk).done >= 10, what=first.output)
    first.kill()
    stopped_at = Job.objects.get(pk=job.pk)
    assert stopped_at.state == State.RUNNING
    assert 10 <= stopped_at.done < 60
    second = worker(app=APP)
    ended = wait_for_state(job, State.FINISHED, second)
    assert ended.done == 60
    assert counted() == list(range(60))


def test_job_does_not_wait_until_celery_looks_for_children_that_ended(project: Project, worker: StartWorker) -> None:
    """Each job has a child of its own, whose end Celery misses now and then."""
    running = worker(app="tests.jobs.deaf")
    for _ in range(3):
        wait_for_state(start_tally(project, total=1), State.FINISHED, running)


def test_job_whose_message_was_wiped_out_is_found(project: Project, worker: StartWorker, redis: RedisServer) -> None:
    job = start_tally(project, total=5)
    assert redis.client().llen("celery") == 1
    redis.client().flushall()
    running = worker(app=APP, redis_url=redis.url, lease=1)
    wait_for_state(job, State.FINISHED, running)
    assert counted() == list(range(5))


def test_redis_killed_and_started_empty_loses_no_job(project: Project, worker: StartWorker, redis: RedisServer) -> None:
    running = worker(app=APP, redis_url=redis.url, lease=2)
    first = start_tally(project, total=40)
    wait_for(lambda: Job.objects.get(pk=first.pk).done >= 5, what=running.output)
    redis.kill()
    second = start_tally(project, total=40)  # nobody hears the bell, and nobody is told off
    redis.start()
    wait_for_state(first, State.FINISHED, running)
    ended = wait_for_state(second, State.FINISHED, running)
    assert ended.attempts == 1
    assert counted() == sorted([*range(40), *range(40)])


def test_job_whose_connection_to_the_database_was_cut_goes_on(project: Project, worker: StartWorker) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no connection that could be cut")
    running = worker(app=APP, lease=2)
    job = start_tally(project, total=60)
    wait_for(lambda: Job.objects.get(pk=job.pk).done >= 5, what=running.output)
    with connection.cursor() as cursor:
        others = "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
        cursor.execute(f"SELECT pg_terminate_backend(pid) FROM ({others}) AS others")  # noqa: S608 (our own words)
    ended = wait_for_state(job, State.FINISHED, running)
    assert ended.error == ""
    assert counted() == list(range(60))


def test_job_that_always_kills_its_worker_is_given_up(project: Project, worker: StartWorker) -> None:
    job = enqueue("die", project=project, by=None, title="Poison")
    running = worker(app=APP, lease=1)
    ended = wait_for_state(job, State.FAILED, running)
    assert ended.attempts == 3
    assert "stopped 3 times" in ended.error


def test_activity_export_runs_in_a_real_worker(project: Project, worker: StartWorker) -> None:
    from labeling.jobs.files import made_file
    from labeling.overview.exporting import start_activity_export

    expected = Activity.objects.count()
    job = start_activity_export(project, by=project.created_by)
    ended = wait_for_state(job, State.FINISHED, worker())
    path = made_file(ended)
    assert path is not None
    lines = path.read_text().splitlines()
    assert lines[0] == "id,at,actor,verb,subject,details"
    assert len(lines) == 1 + expected == 1 + ended.done
