"""Many people at once, over HTTP, against the real gunicorn: nothing lost, nothing doubled, nothing broken."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from http.client import HTTPConnection
from random import Random
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.utils import timezone

from labeling.annotation.judging.claiming import WINDOW
from labeling.annotation.models import Assignment, Handing, Round, RoundItem, SlotState, Vote
from labeling.corpus.models import Project
from labeling.people.models import ApiToken, User
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators, assert_sound, items, judge, judge_all, opened_round
from tests.servers import WebServer

VOTES, TOPPED_UP = 2, 3
PATIENCE = 60


class Caller:
    """A person with a token and a connection of their own; remembers every answer."""

    def __init__(self, url: str, user: User) -> None:
        _, self.token = ApiToken.issue(user=user, name="test")
        self.place = urlsplit(url).netloc
        self.connection = HTTPConnection(self.place, timeout=PATIENCE)
        self.statuses: Counter[int] = Counter()
        self.cast: dict[str, int] = {}

    def post(self, path: str, body: Any = None, connection: HTTPConnection | None = None) -> tuple[int, Any]:
        used = connection or self.connection
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        used.request("POST", f"/api/v1/{path}", json.dumps(body or {}), headers)
        answer = used.getresponse()
        data = json.loads(answer.read() or "null")
        self.statuses[answer.status] += 1
        return answer.status, data

    def vote(self, assignment: int, rng: Random) -> Any:
        """Sometimes the same submission from two connections at once; else it often asks for the next item."""
        body: dict[str, Any] = {"submission": str(uuid4()), "answers": rng.choice([INCLUDE, EXCLUDE])}
        path = f"assignments/{assignment}/vote/"
        if rng.random() > 0.25:
            if rng.random() > 0.3:
                body["next"] = {}
            status, answer = self.post(path, body)
            self.note(body, status, answer)
            return answer["next"]["assignment"] if "next" in body and status == 200 else None
        answers: list[tuple[int, Any]] = []

        def send() -> None:
            with closing(HTTPConnection(self.place, timeout=PATIENCE)) as own:
                answers.append(self.post(path, body, own))

        run_all([threading.Thread(target=send) for _ in range(2)])
        assert answers[0] == answers[1] or {status for status, _ in answers} <= {200, 409}
        for each in answers:
            self.note(body, *each)
        return None

    def note(self, body: dict[str, Any], status: int, answer: Any) -> None:
        if status == 200:
            assert self.cast.setdefault(body["submission"], answer["id"]) == answer["id"]


def run_all(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_hammered_round_ends_with_every_vote_once(transactional_db: None, project: Project, alice: User) -> None:
    count = 50 if connection.vendor == "postgresql" else 8
    items(project, count)
    people = annotators(project, count)
    round = opened_round(project, people, votes=VOTES)
    server = WebServer(WEB_PROCESSES="2", WEB_THREADS="8", API_RATE_USER="1000000")
    try:
        callers = [Caller(server.url, user) for user in people]
        coordinator = Caller(server.url, alice)
        failures: list[BaseException] = []
        done = threading.Event()
        workers = [
            threading.Thread(target=guarded, args=(failures, lambda c=c, n=n: work(c, Random(n))))  # noqa: S311
            for n, c in enumerate(callers)
        ]
        helpers = [
            threading.Thread(target=guarded, args=(failures, lambda: meddle(coordinator, round, people))),
            threading.Thread(target=guarded, args=(failures, lambda: expire_leases(round, done))),
        ]
        for thread in helpers:
            thread.start()
        run_all(workers)
        done.set()
        for thread in helpers:
            thread.join()
        for caller in (*callers, coordinator):
            caller.connection.close()
        assert failures == []
    finally:
        log = server.output()
        server.stop()
    statuses = sum((caller.statuses for caller in [*callers, coordinator]), Counter())
    assert set(statuses) <= {200, 409}, (statuses, log[-3000:])
    assert coordinator.statuses[200] >= 4
    judge_all(people, round)  # what was still held when the last of them stopped
    for item in RoundItem.objects.filter(round=round):
        voters = item.assignments.filter(state=SlotState.VOTED).values_list("rater", flat=True)
        assert len(voters) == len(set(voters)) == item.votes == item.wanted == TOPPED_UP
    stored = {str(submission): pk for pk, submission in Vote.objects.values_list("pk", "submission")}
    for caller in callers:
        assert caller.cast.items() <= stored.items()
    assert Vote.objects.filter(revision=1).count() == Vote.objects.count() == TOPPED_UP * count
    assert_sound(round)


def guarded(failures: list[BaseException], act: Callable[[], None]) -> None:
    try:
        act()
    except BaseException as error:  # noqa: BLE001 (a thread's failure is the test's)
        failures.append(error)
    finally:
        connection.close()


def work(caller: Caller, rng: Random) -> None:
    """Judges until nothing was left three times in a row; now and then skips, or walks away from an item."""
    empty, deadline, assignment = 0, time.monotonic() + PATIENCE, None
    while empty < 3 and time.monotonic() < deadline:
        if assignment is None:
            status, answer = caller.post("projects/names/next/")
            assignment = answer.get("assignment") if status == 200 else None
        if assignment is None:
            empty += 1
            time.sleep(0.2)
            continue
        empty = 0
        if rng.random() < 0.05:
            caller.post(f"assignments/{assignment['id']}/skip/", {"reason": "unclear"})
            assignment = None
        else:
            assignment = caller.vote(assignment["id"], rng)


def meddle(coordinator: Caller, round: Round, people: list[User]) -> None:
    """Takes somebody out and back in, returns items, asks for more votes, closes and opens the round."""
    base = f"projects/names/rounds/{round.pk}"
    email = {"email": people[0].email}
    absent = {"email": people[1].email}
    coordinator.post(f"{base}/top-up/", {"votes": TOPPED_UP})
    acts: list[tuple[str, Any]] = [("raters/remove", email), ("return", absent), ("raters", email), ("close", None)]
    for _ in range(3):
        for act, body in acts:
            assert coordinator.post(f"{base}/{act}/", body)[0] == 200
            time.sleep(0.1)
        assert coordinator.post(f"{base}/reopen/")[0] == 200
        time.sleep(0.3)


def expire_leases(round: Round, done: threading.Event) -> None:
    """Every lease runs out again and again, so that slots change hands while their holders vote."""
    while not done.wait(0.1):
        held = Assignment.objects.open().filter(round=round, lease_until__isnull=False)
        held.update(lease_until=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize("handing", Handing)
def test_many_hands_finish_a_round_together(transactional_db: None, project: Project, handing: Handing) -> None:
    count = 12 if connection.vendor == "postgresql" else 4
    items(project, 30)
    people = annotators(project, count)
    round = opened_round(project, people, votes=3, handing=handing, calibration=2)
    failures: list[BaseException] = []

    def act(user: User) -> None:
        while judge(user, Round.objects.get(pk=round.pk)):
            pass

    run_all([threading.Thread(target=guarded, args=(failures, lambda u=user: act(u))) for user in people])
    assert failures == []
    assert all(item.is_complete for item in RoundItem.objects.filter(round=round))
    assert_sound(round)


def test_window_that_others_are_claiming_is_passed_over_and_not_forgotten(
    transactional_db: None, project: Project
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    items(project, WINDOW + 10)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    locked, done = threading.Event(), threading.Event()
    failures: list[BaseException] = []

    def claim_the_window() -> None:
        with transaction.atomic():
            list(Assignment.objects.select_for_update().filter(round=round, position__lt=WINDOW))
            locked.set()
            done.wait(PATIENCE)

    other = threading.Thread(target=guarded, args=(failures, claim_the_window))
    other.start()
    locked.wait(PATIENCE)
    beyond = judge(ann, round)
    done.set()
    other.join()
    assert failures == []
    assert beyond
    assert beyond.position >= WINDOW
    judge_all([ann], round)
    assert all(item.is_complete for item in RoundItem.objects.filter(round=round))
