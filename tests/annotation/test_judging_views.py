"""The judging page without a browser: whose item it is, which round comes first, what is kept when it is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from labeling.annotation.judging.addresses import private_number, public_number
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import skip
from labeling.annotation.models import Assignment, Draft, Vote
from labeling.annotation.rounds.changing import close_round
from labeling.annotation.rounds.listing import hide_flags, items_by_state
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.annotation.samples import annotators, items, judge, opened_round, protocol, vote_on

Enter = Callable[[User], Client]


def url_of(assignment: Assignment) -> str:
    return f"/projects/names/judge/{public_number(assignment.pk)}/"


def sent(**changes: str) -> dict[str, str]:
    return {"submission": str(uuid4()), "version": "1", "answers.include": "no", **changes}


def test_oldest_round_comes_first_and_one_stays_in_ones_own(project: Project, enter: Enter) -> None:
    items(project, 3)
    people = annotators(project, 1)
    version = protocol(project)
    old = opened_round(project, people, name="Old", protocol=version)
    new = opened_round(project, people, name="New", protocol=version)
    client = enter(people[0])
    found = {}
    for name, query in {"first": "", "asked": f"?round={new.pk}"}.items():
        response = client.get(f"/projects/names/judge/{query}")
        number = int(re.findall(r"/judge/(\d+)/", response["Location"])[0])
        found[name] = Assignment.objects.get(pk=private_number(number)).round
    assert found == {"first": old, "asked": new}
    held = Assignment.objects.get(round=new, held_at__isnull=False)
    answer = client.post(url_of(held), sent())
    assert answer["Location"] == f"/projects/names/judge/?round={new.pk}"
    ahead = client.get(f"/projects/names/judge/{public_number(held.pk)}/ahead/")
    assert "<strong>New</strong>" in ahead.text


@pytest.mark.parametrize(
    ("changes", "status", "sentence"),
    [
        ({"answers.include": "maybe"}, 422, "must be one of yes, no"),
        ({"answers.include": ""}, 422, "“Are review and rename clearly connected?” needs an answer"),
        ({"answers.criteria": "suggested"}, 422, "is asked only when include is yes"),
        ({"note": "x" * 1_000_000}, 422, "note: has 1,000,000 characters"),
        ({"note": "a\x00b"}, 422, "note: contains a NUL"),
        ({"version": "7"}, 409, "The protocol is at version 1 now"),
        ({"version": "9" * 5000}, 422, "version: must be a whole number"),
        ({"revises": "x"}, 422, "revises: must be a whole number"),
        ({"submission": "x"}, 422, "submission: must be a UUID"),
        ({"wall": "x", "active": "1", "idle": "1"}, 422, "timing"),
    ],
)
def test_bad_input_is_refused_in_words(
    project: Project, enter: Enter, changes: dict[str, str], status: int, sentence: str
) -> None:
    items(project, 1)
    (ann,) = annotators(project, 1)
    held = next_assignment(ann, opened_round(project, [ann]))
    assert held
    response = enter(ann).post(url_of(held), sent(**changes))
    assert response.status_code == status
    assert sentence in response.text.replace("&#x27;", "'")
    assert not Vote.objects.exists()


def test_others_items_are_not_found(project: Project, enter: Enter, bob: User, charlie: User) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    held = next_assignment(ann, opened_round(project, [ann, ben], votes=1))
    assert held
    for user in (ben, bob, charlie):
        client = enter(user)
        assert client.get(url_of(held)).status_code == 404
        assert client.post(url_of(held), sent()).status_code == 404
        for act in ("draft", "skip"):
            assert client.post(f"{url_of(held)}{act}/", sent(reason="x")).status_code == 404
    assert not Draft.objects.exists()


def test_words_of_one_who_lost_the_slot_are_kept(project: Project, enter: Enter) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=1)
    held = next_assignment(ann, round)
    assert held
    client = enter(ann)
    shown = re.findall(r'name="shown" value="([^"]+)"', client.get(url_of(held)).text)[0]
    Assignment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert next_assignment(ben, round) == held
    refused = client.post(url_of(held), sent(shown=shown, note="My long thought."))
    assert refused.status_code == 409
    assert "What you wrote is kept" in refused.text
    assert Draft.objects.get(rater__user=ann).content["note"] == "My long thought."
    assert not Vote.objects.exists()


def test_flag_of_another_is_hidden_from_a_coordinator_who_still_has_to_judge(project: Project, alice: User) -> None:
    items(project, 1)
    (ann,) = annotators(project, 1)
    add_member(project, user=alice, role=Role.ANNOTATOR, by=None)
    round = opened_round(project, [ann, alice])
    held = next_assignment(ann, round)
    assert held
    vote_on(ann, held, flag="I would include it.")
    entries = items_by_state(round, "flagged").items
    hide_flags(entries, round, from_=alice)
    assert "I would include it." not in str(entries)
    judge(alice, round)
    entries = items_by_state(round, "flagged").items
    hide_flags(entries, round, from_=alice)
    assert entries[0]["reason"] == "I would include it."


def test_time_that_cannot_be_is_not_kept(project: Project) -> None:
    items(project, 1)
    (ann,) = annotators(project, 1)
    held = next_assignment(ann, opened_round(project, [ann]))
    assert held
    vote = vote_on(ann, held, timing={"wall": 86_400, "active": 86_400, "idle": 0})
    assert vote.wall_seconds is None


def test_skipped_item_of_a_closed_round_is_listed_and_no_longer_offered(project: Project, enter: Enter) -> None:
    items(project, 2)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    held = next_assignment(ann, round)
    assert held
    skip(ann, held.pk, reason="I wrote it.")
    client = enter(ann)
    assert url_of(held) in client.get("/projects/names/work/").text
    close_round(round, by=None)
    page = client.get("/projects/names/work/").text
    assert url_of(held) not in page
    assert "I wrote it. · the round is closed" in page
