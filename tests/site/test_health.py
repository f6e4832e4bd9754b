from __future__ import annotations

import json
import logging
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from annotator.logs import JsonFormatter
from labeling.corpus.models import Project
from labeling.jobs.queue import enqueue
from labeling.jobs.workers import ALIVE, workers_alive
from labeling.people.invitations import invite
from labeling.people.models import Role, User
from tests.annotation.samples import annotators, items, judge, opened_round
from tests.jobs.waiting import wait_for
from tests.servers import Worker

TOKEN = {"Authorization": "Bearer metrics-token-for-tests"}


def test_live_needs_nothing(client: Client) -> None:
    """No database fixture: asking the database here would fail."""
    assert client.get("/healthz").status_code == 200


def test_ready_says_what_is_missing(client: Client, db: None) -> None:
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"database": "ok", "migrations": "ok", "redis": "ok", "worker": "none"}
    cache.set(ALIVE, "worker@here")
    assert client.get("/readyz").status_code == 200


def test_ready_sees_a_migration_that_is_not_applied(client: Client, db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'labeling'")
    assert "not applied" in client.get("/readyz").json()["migrations"]


def test_ready_sees_a_redis_that_is_away(client: Client, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.core.cache.backends.redis import RedisCache

    broken = RedisCache("unix:///nowhere/redis.sock", {})
    monkeypatch.setattr("annotator.health.cache", broken)
    assert client.get("/readyz").json()["redis"] == "no answer"


@pytest.mark.django_db(transaction=True)
def test_ready_sees_a_worker_come_and_go(worker: Callable[..., Worker]) -> None:
    running = worker()
    wait_for(workers_alive, what=running.output)
    running.kill()
    wait_for(lambda: not workers_alive())


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "metrics-token"}])
def test_metrics_are_hidden_without_the_token(client: Client, db: None, headers: dict[str, str]) -> None:
    assert client.get("/metrics", headers=headers).status_code == 404


def test_metrics_are_hidden_when_no_token_is_set(client: Client, db: None, settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_metrics_count_requests_and_jobs(client: Client, project: Project) -> None:
    def requests() -> float:
        text = client.get("/metrics", headers=TOKEN).text
        name = 'annotator_requests_total{method="GET",route="people:login",status="200"}'
        return next((float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name)), 0)

    before = requests()
    client.get("/login/")
    assert requests() == before + 1
    enqueue("work", project=project, by=None, title="Work")
    text = client.get("/metrics", headers=TOKEN).text
    assert 'annotator_jobs{kind="work",state="queued"} 1.0' in text
    assert 'annotator_request_seconds_bucket{le="0.1",route="people:login"}' in text


def test_metrics_count_votes(client: Client, project: Project) -> None:
    items(project, 3)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    judge(ann, round)
    judge(ann, round)
    assert 'annotator_votes{project="names"} 2.0' in client.get("/metrics", headers=TOKEN).text


def test_log_line_has_route_and_id_and_no_person(
    project: Project, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    _, token = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    client = Client(headers={"X-Request-ID": "from-the-proxy-1"})
    with caplog.at_level(logging.DEBUG):
        response = client.get(f"/join/{token}/")
        client.get("/join/gone/")
        client.get("/projects/names/secret-path-42/")
        client.post("/login/", {"username": "alice@example.org", "password": "hunter2hunter2"})
    assert response["X-Request-ID"] == "from-the-proxy-1"
    text = "\n".join(JsonFormatter().format(record) for record in caplog.records)
    for secret in (token, "dora@example.org", "alice@example.org", "hunter2", "secret-path-42"):
        assert secret not in text
    lines = [json.loads(line) for line in text.splitlines()]
    joined = next(line for line in lines if line.get("route") == "people:join")
    assert (joined["method"], joined["status"], joined["level"]) == ("GET", 200, "info")


def test_insane_request_id_is_replaced(client: Client, db: None) -> None:
    response = client.get("/login/", headers={"X-Request-ID": "x" * 500})
    assert len(response["X-Request-ID"]) == 32


def test_log_of_a_fault_has_its_place_but_not_its_text() -> None:
    try:
        raise ValueError("alice@example.org wrote this")
    except ValueError:
        record = logging.getLogger("x").makeRecord("x", 40, __file__, 1, "broke", (), __import__("sys").exc_info())
    line = JsonFormatter().format(record)
    assert "alice" not in line
    assert json.loads(line)["error"][0] == "ValueError"
    assert "test_health.py" in line
