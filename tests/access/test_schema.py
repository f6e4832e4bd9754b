"""Whatever a script sends, each operation answers as the OpenAPI schema says, and never with a fault of ours."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, seed, settings as tried, strategies as st
from pytest_django.fixtures import Settings
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.core.result import Ok

from labeling.corpus.models import Project
from labeling.people.models import ApiToken, User
from labeling.study.taking.entering import COOKIE
from tests.access.places import furnished, staffed
from tests.access.routes import PEOPLE, Places

# How many requests each operation gets of each person. SCHEMA_EXAMPLES multiplies them, for a long run by hand.
EXAMPLES = {"coordinator": 4}
LEAST = 2
TIMES = int(os.environ.get("SCHEMA_EXAMPLES", "1"))
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"]
SEED = 8
Application = Callable[[Any, Any], list[bytes]]


@pytest.fixture
def places(project: Project, alice: User, bob: User, charlie: User, settings: Settings) -> Places:
    settings.API_RATE_ANONYMOUS = 1_000_000  # they come all at once here
    people = staffed(project, alice, bob, charlie)
    made, taker = furnished(project, alice, bob)
    return {**made, "people": people, "taker": taker, "received": ""}


@pytest.fixture
def app(places: Places) -> Iterator[Application]:
    """The app as a server calls it, but for closing the database, whose transaction the test undoes. Django's client,
    with which the places are made, puts those signals back; so they must come first."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    handler = WSGIHandler()

    def answer(environ: Any, start_response: Any) -> list[bytes]:
        places["received"] = environ.get("HTTP_COOKIE", "")
        with closing(handler(environ, start_response)) as response:
            return [b"".join(response)]

    yield answer
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def headers_of(who: str, places: Places) -> dict[str, str]:
    user = places["people"].get(who)
    return {"Authorization": f"Bearer {ApiToken.issue(user=user, name='test')[1]}"} if user else {}


def cookies_of(who: str, places: Places) -> dict[str, str]:
    """What the browser of somebody in the middle of the study would send."""
    return {COOKIE: places["taker"].client.cookies[COOKIE].value} if who == "participant" else {}


def real_arguments(path: str, places: Places) -> dict[str, Any]:
    """What the address names, from the project of the test."""
    found = {}
    for match in re.finditer(r"(\w[\w-]*)/\{(\w+)\}", path):
        found[match[2]] = places[f"{match[1]}/{'pk' if match[2] == 'id' else match[2]}"]
    return found


def cases_of(operation: APIOperation[Any, Any, Any, Any], places: Places) -> st.SearchStrategy[Case[Any]]:
    """Mostly about what is there; sometimes about nothing; right and wrong bodies alike."""
    real = operation.as_strategy(path_parameters=real_arguments(operation.path, places))
    wrong = operation.as_strategy(
        generation_mode=GenerationMode.NEGATIVE, path_parameters=real_arguments(operation.path, places)
    )
    return (
        st.one_of(real, wrong, operation.as_strategy()) if operation.body else st.one_of(real, operation.as_strategy())
    )


@pytest.mark.timeout(3600 if TIMES > 1 else 180)
@pytest.mark.parametrize("who", PEOPLE)
def test_answers_are_those_of_the_schema(app: Application, places: Places, who: str) -> None:
    headers, cookies = headers_of(who, places), cookies_of(who, places)
    api = schemathesis.openapi.from_wsgi("/api/v1/schema/?format=json", app)
    checks = schemathesis.checks.CHECKS.get_by_names(CHECKS)
    faults: list[str] = []
    for result in api.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()

        @seed(SEED)
        @tried(
            max_examples=EXAMPLES.get(who, LEAST) * TIMES,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(case=cases_of(operation, places))
        def ask(case: Case[Any]) -> None:
            case.cookies = {}
            with transaction.atomic():
                response = case.call(headers=headers, cookies=cookies, app=app)
                transaction.set_rollback(True)
            assert places["received"] == "".join(f"{name}={value}" for name, value in cookies.items())
            case.validate_response(response, checks=checks)  # type: ignore[arg-type]

        try:
            ask()
        except (schemathesis.errors.FailureGroup, AssertionError) as error:
            faults.append(str(error))
    assert not faults, "\n\n".join(faults)
