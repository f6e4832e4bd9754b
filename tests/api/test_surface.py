"""What holds for the whole API: its schema, its documentation, its limits, its errors."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver
from pytest_django.fixtures import Settings
from redis import Redis
from rest_framework.test import APIClient

from labeling.corpus.models import Project
from labeling.people.models import Membership, Role, User
from tests.api.test_projects import caller, problem


def schema() -> dict[str, Any]:
    found: dict[str, Any] = APIClient().get("/api/v1/schema/?format=json").json()
    return found


def test_root_says_where_things_are(db: None) -> None:
    links = APIClient().get("/api/v1/").json()
    assert links["projects"] == "http://testserver/api/v1/projects/"
    assert all(APIClient().get(links[name]).status_code == 200 for name in ("schema", "docs"))


def test_schema_names_every_route(db: None) -> None:
    patterns = get_resolver("labeling.api.urls").url_patterns
    hidden = {"schema/", "docs/"}
    names = re.compile("<(?:int|assignment):pk>")
    plain = [re.sub("<(?:slug|int):(slug|number)>", r"{\1}", str(pattern.pattern)) for pattern in patterns]
    routes = {names.sub("{id}", route) for route in plain}
    found = schema()
    assert found["openapi"].startswith("3.")
    assert set(found["paths"]) == {f"/api/v1/{route}" for route in routes - hidden}


def test_documentation_lists_every_operation(db: None) -> None:
    page = Client().get("/api/v1/docs/").text
    for path, item in schema()["paths"].items():
        for method in item:
            assert f'<code class="operation__method">{method.upper()}</code> <code>{path}</code>' in page


def test_unknown_address_is_a_problem_document(db: None) -> None:
    response = APIClient().get("/api/v1/nothing/")
    assert response.status_code == 404
    problem(response)


def test_wrong_method_is_a_problem_document(alice: User) -> None:
    response = caller(alice).put("/api/v1/me/", {})
    assert response.status_code == 405
    problem(response)


def test_fault_of_ours_is_a_problem_document(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("inside")

    monkeypatch.setattr("labeling.api.views.caller", broken)
    client = caller(alice)
    client.raise_request_exception = False
    response = client.get("/api/v1/me/")
    assert response.status_code == 500
    assert "inside" not in response.text
    problem(response)


def test_caller_who_asks_too_often_is_told_when_to_come_back(alice: User, bob: User, settings: Settings) -> None:
    settings.API_RATE_USER = 3
    client = caller(alice)
    statuses = [client.get("/api/v1/me/").status_code for _ in range(8)]
    assert statuses.count(200) in {3, 4, 5, 6}  # a new minute may have begun in between
    assert statuses.count(429) == 8 - statuses.count(200) > 0
    response = next(answer for answer in iter(lambda: client.get("/api/v1/me/"), None) if answer.status_code == 429)
    assert 1 <= int(response["Retry-After"]) <= 61
    problem(response)
    assert caller(bob).get("/api/v1/me/").status_code == 200


def test_nobody_is_turned_away_while_redis_is_away(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.limits.counters.redis", Redis.from_url("unix:///nowhere/redis.sock"))
    assert caller(alice).get("/api/v1/me/").status_code == 200


def test_page_is_never_larger_than_five_hundred(alice: User) -> None:
    Project.objects.bulk_create(Project(name=f"P{number}", slug=f"p{number}") for number in range(502))
    made = [Membership(project=project, user=alice, role=Role.VIEWER) for project in Project.objects.all()]
    Membership.objects.bulk_create(made)
    client = caller(alice)
    for asked, given in (("3", 3), ("100000", 500), ("-1", 50), ("0", 50), ("x", 50)):
        assert len(client.get("/api/v1/projects/", {"page_size": asked}).json()["results"]) == given


@pytest.mark.parametrize("position", ["abc", "", "1e5", "nan", "\x00"])
def test_forged_cursor_is_not_found(alice: User, position: str) -> None:
    cursor = base64.b64encode(f"p={position}".encode()).decode()
    assert caller(alice).get("/api/v1/projects/", {"cursor": cursor}).status_code in {200, 404}


@pytest.mark.parametrize("body", ["[" * 200_000, '{"name": "\\ud800"}', '{"name": NaN}'])
def test_body_that_breaks_parsers_is_refused(alice: User, body: str) -> None:
    response = caller(alice).post("/api/v1/projects/", body, content_type="application/json")
    assert response.status_code == 400
    assert problem(response)["detail"].startswith("The body is not JSON: ")


def test_body_that_is_too_large_is_refused(alice: User) -> None:
    body = '{"name": "' + "x" * 6_000_000 + '"}'
    response = caller(alice).post("/api/v1/projects/", body, content_type="application/json")
    assert response.status_code == 413
    problem(response)


@pytest.mark.parametrize(
    ("accepted", "status"),
    [
        ("*/*", 200),
        ("application/json, */*", 200),
        ("text/html,application/json;q=0.5", 200),
        ("text/html;q=0.5,*/*", 200),
        ("text/html, application/*", 200),
        ("text/html", 406),
        ("application/jsonp", 406),
    ],
)
def test_who_takes_json_gets_it_and_nobody_else(alice: User, accepted: str, status: int) -> None:
    client = caller(alice)
    assert [client.get("/api/v1/me/", HTTP_ACCEPT=accepted).status_code for _ in range(2)] == [status] * 2
