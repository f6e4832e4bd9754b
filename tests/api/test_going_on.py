"""A vote that brings the next item with its answer."""

from __future__ import annotations

import pytest

from labeling.annotation.models import Assignment, Round, Vote
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import INCLUDE, assert_sound, opened_round
from tests.api.judging import NEXT, sent, taken, vote_url
from tests.api.test_projects import caller, problem


def test_vote_brings_the_next_item_when_asked_to(round: Round, ann: User) -> None:
    """One call for each item; the item is the one that the call for it gives."""
    client, seen = caller(ann), []
    answer = client.post(NEXT).json()
    while answer["assignment"]:
        seen.append(answer["assignment"]["id"])
        cast = client.post(vote_url(seen[-1]), sent(next={}))
        assert cast.status_code == 200
        answer = cast.json()["next"]
        asked = client.post(NEXT).json()
        assert (answer["assignment"] or {}).get("id") == (asked["assignment"] or {}).get("id")
        assert answer.get("item") == asked.get("item")
    assert answer == {"assignment": None, "detail": "Nothing is left for you to judge here now."}
    assert len(seen) == len(set(seen)) == 6
    assert_sound(round)


def test_next_item_is_of_the_round_of_the_vote_as_long_as_that_has_one(
    project: Project, round: Round, ann: User
) -> None:
    client = caller(ann)
    second = opened_round(project, [ann], name="Second", protocol=round.protocol)
    answer = client.post(NEXT, {"round": second.pk}).json()
    named = []
    while answer["assignment"]:
        named.append(answer["assignment"]["round"]["name"])
        answer = client.post(vote_url(answer["assignment"]["id"]), sent(next={})).json()["next"]
    assert named == ["Second"] * 5 + ["First"] * 6  # one of them again, as its design asks
    assert_sound(round)
    assert_sound(second)


def test_vote_and_next_item_are_stored_together_or_not_at_all(
    round: Round, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = caller(ann)
    client.raise_request_exception = False
    first = taken(client)
    body = sent(next={})
    with monkeypatch.context() as broken:
        broken.setattr("labeling.annotation.judging.claiming.planned_or_claimed", raise_error)
        assert client.post(vote_url(first), body).status_code == 500
    assert not Vote.objects.exists()
    answer = client.post(vote_url(first), body).json()
    assert answer["next"]["assignment"]["id"] != first
    assert Vote.objects.get().pk == answer["id"]


def raise_error(*_: object) -> None:
    raise OSError


def test_vote_brings_what_was_fetched_ahead_unless_that_is_named(round: Round, ann: User) -> None:
    client = caller(ann)
    first = taken(client)
    ahead = client.post(NEXT, {"holding": [first]}).json()["assignment"]["id"]
    third = client.post(vote_url(first), sent(next={"holding": [ahead]})).json()["next"]["assignment"]["id"]
    assert third not in {first, ahead}
    assert client.post(vote_url(third), sent(next={})).json()["next"]["assignment"]["id"] == ahead
    revised = client.post(vote_url(first), sent(answers=INCLUDE, revises=1, next={}))
    assert revised.json()["next"]["assignment"]["id"] == ahead
    assert Assignment.objects.open().filter(held_at__isnull=False).count() == 1


def test_vote_sent_again_brings_the_same_next_item(round: Round, ann: User) -> None:
    """A connection may break between the vote and its answer; nothing is skipped and nothing is held twice."""
    client = caller(ann)
    first = taken(client)
    body = sent(next={"holding": [taken(client)]})
    once, again = client.post(vote_url(first), body).json(), client.post(vote_url(first), body).json()
    assert once["next"]["assignment"]["id"] == again["next"]["assignment"]["id"] != first
    assert once["id"] == again["id"]
    assert Vote.objects.count() == 1
    assert "next" not in client.post(vote_url(first), sent(revises=1)).json()


def test_vote_with_a_bad_wish_for_the_next_stores_nothing(round: Round, ann: User) -> None:
    client = caller(ann)
    first = taken(client)
    answer = problem(client.post(vote_url(first), sent(next={"round": "one"})))
    assert answer["errors"][0]["field"] == "next.round"
    assert not Vote.objects.exists()
