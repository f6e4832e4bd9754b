"""Workers that share the pull requests of one mining, really started and really killed."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection

from labeling import tasks
from labeling.corpus.models import Item, Project
from labeling.jobs import running
from labeling.jobs.models import Job, State
from labeling.jobs.queue import cancel
from labeling.jobs.running import Run, take
from labeling.mining import collecting, sharing
from labeling.mining.gate import SharedGate
from labeling.mining.models import MinedChange, Stage
from labeling.overview.harbour import build_harbour
from labeling.people.models import Activity
from tests.jobs.waiting import wait_for
from tests.mining.conftest import TOKEN
from tests.mining.github_server import GitHubServer
from tests.mining.test_mine_github import shapes
from tests.servers import Worker

pytestmark = pytest.mark.django_db(transaction=True)
StartWorker = Callable[..., Worker]
ENDED = {State.FINISHED, State.FAILED, State.CANCELLED}


@pytest.fixture
def job(project: Project, tmp_path: Path) -> Job:
    changes = build_harbour(tmp_path / "harbour")
    reviews = tmp_path / "reviews.jsonl"
    reviews.write_text("".join(json.dumps(change.write()) + "\n" for change in changes))
    return collecting.start_mining(project, by=None, git=str(tmp_path / "harbour"), reviews=str(reviews))


def looks(file: Path) -> list[tuple[str, int]]:
    lines = file.read_text().splitlines() if file.exists() else []
    return [(worker, int(number)) for worker, number in map(str.split, lines)]


@pytest.mark.parametrize("victim", [0, 1])
def test_two_workers_share_and_a_killed_one_costs_only_what_it_held(
    job: Job, worker: StartWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: int
) -> None:
    file = tmp_path / "looks"
    monkeypatch.setenv("LOOKS", str(file))
    workers = [worker(app="tests.mining.slow", lease=2) for _ in range(2)]

    def said() -> object:
        return list(Job.objects.values("kind", "state", "done", "error")), [one.output()[-2000:] for one in workers]

    wait_for(lambda: len({one for one, _ in looks(file)}) == 2 and len(looks(file)) >= 6, what=said)
    workers[victim].kill()
    finished = set(MinedChange.objects.filter(stage=Stage.DONE).values_list("number", flat=True))
    before = len(looks(file))
    wait_for(lambda: Job.objects.get(pk=job.pk).state == State.FINISHED, what=said)
    ended = Job.objects.get(pk=job.pk)
    assert (ended.done, ended.total) == (18, 18)
    assert not MinedChange.objects.exclude(stage=Stage.DONE).exists()
    assert finished.isdisjoint(number for _, number in looks(file)[before:])
    stored = Activity.objects.filter(verb="stored").values_list("subject", flat=True)
    assert Counter(map(int, stored)) == Counter(range(1, 19))
    again = Counter(number for _, number in looks(file)).values()
    assert sum(again) - 18 <= 1  # the one that the killed worker held
    assert Item.objects.count() == 18
    wait_for(lambda: not Job.objects.active().exists(), what=said)


def test_workers_that_share_ask_github_once_for_everything_and_never_over_its_limit(
    project: Project, worker: StartWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "looks"
    with GitHubServer() as server:
        server.repositories["acme/shapes"] = shapes(range(1, 31))
        environment = {"LOOKS": str(file), "GITHUB_API_URL": server.url, "GITHUB_TOKEN": TOKEN}
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        job = collecting.start_mining(project, by=None, github="acme/shapes", state="merged")
        # Nobody is killed here, and on a busy machine nobody is to be taken for dead.
        workers = [worker(app="tests.mining.slow", lease=30) for _ in range(2)]

        def said() -> object:
            return list(Job.objects.values()), [one.output()[-2000:] for one in workers]

        wait_for(lambda: len({one for one, _ in looks(file)}) == 2, what=said)
        server.limit, server.reset = server.used + 4, int(time.time()) + 4
        wait_for(lambda: Job.objects.get(pk=job.pk).state in ENDED, what=said)
        assert Job.objects.get(pk=job.pk).state == State.FINISHED, said()
        assert server.overdrawn == 0
        again = {address: count for address, count in server.asked.items() if count > 1}
        assert {address for address in again if "state=closed" not in address} == set(), (again, said())
    assert Item.objects.count() == 15
    assert Counter(number for _, number in looks(file)) == Counter(range(1, 31))


def test_pause_is_kept_for_all_and_a_longer_one_stays(db: None) -> None:
    gate = SharedGate()
    assert gate.paused("ab" * 32, now=1000.0) is None
    gate.pause("ab" * 32, until=1060.0, reason="secondary")
    gate.pause("ab" * 32, until=1030.0, reason="shorter")
    assert SharedGate().paused("ab" * 32, now=1059.0) == (1060.0, "secondary")
    assert gate.paused("ab" * 32, now=1060.0) is None
    assert gate.paused("cd" * 32, now=1000.0) is None


@pytest.mark.skipif(connection.vendor != "postgresql", reason="one machine alone uses SQLite")
def test_turns_of_one_token_come_one_after_the_other(transactional_db: None) -> None:
    inside, most = [0], [0]

    def ask(_: int) -> None:
        try:
            with SharedGate().turn("ab" * 32):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                time.sleep(0.05)
                inside[0] -= 1
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, range(8)))
    assert most == [1]


def held_run(kind: str, project: Project) -> Run:
    job = Job.objects.create(kind=kind, title="x", project=project)
    run = take(job.pk)
    assert run is not None
    return run


def test_change_is_held_until_its_run_ends(project: Project) -> None:
    for number in (1, 2):
        MinedChange.objects.create(project=project, repository="a/b", number=number, record={}, has_naming_words=False)
    first, second = held_run("mine", project), held_run("share_mining", project)
    changes = MinedChange.objects.filter(project=project)
    taken = [sharing.claim_next(changes, run) for run in (first, second, second)]
    assert [change and change.number for change in taken] == [1, 2, None]
    first.end(State.FAILED, error="x")
    again = sharing.claim_next(changes, second)
    assert again is not None
    assert again.number == 1


def test_change_that_was_read_anew_is_not_stored_as_it_was(project: Project) -> None:
    MinedChange.objects.create(project=project, repository="a/b", number=1, record={}, has_naming_words=False)
    run = held_run("mine", project)
    seen: list[str] = []

    def store() -> None:
        seen.append("stored")
        MinedChange.objects.update(stage=Stage.DONE)

    def look(change: MinedChange) -> Callable[[], None]:
        if not seen:
            MinedChange.objects.update(claim=None)  # as reading it anew does
        seen.append("looked")
        return store

    sharing.work_through(MinedChange.objects.all(), run, look=look, step=lambda message: run.step(0, message=message))
    assert seen == ["looked", "looked", "stored"]


def test_helpers_end_with_the_mining_that_they_help(
    job: Job, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "PER_HELPER", 6)
    running.run(job.pk, tasks.WORK)
    helpers = Job.objects.filter(kind="share_mining")
    assert [helper.state for helper in helpers] == [State.FINISHED] * 3
    late = Job.objects.create(
        kind="share_mining", title="x", project=project, arguments={**helpers[0].arguments, "parent": job.pk}
    )
    running.run(late.pk, tasks.WORK)
    late.refresh_from_db()
    assert (late.state, late.result) == (State.FINISHED, {"pull_requests": 0})


def test_cancelled_mining_stops_its_helpers(job: Job, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = take(job.pk)
    assert parent is not None
    repositories = collecting.note_source(parent, None)
    helper = Job.objects.create(
        kind="share_mining",
        title="x",
        project=project,
        arguments={"parent": job.pk, "git": parent.arguments["git"], "repositories": repositories},
    )
    store, stored = collecting.store, []

    def cancel_at_the_third(change: MinedChange, *arguments: object) -> None:
        store(change, *arguments)  # type: ignore[arg-type]
        stored.append(change.number)
        if len(stored) == 3:
            cancel(job, by=None)

    monkeypatch.setattr(collecting, "store", cancel_at_the_third)
    running.run(helper.pk, tasks.WORK)
    helper.refresh_from_db()
    assert helper.state == State.CANCELLED
    assert helper.done == 2
