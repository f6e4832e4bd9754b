"""A GitHub of ours with one repository, and a clock that goes on when someone sleeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from labeling.mining.github.client import GitHub
from tests.mining.github_samples import commit, file, inline, pull, remark, review, sha
from tests.mining.github_server import GitHubServer, Repository

Ask = Callable[..., GitHub]
TOKEN = "good-token"


class Clock:
    """Stands still but for sleeping, and remembers what was announced."""

    def __init__(self) -> None:
        self.seconds = 1_700_000_000.0
        self.slept: list[float] = []
        self.waits: list[tuple[datetime, str]] = []

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)

    def time(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        assert len(self.waits) > len(self.slept), "slept without saying so first"
        self.slept.append(seconds)
        self.seconds += seconds

    def on_wait(self, until: datetime, reason: str) -> None:
        self.waits.append((until, reason))


def shapes() -> Repository:
    """Pull request 7 has all kinds of comments; 8 was closed, 9 is open."""
    commits = [commit("first"), commit("second", parents=["first"], message="Rename calc to area")]
    files = [
        file("src/Circle.java"),
        file("src/Disc.java", "renamed", previous_filename="src/Round.java"),
        file("README.md"),
        {key: value for key, value in file("src/Huge.java").items() if key != "patch"},
    ]
    return Repository(
        pulls=[pull(7), pull(8, merged_at=None), pull(9, merged_at=None, state="open", closed_at=None)],
        inline={7: [inline(71, "Please rename calc, it is not descriptive."), inline(72, "Done.", in_reply_to_id=71)]},
        reviews={7: [review(73, "Two names are unclear."), review(74, "", user={"login": "ada"})]},
        talk={7: [remark(75, "Thanks, renamed.")]},
        pull_commits={7: commits},
        commits={found["sha"]: found | {"files": files} for found in commits},
        contents={("src/Circle é #1.java", sha("second")): b"class Circle {}\r\n\xff"},
        blobs={sha("src/Circle.java"): b"\xef\xbb\xbfclass Circle {}"},
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server(clock: Clock) -> Iterator[GitHubServer]:
    with GitHubServer(clock.time) as server:
        server.repositories["acme/shapes"] = shapes()
        yield server


@pytest.fixture
def ask(server: GitHubServer, clock: Clock, tmp_path: Path) -> Iterator[Ask]:
    """Makes clients of the server that share a cache, as runs one after another do."""
    with ExitStack() as stack:

        def make(token: str = TOKEN, **options: Any) -> GitHub:
            given = {"on_wait": clock.on_wait, "sleep": clock.sleep, "clock": clock.now, **options}
            given = {"base_url": server.url, "cache_dir": tmp_path / "cache", **given}
            return stack.enter_context(GitHub(token=token, **given))

        yield make
