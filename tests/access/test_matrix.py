"""Every route and method against everybody, as matrix.csv says; a route without a row fails, and so does a row without
a route."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.http import HttpResponseBase
from django.test import Client
from pytest_django.fixtures import Settings

from labeling.corpus.models import Project
from labeling.corpus.projects import create_project
from labeling.people.invitations import add_member
from labeling.people.models import Activity, Role, User
from tests.access.places import furnished, staffed
from tests.access.routes import METHODS, PEOPLE, QUERIES, SENT, Places, Row, address, admin_routes, matrix, routes
from tests.api.test_projects import problem

Ask = Callable[..., HttpResponseBase]
# What somebody leaves behind although their act was refused: that they were here.
HARMLESS = ("django_session", "labeling_apitoken", "axes_", '"seen_at"')
WITHOUT_AN_ID = {"agreement:chart"}  # its words name a chart of the project, whichever it is
OF_AN_ARCHIVE = {"corpus:restore", "api:restore", "api:study_simulate"}  # the last only calculates


@pytest.fixture
def places(project: Project, alice: User, bob: User, charlie: User, settings: Settings) -> Places:
    settings.API_RATE_ANONYMOUS = 1_000_000  # they come all at once here
    people = staffed(project, alice, bob, charlie)
    made, taker = furnished(project, alice, bob)
    return {**made, "people": people, "taker": taker}


@pytest.fixture
def ask(places: Places) -> Ask:
    """One request of one of the people; whatever it did is undone."""
    keys = {who: session_key(user) for who, user in places["people"].items()}
    client = Client(raise_request_exception=False)  # one for all: each would look through the static files anew

    def send(who: str, method: str, path: str, sent: dict[str, Any] | None = None) -> HttpResponseBase:
        client.cookies.clear()
        form = {}
        if who in keys:
            client.cookies["sessionid"] = keys[who]
        if who == "participant":
            client.cookies["participant"] = places["taker"].client.cookies["participant"].value
            form = {"form": places["taker"].form}
        json = {"data": sent or {}, "content_type": "application/json"}
        body = {} if method == "GET" else json if path.startswith("/api/") or method != "POST" else {"data": form}
        with transaction.atomic():
            response = getattr(client, method.lower())(path, **body)
            transaction.set_rollback(True)
        for close in response._resource_closers:  # files; response.close() would close the database too
            close()
        return response  # type: ignore[no-any-return]

    return send


def session_key(user: User) -> str:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client.cookies["sessionid"].value


def path_of(row: Row, places: Places) -> str:
    return address(routes()[row["route"]], places, QUERIES.get(row["route"], ""))


@contextmanager
def written() -> Iterator[list[str]]:
    """The statements that change a row, but for those of sessions."""
    found: list[str] = []

    def watch(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.split(" ", 1)[0] in {"INSERT", "UPDATE", "DELETE"} and not any(word in sql for word in HARMLESS):
            found.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(watch):
        yield found


def is_turned_away(response: HttpResponseBase) -> bool:
    """Not let in, whatever was sent; a 409 or a 422 is for those who may, but not now or not like this."""
    if response.status_code == 302:
        return "/login/?next=" in response["Location"]
    return response.status_code in {401, 403, 404, 405}


def test_every_route_has_its_rows_and_every_row_its_route() -> None:
    rows = matrix()
    assert {row["route"] for row in rows} == set(routes())
    twice = [key for key, count in Counter((row["route"], row["method"]) for row in rows).items() if count > 1]
    assert not twice


@pytest.mark.parametrize("who", PEOPLE)
def test_everybody_gets_what_the_matrix_says(ask: Ask, places: Places, who: str) -> None:
    faults = []
    for row in matrix():
        with written() as statements:
            response = ask(who, row["method"], path_of(row, places), SENT.get(row["route"]))
        name = f"{row['route']} {row['method']}"
        if str(response.status_code) != row[who]:
            faults.append(f"{name}: {response.status_code}, not {row[who]}")
        if is_turned_away(response) and statements:
            faults.append(f"{name}: turned away, but it wrote {statements}")
        if row["route"].startswith("api:") and response.status_code >= 400:
            problem(response)
    assert not faults, "\n".join(faults)


def test_a_method_without_a_row_is_not_offered(ask: Ask, places: Places) -> None:
    """Asked by those who may do most: others are turned away before anybody looks at the method."""
    known = {(row["route"], row["method"]) for row in matrix()}
    faults = []
    for name, pattern in routes().items():
        for method in METHODS:
            if (name, method) in known:
                continue
            who = "participant" if name.startswith("taking:") else "coordinator"
            status = ask(who, method, address(pattern, places)).status_code
            if status != 405:
                faults.append(f"{name} {method}: {status}")
    assert not faults, "\n".join(faults)


def test_nothing_changes_in_an_archive(ask: Ask, places: Places, project: Project, alice: User) -> None:
    session = Client()
    session.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    session.post("/projects/names/archive/", {"name": "Names"})
    lines = Activity.objects.count()
    faults = []
    for row in matrix():
        if row["method"] == "GET" or "<slug:slug>" not in routes()[row["route"]] or row["route"] in OF_AN_ARCHIVE:
            continue
        who = max(("coordinator", "annotator", "adjudicator"), key=lambda one: row[one] not in {"403", "404"})
        status = ask(who, row["method"], path_of(row, places), SENT.get(row["route"])).status_code
        if status != 409:
            faults.append(f"{row['route']} {row['method']} as {who}: {status}")
    assert not faults, "\n".join(faults)
    assert Activity.objects.count() == lines


def test_what_is_in_one_project_is_not_found_under_the_address_of_another(ask: Ask, places: Places) -> None:
    """Not even by somebody who may do everything there."""
    outsider = places["people"]["outsider"]
    other = create_project(name="Other", slug="other", by=outsider)
    for role in Role:
        add_member(other, user=outsider, role=role, by=None)
    there = {**places, "projects/slug": other.slug}
    faults = []
    for row in matrix():
        pattern = routes()[row["route"]]
        inside = pattern.partition("<slug:slug>")[2]
        if "<" not in inside or row["route"] in WITHOUT_AN_ID:
            continue
        with written() as statements:
            status = ask("outsider", row["method"], address(pattern, there), SENT.get(row["route"])).status_code
        if status != 404 or statements:
            faults.append(f"{row['route']} {row['method']}: {status}, {statements}")
    assert not faults, "\n".join(faults)


def test_the_admin_is_for_superusers(ask: Ask, places: Places) -> None:
    faults = []
    named = {"object_id": 1, "content_type_id": 1, "app_label": "labeling", "url": "nothing", "extra_context": ""}
    everywhere = {f"{word}/{name}": value for word in ("admin", "user", "project", "activity", "r", "labeling",
                  "accessattempt", "accesslog", "accessfailurelog") for name, value in named.items()}  # fmt: skip
    for name, pattern in admin_routes().items():
        if name in {"admin:login", "admin:logout"} or "(?P" in pattern:
            continue
        for who in PEOPLE[:-1]:
            response = ask(who, "GET", address(pattern, everywhere))
            if response.status_code != 302 or "/admin/login/" not in response["Location"]:
                faults.append(f"{name} as {who}: {response.status_code}")
    assert not faults, "\n".join(faults)
    assert ask("superuser", "GET", "/admin/").status_code == 200
