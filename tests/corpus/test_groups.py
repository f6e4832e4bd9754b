"""The groups of a project are found without reading all of its items."""

from __future__ import annotations

from collections import Counter

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries

from labeling.corpus import groups
from labeling.corpus.groups import groups_of
from labeling.corpus.models import Project
from labeling.corpus.projects import create_project
from labeling.people.models import User
from tests.annotation.samples import items

pytestmark = pytest.mark.django_db


def test_the_largest_come_first_and_other_projects_do_not_count(project: Project, alice: User) -> None:
    rows = items(project, 7, groups=3)
    items(create_project(name="Other", slug="other", by=alice), 5, groups=5)
    rows[0].group = ""
    rows[0].save()
    counted = sorted(Counter(row.group for row in rows).items(), key=lambda row: (-row[1], row[0]))
    assert [(name, str(amount)) for name, amount in groups_of(project)] == [(name, str(n)) for name, n in counted]
    assert ("", "1") in [(name, str(amount)) for name, amount in groups_of(project)]


def test_a_project_without_items_has_none(project: Project) -> None:
    assert groups_of(project) == []


def test_only_so_many_are_walked_shown_and_counted(
    project: Project, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    items(project, 12, groups=4)
    monkeypatch.setattr(groups, "MOST_COUNTED", 2)
    with django_assert_num_queries(1):
        assert [str(amount) for _, amount in groups_of(project)] == ["2+"] * 4
    monkeypatch.setattr(groups, "MOST_WALKED", 3)
    assert [name for name, _ in groups_of(project)] == ["acme/rockets0", "acme/rockets1", "acme/rockets2"]
    monkeypatch.setattr(groups, "MOST_SHOWN", 1)
    assert [name for name, _ in groups_of(project)] == ["acme/rockets0"]
