"""Two web servers and two workers on PostgreSQL and Redis behave as one: no state is in a process."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection

from labeling.annotation.models import Vote
from labeling.corpus.models import Project
from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.people.models import Activity, ApiToken, User
from tests.annotation.samples import EXCLUDE, items, opened_round
from tests.conftest import PASSWORD
from tests.jobs.waiting import wait_for
from tests.servers import WebServer, Worker

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="many processes need PostgreSQL"),
]
RATE = 12
MINUTE, ENOUGH = 60, 10
Pair = tuple[str, str]


@pytest.fixture(scope="module")
def pair(django_db_setup: None) -> Iterator[Pair]:
    """The addresses of two web servers that know nothing of each other."""
    servers: list[WebServer] = []
    try:
        for _ in range(2):
            servers.append(WebServer(API_RATE_USER=str(RATE)))  # noqa: PERF401 (what has started must be stopped)
        yield servers[0].url, servers[1].url
    finally:
        for server in servers:
            server.stop()


@pytest.fixture
def browser(bob: User) -> Browser:
    bob.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt", iterations=1000)  # as the servers know it
    bob.save()
    return Browser()


class Browser:
    """Keeps its cookies, which are the same for every port of a machine."""

    def __init__(self) -> None:
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def open(self, url: str, data: dict[str, str] | None = None) -> tuple[int, str]:
        try:
            with self.opener.open(url, urlencode(data).encode() if data else None, timeout=30) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def log_in(self, url: str, password: str) -> tuple[int, str]:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.open(f"{url}/login/")[1])
        assert token
        sent = {"csrfmiddlewaretoken": token[1], "username": "bob@example.org", "password": password}
        return self.open(f"{url}/login/", sent)


def call(url: str, token: str, path: str, body: Any = None) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = json.dumps(body).encode() if body is not None else None
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{url}/api/v1/{path}", data, headers)) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_who_logs_in_here_is_known_there(pair: Pair, browser: Browser, project: Project) -> None:
    here, there = pair
    assert "Log out" in browser.log_in(here, PASSWORD)[1]
    status, page = browser.open(f"{there}/projects/names/")
    assert (status, "Log out" in page) == (200, True)


def test_wrong_passwords_count_together(pair: Pair, browser: Browser) -> None:
    for number in range(5):
        browser.log_in(pair[number % 2], "wrong")
    for url in pair:
        status, page = browser.log_in(url, PASSWORD)
        assert (status, "Log out" in page) == (429, False)


def test_item_from_here_is_voted_on_there_once(pair: Pair, project: Project, bob: User) -> None:
    items(project, 2)
    opened_round(project, [bob], votes=1)
    _, token = ApiToken.issue(user=bob, name="test")
    here, there = pair
    given = call(here, token, "projects/names/next/", {})[1]["assignment"]["id"]
    assert call(there, token, "projects/names/next/", {})[1]["assignment"]["id"] == given
    ballot = {"submission": str(uuid4()), "answers": EXCLUDE}
    first, second = (call(url, token, f"assignments/{given}/vote/", ballot) for url in (there, here))
    assert first == second
    assert Vote.objects.count() == 1


def test_calls_are_counted_together(pair: Pair, bob: User) -> None:
    _, token = ApiToken.issue(user=bob, name="test")
    if time.time() % MINUTE > MINUTE - ENOUGH:
        time.sleep(ENOUGH + 1)  # a new minute would count anew
    statuses = [call(pair[number % 2], token, "me/")[0] for number in range(RATE + 2)]
    assert statuses == [200] * RATE + [429] * 2


def test_two_workers_do_each_job_once(project: Project, worker: Callable[..., Worker]) -> None:
    lines, jobs = 5, 12
    for number in range(jobs):
        enqueue("tally", project=project, by=None, title=f"Tally {number}", total=lines, rest=0.05)
    workers = [worker(app="tests.jobs.tally", lease=20) for _ in range(2)]
    wait_for(lambda: not Job.objects.active().exists(), what=lambda: [one.output() for one in workers])
    assert set(Job.objects.values_list("state", "done", "attempts")) == {(State.FINISHED, lines, 1)}
    counted = Activity.objects.filter(verb="counted").values_list("subject", flat=True)
    assert sorted(map(int, counted)) == sorted([*range(lines)] * jobs)
