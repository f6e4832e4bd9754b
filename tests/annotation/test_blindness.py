"""Nothing that a rater sees tells a hidden repeat or a gold item from any other."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from django.test import Client

from labeling.annotation.judging.addresses import private_number, public_number
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.models import Assignment
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import EXCLUDE, annotators, items, opened_round, vote_on

Enter = Callable[[User], Client]


def test_number_outside_says_nothing_and_leads_back() -> None:
    numbers = [public_number(pk) for pk in range(1, 2000)]
    assert [private_number(number) for number in numbers] == list(range(1, 2000))
    assert max(numbers) < 2**52
    assert numbers != sorted(numbers)
    rises = sum(one < other for one, other in pairwise(numbers))
    assert 900 < rises < 1100, "it neither rises nor falls with the number itself"


def test_pages_of_all_sorts_of_items_look_alike(project: Project, enter: Enter) -> None:
    (first, *_) = items(project, 8)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann], repeat_every=2, repeat_distance=1, gold={first.key: EXCLUDE}, votes=1)
    client, shapes, sorts = enter(ann), set(), set()
    while assignment := next_assignment(ann, round):
        page = client.get(f"/projects/names/judge/{public_number(assignment.pk)}/").text
        called = client.post("/api/v1/projects/names/next/", {}, content_type="application/json").json()
        keys = (sorted(called["assignment"]), bool(called["assignment"]["lease_until"]), sorted(called["item"]))
        shapes.add((re.sub(r"\d+|[0-9a-f-]{36}|value=\"[^\"]*\"", "#", tags(page)), str(keys)))
        sorts.add((bool(assignment.repeat), assignment.round_item.gold is not None))
        assert "gold" not in page
        vote_on(ann, Assignment.objects.get(pk=assignment.pk))
    assert sorts >= {(False, False), (False, True), (True, False)}
    assert len(shapes) == 1


def tags(page: str) -> str:
    """The page without its words: only the form and its attributes."""
    return " ".join(re.findall(r"<(?:article|form|input|button|progress)[^>]*>", page))
