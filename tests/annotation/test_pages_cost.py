"""What each page asks of the database does not grow with the round."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.annotation.judging.addresses import public_number
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import skip
from labeling.consensus.routing import route_project
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import annotators, items, judge, opened_round, vote_on

NOT_COUNTED = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "PREPARE")
PAGES = {
    "judge/{assignment}/": 7,
    "judge/{assignment}/ahead/": 13 if connection.vendor == "postgresql" else 14,
    "work/": 9,
    "rounds/": 5,
    "rounds/{round}/": 17,
    "rounds/{round}/items/?state=in_progress": 6,
    "rounds/{round}/items/?state=skipped": 6,
    "rounds/{round}/items/?state=flagged": 7,
}


@pytest.mark.parametrize("size", [6, 60])
def test_pages_cost_the_same_for_few_and_many(
    project: Project, alice: User, enter: Callable[[User], Client], size: int
) -> None:
    items(project, size)
    people = annotators(project, 2)
    round = opened_round(project, people, votes=2)
    for _ in range(size // 2):
        judge(people[1], round)
    flagged = next_assignment(people[0], round)
    assert flagged
    vote_on(people[0], flagged, flag="Look at this.", note="Hm.")
    skipped = next_assignment(people[0], round)
    assert skipped
    skip(people[0], skipped.pk, reason="I wrote it.")
    assignment = next_assignment(people[0], round)
    assert assignment
    route_project(project, by=None)  # whoever comes first after the votes does this, for everybody
    clients = {"judge": enter(people[0]), "work": enter(people[0]), "rounds": enter(alice)}
    found = {}
    for path in PAGES:
        url = f"/projects/names/{path.format(assignment=public_number(assignment.pk), round=round.pk)}"
        with CaptureQueriesContext(connection) as queries:
            response = clients[path.split("/")[0]].get(url)
        assert response.status_code == 200, url
        found[path] = sum(not query["sql"].startswith(NOT_COUNTED) for query in queries)
    assert found == PAGES
