"""Something dies while many vote, answer and decide: what was acknowledged is there once; nobody repairs anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from django.db import connection

from tests.faults.conftest import App
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
        else:
            kill_web(app, crowd)  # votes are stored elsewhere, and new processes need no room


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
    wait_for(lambda: app.proxy.cuts > 40, what=lambda: crowd.outcomes)
    app.proxy.cutting = False


def go_on(app: App, crowd: Crowd, count: int) -> None:
    """Waits until so many more were acknowledged."""
    wanted = crowd.acknowledged + count
    wait_for(lambda: crowd.acknowledged >= wanted or crowd.is_done, what=lambda: (crowd.outcomes, app.output()))


def refused(crowd: Crowd) -> None:
    """Waits until the app cannot store what is sent."""
    before = crowd.outcomes["500"]
    wait_for(lambda: crowd.outcomes["500"] >= before + 10, what=lambda: crowd.outcomes)


EVERYWHERE = [kill_web, kill_worker, fill_disk]
FAULTS = [*EVERYWHERE, kill_redis, kill_postgres, cut_connections]  # these have nothing to do with SQLite


@pytest.mark.parametrize("fault", FAULTS if connection.vendor == "postgresql" else EVERYWHERE)
def test_what_was_acknowledged_is_there_once(app: App, fault: Fault) -> None:
    name = fault.__name__.replace("_", "-")
    facts = app.fill(name)
    crowd = Crowd(app.proxy.url, name, facts)
    crowd.start()
    go_on(app, crowd, 30)
    assert not app.jobs_ended(facts["jobs"])
    fault(app, crowd)
    assert not crowd.is_done, "the fault came too late"
    crowd.join()
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
