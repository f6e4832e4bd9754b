from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from labeling.corpus import duplicates
from labeling.corpus.duplicates import browse_duplicates
from labeling.corpus.models import Item, Project
from labeling.people.models import User
from tests.api.test_projects import caller
from tests.corpus.samples import review_rename
from tests.corpus.test_items import fill

Enter = Callable[[User], Client]
URL = "/projects/names/items/"


def copies(number: int, times: int) -> list[dict[str, object]]:
    return [review_rename(number, repository=f"fork{copy}/rockets") for copy in range(times)]


def test_duplicates_are_listed_together_and_nothing_else(project: Project, alice: User, enter: Enter) -> None:
    fill(project, *copies(1, 3), review_rename(2), *copies(3, 2))
    page = enter(alice).get(f"{URL}?duplicates=1").text
    assert "3 times" in page
    assert "2 times" in page
    assert "load2" not in page
    assert page.count("fork1/rockets") > 2
    among = enter(alice).get(f"{URL}?duplicates=1&words=load3").text
    assert "load1 →" not in among
    assert "No duplicates" in enter(alice).get(f"{URL}?duplicates=1&group=fork0/rockets").text


def test_row_of_a_duplicate_leads_to_the_others(project: Project, alice: User, enter: Enter) -> None:
    fill(project, *copies(1, 3), review_rename(2))
    client = enter(alice)
    assert client.get(URL).text.count("3 times") == 3
    same = client.get(f"{URL}?same_as={Item.objects.earliest('pk').sameness}").text
    assert "load2" not in same
    assert same.count("fork") >= 3


def test_pages_go_through_all_groups_once_and_show_the_oldest(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicates, "GROUPS", 2)
    monkeypatch.setattr(duplicates, "SHOWN", 2)
    for number in range(5):
        fill(project, *copies(number, 3))
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = browse_duplicates(Item.objects.filter(project=project), after=after)
        for group in page.groups:
            assert (group.count, group.more) == (3, 1)
            assert [item.group for item in group.items] == ["fork0/rockets", "fork1/rockets"]
            seen.append(group.items[0].title)
        after = page.next_after
    assert sorted(seen) == [f"load{number} → fetchConnection{number}" for number in range(5)]


@pytest.mark.parametrize("many", [2, 12])
@pytest.mark.parametrize(("query", "queries"), [("", 7), ("duplicates=1", 6)])
def test_duplicates_cost_the_same_for_few_and_many(
    project: Project,
    alice: User,
    enter: Enter,
    many: int,
    query: str,
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(many):
        fill(project, *copies(number, many))
    client = enter(alice)
    with django_assert_num_queries(queries):
        client.get(f"{URL}?{query}")


def test_script_finds_duplicates(project: Project, alice: User) -> None:
    fill(project, *copies(1, 2), review_rename(2))
    found = caller(alice).get(f"/api/v1{URL}?duplicates=1").json()["results"]
    assert {row["group"] for row in found} == {"fork0/rockets", "fork1/rockets"}
    assert len({row["sameness"] for row in found}) == 1
    assert len(caller(alice).get(f"/api/v1{URL}?same_as={found[0]['sameness']}").json()["results"]) == 2
