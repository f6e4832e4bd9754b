"""What each page and each call asks of the database does not grow with what there is to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.api.urls import urlpatterns
from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.study.models import Study
from tests.site.growing import grown, rounds_in
from tests.site.test_pages import PAGES, TAKING_PAGES, VARIANTS
from tests.study.driving import Taker

FEW, MANY = 6, 40
# Every call that answers to GET, by the name of its route; a route that is not here fails a test below.
CALLS = {
    "root": "",
    "me": "me/",
    "projects": "projects/",
    "project": "projects/names/",
    "members": "projects/names/members/",
    "invitations": "projects/names/invitations/",
    "items": "projects/names/items/",
    "item": "projects/names/items/{item}/",
    "mining": "projects/names/mining/",
    "protocols": "projects/names/protocols/",
    "protocol": "projects/names/protocols/{protocol}/",
    "export_protocol": "projects/names/protocols/{protocol}/export/",
    "my_rounds": "projects/names/my-rounds/",
    "draft": "assignments/{assignment}/draft/",
    "rounds": "projects/names/rounds/",
    "round_status": "projects/names/rounds/{round}/status/",
    "round_items": "projects/names/rounds/{round}/items/",
    "agreement": "projects/names/agreement/?round={judged}",
    "cases": "projects/names/cases/?state=decided",
    "case": "projects/names/cases/{case}/",
    "rule": "projects/names/rounds/{judged}/rule/",
    "releases": "projects/names/releases/",
    "release_guards": "projects/names/releases/guards/?filter=include%3Dno",
    "release": "projects/names/releases/2/",
    "download_release": "projects/names/releases/2/download/",
    "studies": "projects/names/studies/",
    "study_sample_size": "projects/names/studies/sample-size/?population=400",
    "study": "projects/names/studies/{study}/",
    "study_texts": "projects/names/studies/{study}/texts/",
    "study_material": "projects/names/studies/{leaky_study}/material/",
    "study_leaks": "projects/names/studies/{leaky_study}/leaks/",
    "study_plan": "projects/names/studies/{planned_study}/plan/",
    "study_deviations": "projects/names/studies/{frozen_study}/deviations/",
    "participants": "projects/names/studies/{study}/participants/",
    "attack": "projects/names/studies/{study}/attack/",
    "study_results": "projects/names/studies/{study}/results/",
    "activity": "projects/names/activity/",
    "jobs": "projects/names/jobs/",
    "job": "projects/names/jobs/{job}/",
}
NOT_COUNTED = {"schema", "job_file", "study_frozen"}  # it asks nothing; and files, for which one row is read
# What a release holds is read round by round, and there are few of those.
BY_ROUND = {
    "/projects/names/releases/new/?filter=include%3Dyes": 16,
    "/api/v1/projects/names/releases/guards/?filter=include%3Dno": 14,
}
ADDRESSES = [*PAGES.values(), *VARIANTS, *(f"/api/v1/{path}" for path in CALLS.values())]


def test_every_call_that_answers_to_get_is_counted() -> None:
    views = {route.name: getattr(route.callback, "view_class", None) for route in urlpatterns}
    assert {name for name, view in views.items() if hasattr(view, "get")} - NOT_COUNTED == set(CALLS)


@pytest.mark.timeout(300)
def test_many_ask_no_more_of_the_database_than_few(
    project: Project, alice: User, enter: Callable[[User], Client]
) -> None:
    few, many = (asked(project, alice, enter(alice), size) for size in (FEW, MANY))
    more_rounds = rounds_in(MANY) - rounds_in(FEW)
    limits = {url: count + BY_ROUND.get(url, 0) * more_rounds for url, count in few.items()}
    grew = {url: (few[url], count) for url, count in many.items() if count > limits[url]}
    assert grew == {}


def asked(project: Project, alice: User, client: Client, size: int) -> dict[str, int]:
    """Queries by address, in a project of this size that is gone again afterwards."""
    with transaction.atomic():
        places = grown(project, alice, size)
        counts = {url: queries(client, url.format(**places)) for url in ADDRESSES}
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
