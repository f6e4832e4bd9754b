"""What each page and each call asks of the database does not grow with what there is to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.study.models import Study
from tests.access.routes import Places, Row, address, matrix, routes
from tests.site.growing import grown, rounds_in
from tests.site.test_pages import TAKING_PAGES, VARIANTS, pages, url_of
from tests.study.driving import Taker

FEW, MANY = 6, 40
# The first asks nothing; the others are files, for which one row is read.
NOT_COUNTED = {"api:schema", "api:job_file", "api:study_frozen"}
# What some calls need to be asked; and of which study.
ASKED = {
    "api:agreement": "?round={judged}",
    "api:cases": "?state=decided",
    "api:release_guards": "?filter=include%3Dno",
    "api:study_sample_size": "?population=400",
}
STUDIES = {
    "api:study_material": "leaky_study",
    "api:study_leaks": "leaky_study",
    "api:study_plan": "planned_study",
    "api:study_deviations": "frozen_study",
    "api:study_comments": "closed_study",
}
# What a release holds is read round by round, and there are few of those.
BY_ROUND = {"release:new": 16, "api:release_guards": 14}


def addresses(places: Places) -> dict[str, str]:
    """Of every page that wants a log-in and every call that answers to GET, by the name of its route."""
    own_pages = {row["route"]: url_of(row, places) for row in pages() if is_for_members(row)}
    calls = [row["route"] for row in matrix() if row["method"] == "GET" and row["route"].startswith("api:")]
    called = {name: call_of(name, places) for name in calls if name not in NOT_COUNTED}
    return own_pages | called | {url: url.format(**places) for url in VARIANTS}


def is_for_members(row: Row) -> bool:
    return row["anonymous"] != "200" and not row["route"].startswith("taking:")


def call_of(name: str, places: Places) -> str:
    study = places[STUDIES.get(name, "study")]
    return address(routes()[name], {**places, "studies/pk": study}, ASKED.get(name, ""))


@pytest.mark.timeout(300)
def test_many_ask_no_more_of_the_database_than_few(
    project: Project, alice: User, enter: Callable[[User], Client]
) -> None:
    few, many = (asked(project, alice, enter(alice), size) for size in (FEW, MANY))
    more_rounds = rounds_in(MANY) - rounds_in(FEW)
    limits = {name: count + BY_ROUND.get(name, 0) * more_rounds for name, count in few.items()}
    grew = {name: (few[name], count) for name, count in many.items() if count > limits[name]}
    assert grew == {}


def asked(project: Project, alice: User, client: Client, size: int) -> dict[str, int]:
    """Queries by route, in a project of this size that is gone again afterwards."""
    with transaction.atomic():
        places = grown(project, alice, size)
        counts = {name: queries(client, url) for name, url in addresses(places).items()}
        counts |= asked_by_participant(Study.objects.get(pk=places["study"]))
        transaction.set_rollback(True)
    return counts


def asked_by_participant(study: Study) -> dict[str, int]:
    """The same for somebody in the middle of a sheet with every method of the study."""
    taker = Taker(study)
    taker.begin()
    page = taker.participant.pages.get(position=1).code
    return {path: queries(taker.client, taker.url(path.format(page=page))) for path in TAKING_PAGES.values()}


def queries(client: Client, url: str) -> int:
    """Those of the second visit: the first may find out what is then kept."""
    for _ in range(2):
        with CaptureQueriesContext(connection) as captured:
            response: Any = client.get(url, follow=True)
            assert response.status_code in {200, 422}, (url, response.status_code)  # 422: one form is wrong on purpose
            if response.streaming:
                list(response)
    return len(captured)
