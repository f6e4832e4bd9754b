"""A number of thousands of digits, which Python refuses to read, breaks no page and no call."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from django.test import Client

from labeling.corpus.models import Project
from labeling.digits import LARGEST, whole_number
from labeling.people.models import User
from tests.annotation.samples import annotators, items, opened_round
from tests.api.test_projects import caller
from tests.study.designs import planned

pytestmark = pytest.mark.django_db
MANY = "9" * 5_000
CURSOR = urlencode({"cursor": b64encode(urlencode({"p": MANY}).encode()).decode()})
HERE = "/projects/names/"
PAGES = [
    f"items/?after={MANY}",
    f"items/?duplicates=1&after={MANY}",
    f"rounds/{{round}}/items/?state=untouched&after={MANY}",
    f"cases/?after={MANY}&round={MANY}&days={MANY}",
    f"cases/overview/?round={MANY}",
    f"studies/{{study}}/material/?after={MANY}",
    f"studies/{{study}}/preview/?sheet={MANY}&page={MANY}",
]
CALLS = [f"items/?{CURSOR}", f"rounds/{{round}}/items/?after={MANY}", f"studies/{{study}}/material/?after={MANY}"]


@pytest.fixture
def places(project: Project) -> dict[str, int]:
    items(project, 3)
    return {"round": opened_round(project, annotators(project, 2)).pk, "study": planned(project).pk}


@pytest.mark.parametrize("address", PAGES, ids=lambda address: address[:30])
def test_pages_stand_it(places: dict[str, int], alice: User, enter: Callable[[User], Client], address: str) -> None:
    assert enter(alice).get(HERE + address.format(**places)).status_code in {200, 404, 422}


@pytest.mark.parametrize("address", CALLS, ids=lambda address: address[:30])
def test_calls_stand_it(places: dict[str, int], alice: User, address: str) -> None:
    assert caller(alice).get(f"/api/v1{HERE}{address.format(**places)}").status_code in {200, 404, 422}


def test_the_editor_of_protocols_stands_it(project: Project, alice: User, enter: Callable[[User], Client]) -> None:
    from tests.annotation.samples import protocol

    page = f"{HERE}protocols/{protocol(project).protocol_id}/edit/"
    assert enter(alice).post(page, {"act": f"remove_question:{MANY}"}).status_code in {200, 422}


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("17", 17), ("", None), ("x", None), ("-1", None), ("²", None), ("٣", None), (MANY, LARGEST)],
)
def test_whole_numbers(text: str, number: int | None) -> None:
    assert whole_number(text) == number
