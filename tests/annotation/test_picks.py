"""A rater takes another comment of the thread to be the one: it goes with their vote, and nobody else meets it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.annotation.judging.addresses import public_number
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.drafting import save_draft
from labeling.annotation.models import Assignment, Draft, Round, Vote
from labeling.annotation.rounds.listing import items_by_state
from labeling.annotation.rounds.monitoring import round_status
from labeling.corpus.models import Item, Project
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators, items, opened_round, vote_on
from tests.corpus.samples import new_item, text_pair

Enter = Callable[[User], Client]


@pytest.fixture
def people(project: Project) -> list[User]:
    return annotators(project, 2)


@pytest.fixture
def round(project: Project, people: list[User]) -> Round:
    items(project, 2)
    return opened_round(project, people, handing="planned")


def held_by(user: User, round: Round) -> Assignment:
    found = next_assignment(user, round)
    assert found
    return found


def page_of(held: Assignment) -> str:
    return f"/projects/names/judge/{public_number(held.pk)}/"


def test_pick_is_stored_with_the_vote_and_the_item_stays_as_it_is(round: Round, people: list[User]) -> None:
    held = held_by(people[0], round)
    before = Item.objects.get(in_rounds=held.round_item_id).payload
    assert vote_on(people[0], held, INCLUDE, picked=1).picked == 1
    assert Vote.objects.get().picked == 1
    assert Item.objects.get(in_rounds=held.round_item_id).payload == before


def test_picking_what_is_linked_is_no_pick(round: Round, people: list[User]) -> None:
    assert vote_on(people[0], held_by(people[0], round), picked=0).picked is None


@pytest.mark.parametrize("picked", [2, -1, 10**30, "1", True, 1.0])
def test_pick_outside_of_the_thread_is_refused(round: Round, people: list[User], picked: object) -> None:
    with pytest.raises(Invalid, match=r"^picked: "):
        vote_on(people[0], held_by(people[0], round), picked=picked)
    assert not Vote.objects.exists()


def test_item_without_a_thread_has_nothing_to_pick_from(project: Project, people: list[User]) -> None:
    new_item(project, "text_pair", text_pair()).save()
    held = held_by(people[0], opened_round(project, people))
    with pytest.raises(Invalid, match="picked: this item has no thread"):
        vote_on(people[0], held, picked=0)


def test_vote_without_a_pick_reads_no_item(round: Round, people: list[User]) -> None:
    held = held_by(people[0], round)
    with CaptureQueriesContext(connection) as queries:
        vote_on(people[0], held)
    assert not [query for query in queries if "payload" in query["sql"]]


def test_same_vote_with_another_pick_must_say_that_it_revises(round: Round, people: list[User]) -> None:
    held = held_by(people[0], round)
    vote_on(people[0], held, picked=1)
    vote_on(people[0], held, picked=1)
    assert Vote.objects.count() == 1
    with pytest.raises(Refusal, match="already voted"):
        vote_on(people[0], held)
    assert vote_on(people[0], held, revises=1).picked is None


def test_page_sends_the_pick_and_shows_it_again_to_its_rater_alone(
    round: Round, people: list[User], enter: Enter
) -> None:
    held = held_by(people[0], round)
    client = enter(people[0])
    page = client.get(page_of(held)).content.decode()
    assert page.count('name="picked"') == 2
    assert 'value="" form="ballot" checked' in page
    sent = {"submission": "0" * 31 + "1", "answers.include": "no", "version": 1, "picked": "1"}
    assert client.post(page_of(held), sent).status_code == 302
    assert Vote.objects.get().picked == 1
    assert 'value="1" form="ballot" checked' in client.get(page_of(held)).content.decode()
    other = Assignment.objects.get(round_item=held.round_item, rater__user=people[1])
    theirs = enter(people[1]).get(page_of(other)).content.decode()
    assert 'value="" form="ballot" checked' in theirs
    assert 'value="1" form="ballot" checked' not in theirs


@pytest.mark.parametrize("picked", ["7", "x", "-1", "9" * 30])
def test_page_refuses_a_pick_that_is_none_and_keeps_the_words(
    round: Round, people: list[User], enter: Enter, picked: str
) -> None:
    held = held_by(people[0], round)
    sent = {"submission": "0" * 31 + "1", "answers.include": "no", "version": 1, "picked": picked, "note": "hm"}
    answer = enter(people[0]).post(page_of(held), sent)
    assert answer.status_code == 422
    assert "picked: " in answer.content.decode()
    assert not Vote.objects.exists()


def test_draft_keeps_the_pick(round: Round, people: list[User], enter: Enter) -> None:
    held = held_by(people[0], round)
    client = enter(people[0])
    assert client.post(f"{page_of(held)}draft/", {"answers.include": "no", "picked": "1"}).status_code == 204
    assert Draft.objects.get().content["picked"] == 1
    assert 'value="1" form="ballot" checked' in client.get(page_of(held)).content.decode()
    save_draft(people[0], held.pk, {"picked": "nonsense"})
    assert client.get(page_of(held)).status_code == 200


def test_item_with_only_the_linked_comment_offers_no_pick(project: Project, people: list[User], enter: Enter) -> None:
    item = items(project, 1)[0]
    item.payload["thread"] = item.payload["thread"][:1]
    item.save()
    held = held_by(people[0], opened_round(project, people))
    assert 'name="picked"' not in enter(people[0]).get(page_of(held)).content.decode()


def test_item_page_of_a_coordinator_has_no_radio(round: Round, alice: User, enter: Enter) -> None:
    item = Item.objects.first()
    assert item
    assert 'name="picked"' not in enter(alice).get(f"/projects/names/items/{item.pk}/").content.decode()


def test_coordinator_learns_of_picks_when_all_votes_on_the_item_are_in(
    round: Round, people: list[User], alice: User, enter: Enter
) -> None:
    held = held_by(people[0], round)
    vote_on(people[0], held, INCLUDE, picked=1)
    page = f"/projects/names/rounds/{round.pk}/"
    assert round_status(round)["picked"] == 0
    assert items_by_state(round, "picked").items == []
    assert "another comment" not in enter(alice).get(page).content.decode()
    vote_on(people[1], Assignment.objects.get(round_item=held.round_item, rater__user=people[1]), EXCLUDE)
    assert round_status(round)["picked"] == 1
    [entry] = items_by_state(round, "picked").items
    assert (entry["annotator"], entry["picked"]) == ("Rater 1", 1)
    assert entry["reason"] == "comment 2, by road: Done."
    assert "vote for another comment" in enter(alice).get(page).content.decode()
    assert "by road: Done." in enter(alice).get(f"{page}items/?state=picked").content.decode()
