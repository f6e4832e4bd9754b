"""Who may come often is counted together by all processes, but not asked about each time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from annotator.limits import MINUTE, Shares, counters


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock stands, so that no new minute begins."""
    now = [1_000_000.0 * MINUTE]
    monkeypatch.setattr("annotator.limits.time.time", lambda: now[0])
    return now


@pytest.fixture
def key() -> str:
    return f"test-{uuid4()}"


def counted(key: str, now: list[float]) -> int:
    return int(counters.redis.get(f"annotator:throttle-{MINUTE}-{int(now[0] // MINUTE)}-{key}") or 0)


def test_leave_is_taken_for_a_hundredth_at_once(key: str, now: list[float]) -> None:
    shares = Shares()
    assert all(shares.take(key, most=1000) for _ in range(25))
    assert counted(key, now) == 30


@pytest.mark.parametrize("most", [1, 7, 99, 250, 1000])
def test_several_processes_together_let_nobody_come_more_often_than_they_may(key: str, most: int) -> None:
    processes = [Shares() for _ in range(3)]
    taken = sum(processes[number % 3].take(key, most=most) for number in range(most + 50))
    assert taken == most - most % max(1, most // 100)


def test_leave_is_for_its_minute(key: str, now: list[float]) -> None:
    shares = Shares()
    assert shares.take(key, most=1000)
    now[0] += MINUTE
    assert shares.take(key, most=1000)
    assert counted(key, now) == 10, "what was left of the minute before is gone"


def test_threads_of_a_process_share_it(key: str, now: list[float]) -> None:
    shares, begin = Shares(), threading.Barrier(8)

    def come(_: int) -> int:
        begin.wait()
        return sum(shares.take(key, most=400) for _ in range(100))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(come, range(8))) == 400
    assert counted(key, now) > 400, "the others were refused"
