from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from labeling.corpus.importing import Options, import_list
from labeling.corpus.models import Item, Project
from labeling.people.models import Activity, User
from tests.annotation.samples import judge, opened_round
from tests.api.test_projects import caller, problem
from tests.corpus.samples import new_item, review_rename

Enter = Callable[[User], Client]


@pytest.fixture
def item(project: Project) -> Item:
    import_list([{"key": "one", **review_rename()}], project, Options(kind="review_rename"))
    return Item.objects.get()


@pytest.fixture
def judged(item: Item, project: Project, bob: User) -> None:
    """Bob has voted on the item."""
    judge(bob, opened_round(project, [bob], votes=1))


def linked() -> list[bool]:
    return [bool(comment.get("linked")) for comment in Item.objects.get().payload["thread"]]


def url_of(item: Item) -> str:
    return f"/projects/names/items/{item.pk}/"


def test_coordinator_picks_another_comment_and_the_log_keeps_both(
    item: Item, alice: User, enter: Enter, project: Project
) -> None:
    client = enter(alice)
    assert client.get(url_of(item)).text.count("This one asked for it") == 1
    assert client.post(f"{url_of(item)}comment/", {"comment": "1"}, follow=True).status_code == 200
    assert linked() == [False, True]
    line = Activity.objects.get(verb="picked another comment for")
    assert (line.actor, line.subject) == (alice, item.title)
    assert [old["comment"] for old in line.details["old"]] == [0]
    assert line.details["old"][0]["body"].startswith("What does it load?")
    assert (line.details["new"]["comment"], line.details["new"]["body"]) == (1, "Done.")
    assert "linked by a person" in client.get(url_of(item)).text


@pytest.mark.parametrize("comment", ["", "x", "²", "-1", "9" * 10, "9" * 5_000])
def test_what_is_no_number_of_a_comment_is_refused(item: Item, alice: User, enter: Enter, comment: str) -> None:
    assert enter(alice).post(f"{url_of(item)}comment/", {"comment": comment}).status_code == 422
    assert Item.objects.get().payload == item.payload


def test_same_comment_again_changes_nothing(item: Item, alice: User, enter: Enter) -> None:
    for _ in range(2):
        enter(alice).post(f"{url_of(item)}comment/", {"comment": "0"})
    assert Item.objects.get().payload == item.payload
    assert not Activity.objects.filter(verb__startswith="picked").exists()


def test_changed_link_is_a_changed_item_for_the_next_import(item: Item, project: Project, alice: User) -> None:
    rows: list[Any] = [{"key": "one", **review_rename()}]
    call_command("pick_comment", "names", "one", "1")
    assert import_list(rows, project, Options(kind="review_rename")).changed == 1
    assert linked() == [False, True]
    import_list(rows, project, Options(kind="review_rename", replace=True))
    assert linked() == [True, False]


@pytest.mark.parametrize("comment", ["2", "-1", "x", "", "９"])
def test_comment_that_is_not_there_is_refused(item: Item, alice: User, enter: Enter, comment: str) -> None:
    assert enter(alice).post(f"{url_of(item)}comment/", {"comment": comment}).status_code == 422
    assert linked() == [True, False]


def test_item_without_a_thread_is_refused(project: Project) -> None:
    new_item(project, "review_rename", review_rename(thread=[]), key="bare").save()
    with pytest.raises(CommandError, match="no thread"):
        call_command("pick_comment", "names", "bare", "0")
    with pytest.raises(CommandError, match="no item with the key"):
        call_command("pick_comment", "names", "none", "0")


def test_item_of_a_round_may_change_until_somebody_votes(item: Item, project: Project, bob: User) -> None:
    opened_round(project, [bob], votes=1)
    call_command("pick_comment", "names", "one", "1")
    assert linked() == [False, True]


@pytest.mark.usefixtures("judged")
def test_judged_item_keeps_its_comment_and_its_content(item: Item, project: Project, alice: User, enter: Enter) -> None:
    assert "This one asked for it" not in enter(alice).get(url_of(item)).text
    assert enter(alice).post(f"{url_of(item)}comment/", {"comment": "1"}).status_code == 409
    rows: list[Any] = [{"key": "one", **review_rename(path="Other.java")}]
    outcome = import_list(rows, project, Options(kind="review_rename", replace=True))
    assert (outcome.changed, outcome.replaced) == (1, 0)
    assert Item.objects.get().payload == item.payload
    assert Item.objects.get().words.words


def test_script_picks_a_comment(item: Item, alice: User) -> None:
    url = f"/api/v1{url_of(item)}comment/"
    assert caller(alice).post(url, {"comment": 1}).json()["payload"]["linked_by"] == "person"
    assert linked() == [False, True]
    assert caller(alice).post(url, {"comment": -1}).status_code == 400
    missing = caller(alice).post(url, {"comment": 5})
    assert missing.status_code == 422
    assert "has 2 comments" in problem(missing)["detail"]
