"""GitHub's limits are never overdrawn, and a wait is announced before it begins."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from email.utils import formatdate
from pathlib import Path
from threading import Barrier

import pytest

from labeling.mining.github.client import GitHub
from labeling.mining.github.exchanges import UnreachableError
from labeling.mining.github.pulls import list_pulls, read_change
from tests.mining.conftest import TOKEN, Ask, Clock
from tests.mining.github_samples import read_blob, sha
from tests.mining.github_server import GitHubServer

SHAPES = "acme/shapes"


def in_seconds(clock: Clock, seconds: float) -> datetime:
    return clock.now() + timedelta(seconds=seconds)


def test_when_nothing_is_left_it_waits_before_the_next_request(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    server.limit, reset = 3, server.reset
    assert len(read_change(ask(), SHAPES, 7).comments) == 4
    assert (server.overdrawn, set(server.statuses)) == (0, {200})
    assert clock.waits == [(datetime.fromtimestamp(reset + 1, clock.now().tzinfo), clock.waits[0][1])]
    assert clock.waits[0][1] == "the limit of 3 requests an hour is used up"
    assert clock.slept == [3601]


def test_a_process_that_starts_anew_knows_that_nothing_is_left(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    server.limit = 1
    read_blob(ask(), SHAPES, sha("src/Circle.java"))
    list(list_pulls(ask(), SHAPES))
    assert (server.overdrawn, clock.slept) == (0, [3601])


def test_several_at_once_never_overdraw_the_limit(server: GitHubServer, clock: Clock, tmp_path: Path) -> None:
    server.limit, server.delay = 21, 0.01
    ids = [sha(str(number)) for number in range(40)]
    server.repositories[SHAPES].blobs |= dict.fromkeys(ids, b"x")

    def sleep(seconds: float) -> None:
        clock.seconds += seconds

    def work(part: list[str]) -> None:
        with GitHub(server.url, TOKEN, cache_dir=tmp_path / "cache", clock=clock.now, sleep=sleep) as github:
            for blob in part:
                read_blob(github, SHAPES, blob)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [ids[start::4] for start in range(4)]))
    assert (server.overdrawn, sum(server.asked.values())) == (0, 40)


def test_several_who_want_the_same_at_once_ask_once(server: GitHubServer, tmp_path: Path) -> None:
    server.delay = 0.1
    together = Barrier(4)

    def work(_: int) -> bytes:
        with GitHub(server.url, TOKEN, cache_dir=tmp_path / "cache") as github:
            together.wait()
            return read_blob(github, SHAPES, sha("src/Circle.java"))

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(work, range(4)))) == 1
    assert list(server.asked.values()) == [1]


def test_a_used_up_limit_is_waited_out(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    server.used, server.reset = server.limit, int(clock.seconds) + 90
    assert len(list(list_pulls(ask(), SHAPES))) == 3
    assert server.statuses == [403, 200]
    assert clock.slept == [91]


def test_a_wrong_clock_does_not_shorten_the_wait(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    server.used, server.reset = server.limit, int(clock.seconds) + 90
    list(list_pulls(ask(clock=lambda: clock.now() + timedelta(minutes=5)), SHAPES))
    assert clock.slept == [91]


@pytest.mark.parametrize("status", [403, 429])
def test_a_secondary_limit_is_waited_out(server: GitHubServer, ask: Ask, clock: Clock, status: int) -> None:
    server.fail("pulls", status, message="You have exceeded a limit", headers={"Retry-After": "30"})
    until = in_seconds(clock, 31)
    assert len(list(list_pulls(ask(), SHAPES))) == 3
    assert clock.waits == [(until, "GitHub asks for a pause (secondary limit)")]
    assert clock.slept == [31]


def test_a_secondary_limit_without_a_time_is_a_minute_and_doubles(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    server.fail("pulls", 403, message="You have exceeded a secondary rate limit.", times=2)
    server.fail("pulls", 429)
    list(list_pulls(ask(), SHAPES))
    assert clock.slept == [60, 120, 240]


@pytest.mark.parametrize(
    ("asked", "slept"), [(lambda soon: formatdate(soon, usegmt=True), 46), (lambda _: "9" * 20, 86400)]
)
def test_a_pause_can_be_asked_for_by_date_and_is_at_most_a_day(
    server: GitHubServer, ask: Ask, clock: Clock, asked: Callable[[float], str], slept: int
) -> None:
    server.fail("pulls", 403, headers={"Retry-After": asked(clock.seconds + 45)})
    list(list_pulls(ask(clock=lambda: clock.now() + timedelta(minutes=5)), SHAPES))
    assert clock.slept == [slept]


def test_a_server_in_trouble_can_ask_for_a_longer_wait(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    server.fail("pulls", 503, headers={"Retry-After": "20"})
    list(list_pulls(ask(), SHAPES))
    assert clock.slept == [20]


def test_a_secondary_limit_pauses_everyone_with_the_token(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    server.fail("blobs", 403, headers={"Retry-After": "30"}, times=9)
    stopped = ask(sleep=lambda _seconds: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        read_blob(stopped, SHAPES, sha("src/Circle.java"))
    clock.waits.clear()
    list(list_pulls(ask(), SHAPES))
    assert clock.slept == [31]


def test_a_limit_that_does_not_end_is_an_error(server: GitHubServer, ask: Ask) -> None:
    server.fail("pulls", 403, headers={"Retry-After": "1"}, times=99)
    with pytest.raises(UnreachableError, match=r"pulls\?.* in 6 attempts: GitHub asks for a pause"):
        list(list_pulls(ask(), SHAPES))
    assert sum(server.asked.values()) == 6
