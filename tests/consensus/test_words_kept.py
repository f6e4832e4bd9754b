"""What somebody typed comes back to them, also when the form it stood in is no longer theirs to send."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client

from labeling.annotation.rounds.changing import add_rater, top_up
from labeling.consensus.adjudicating import decide, hand_back, hand_over
from labeling.consensus.deciding import confirm
from labeling.consensus.models import Case
from labeling.corpus.models import Project
from labeling.corpus.projects import archive_project
from labeling.people.models import User
from tests.consensus.samples import FORM, adjudicator, proposed, said, sent, url, verdict, version

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]
TYPED = "It took me an hour to write this."


def agree(case: Case, people: list[User]) -> None:
    proposal = proposed(people[0], case)
    for user in people[1:]:
        confirm(user, case.pk, proposal.pk, seen=version(case))


@pytest.mark.parametrize(("act", "field"), [("say", "body"), ("propose", "because")])
def test_words_for_a_case_that_was_decided_meanwhile(
    case: Case, people: list[User], enter: Enter, act: str, field: str
) -> None:
    agree(case, people)
    answer = enter(people[0]).post(url(case, f"{act}/"), sent(**FORM, **{field: TYPED}))
    assert answer.status_code == 409
    assert "decided already" in answer.text
    assert TYPED in answer.text


def test_words_for_a_proposal_that_an_adjudicator_was_asked_about(
    case: Case, people: list[User], enter: Enter, alice: User
) -> None:
    hand_over(alice, case.pk, adjudicator(case.round.project).pk, seen=version(case))
    answer = enter(people[0]).post(url(case, "propose/"), sent(**FORM, because=TYPED))
    assert answer.status_code == 409
    assert answer.text.count(TYPED) == 1


def test_an_edit_of_a_message_in_a_case_that_was_decided_meanwhile(
    case: Case, people: list[User], enter: Enter
) -> None:
    said(people[0], case)
    agree(case, people)
    answer = enter(people[0]).post(url(case, f"messages/{case.messages.get().pk}/"), {"body": TYPED, "revision": 1})
    assert answer.status_code == 409
    assert TYPED in answer.text


def test_rationale_for_a_case_that_was_given_back(case: Case, enter: Enter, alice: User) -> None:
    judith = adjudicator(case.round.project)
    hand_over(alice, case.pk, judith.pk, seen=version(case))
    seen = version(case)
    hand_back(alice, case.pk, seen=seen)
    body = sent(**FORM, rationale=TYPED, unclear="Line 4", version=seen)
    answer = enter(judith).post(url(case, "decide/"), body)
    assert answer.status_code == 404
    assert TYPED in answer.text
    assert "Line 4" in answer.text
    nowhere = enter(judith).post("/projects/names/cases/99999/decide/", body)
    assert nowhere.status_code == 404
    assert TYPED in nowhere.text  # says nothing about which cases there are


def test_words_for_an_item_that_is_judged_again(case: Case, people: list[User], enter: Enter, bob: User) -> None:
    said(people[0], case)
    add_rater(case.round, bob, by=None)
    top_up(case.round, 4, by=None)
    client = enter(people[0])
    edit = url(case, f"messages/{case.messages.get().pk}/")
    for place, body in ((url(case, "say/"), sent(body=TYPED)), (edit, {"body": TYPED, "revision": 1})):
        answer = client.post(place, body)
        assert answer.status_code == 404
        assert TYPED in answer.text
        assert "Include" not in answer.text  # nothing of the case
    assert client.post(url(case, "withdraw/")).status_code == 404


def test_words_for_a_project_that_was_archived(
    case: Case, people: list[User], enter: Enter, alice: User, project: Project
) -> None:
    archive_project(project, by=alice)
    answer = enter(people[0]).post(url(case, "say/"), sent(body=TYPED))
    assert answer.status_code == 409
    assert "archived" in answer.text
    assert TYPED in answer.text


def test_reason_for_a_case_that_another_coordinator_opened_again(case: Case, enter: Enter, alice: User) -> None:
    judith = adjudicator(case.round.project)
    hand_over(alice, case.pk, judith.pk, seen=version(case))
    decide(judith, case.pk, verdict(), submission=uuid4(), seen=version(case))
    client, body = enter(alice), {"reason": TYPED, "version": version(case)}
    assert client.post(url(case, "reopen/"), body).status_code == 302
    answer = client.post(url(case, "reopen/"), body)
    assert answer.status_code == 409
    assert TYPED in answer.text.partition("history")[0]
