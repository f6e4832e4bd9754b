"""Something dies while many vote, answer and decide: what was acknowledged is there once; nobody repairs anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from django.db import connection

from tests.faults.conftest import App, small_disk
from tests.faults.crowd import Crowd
from tests.faults.filling import CASES, ITEMS, JOBS, TALLY, VOTES
from tests.jobs.waiting import wait_for

Fault = Callable[[App, Crowd], None]
CHUNK = 1 << 16
pytestmark = pytest.mark.timeout(300)  # of which a quiet machine needs a tenth


def kill_web(app: App, crowd: Crowd) -> None:
    """Both processes that answer, one after the other; their parent starts new ones."""
    for process in psutil.Process(app.web.process.pid).children():
        process.kill()
        go_on(app, crowd, 20)


def kill_worker(app: App, crowd: Crowd) -> None:
    app.kill_worker()
    go_on(app, crowd, 20)
    app.start_worker()


def kill_redis(app: App, crowd: Crowd) -> None:
    app.redis.kill()
    go_on(app, crowd, 20)  # votes need no Redis
    app.redis.start()


def kill_postgres(app: App, crowd: Crowd) -> None:
    assert app.postgres
    app.postgres.kill()
    refused(crowd)
    app.postgres.start()


def fill_disk(app: App, crowd: Crowd) -> None:
    with full_disk(app.var):
        if connection.vendor == "sqlite":
            refused(crowd)
            return
        job = crowd.coordinate("items/export/")["id"]
        state, error = app.how_it_ended(job)
        assert (state, app.files_of(job)) == ("failed", [])
        assert "no room left on the disk" in error
        for process in psutil.Process(app.web.process.pid).children():
            process.kill()
        go_on(app, crowd, 20)  # votes are stored elsewhere, and new processes need no room
    crowd.coordinate(f"jobs/{job}/retry/")
    assert app.how_it_ended(job) == ("finished", "")
    (file,) = app.files_of(job)
    assert (file.name, len(file.read_text().splitlines())) == ("items.jsonl", ITEMS)


@contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    filler = folder / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(bytes(CHUNK)):
            pass
    try:
        yield
    finally:
        filler.unlink()


def cut_connections(app: App, crowd: Crowd) -> None:
    app.proxy.cutting = True
    wait_until(crowd, lambda kind: crowd.outcomes[kind, "cut"] > 0 and (kind != "vote" or app.proxy.cuts > 40))
    app.proxy.cutting = False


def go_on(app: App, crowd: Crowd, votes: int) -> None:
    """Waits until so many more votes were acknowledged, and one more of every other kind."""
    wanted = {kind: count + (votes if kind == "vote" else 1) for kind, count in crowd.acknowledged.items()}
    wait_until(crowd, lambda kind: crowd.acknowledged[kind] >= wanted[kind], said=app.output)


def refused(crowd: Crowd) -> None:
    """Waits until the app cannot store what is sent, of whichever kind."""
    before = crowd.outcomes.copy()
    wait_until(crowd, lambda kind: crowd.outcomes[kind, "500"] > before[kind, "500"])


def wait_until(crowd: Crowd, seen: Callable[[str], bool], *, said: Callable[[], object] = str) -> None:
    """Something of every kind, which the crowd does for it."""
    crowd.still_wants = lambda kind: not seen(kind)
    wait_for(lambda: bool(crowd.failures) or all(map(seen, crowd.in_all)), what=lambda: (dict(crowd.outcomes), said()))
    assert crowd.failures == [], crowd.outcomes


def test_without_the_right_to_mount_a_plain_folder_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with small_disk(tmp_path / "var") as problem:
        assert "the right to mount a small disk" in problem
        assert (tmp_path / "var").is_dir()


FAULTS = [kill_web, kill_worker, kill_redis, cut_connections, fill_disk]
if connection.vendor == "postgresql":
    FAULTS.append(kill_postgres)


@pytest.mark.parametrize("fault", FAULTS)
def test_what_was_acknowledged_is_there_once(app: App, fault: Fault) -> None:
    if fault is fill_disk and app.unfillable:
        pytest.skip(app.unfillable)
    name = fault.__name__.replace("_", "-")
    facts = app.fill(name)
    with Crowd(app.proxy.url, name, facts) as crowd:
        go_on(app, crowd, 20)
        assert not app.jobs_ended(facts["jobs"])
        fault(app, crowd)
        at_its_end = crowd.acknowledged
        crowd.finish()
    assert crowd.acknowledged == crowd.in_all
    assert all(at_its_end[kind] < count for kind, count in crowd.in_all.items()), "it came too late"
    wait_for(lambda: app.jobs_ended(facts["jobs"]), what=app.output)
    found = app.count(name, facts["round"])
    assert dict(found["votes"]) == crowd.votes, "every vote that was acknowledged, and no other"
    assert all(len(voters) == len(set(voters)) == VOTES for voters in found["voters"])
    assert len(found["voters"]) == ITEMS
    assert found["decisions"] == sorted(crowd.decisions)
    assert found["proposals"] == sorted(crowd.proposals)
    assert [row[1:] for row in found["cases"]] == [["decided", 1, True]] * 2 * CASES
    assert found["answers"] == {code: [answer, 1, 0] for code, answer in crowd.answers.items()}
    assert set(found["steps"]) == {"finished"}
    assert found["jobs"] == [[job, "finished", TALLY["total"], ""] for job in facts["jobs"]]
    assert found["counted"] == sorted([*range(int(TALLY["total"]))] * JOBS)
    assert app.web.answers()
