"""The page of a case: who sees it, what it shows, and what happens to words that were refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.annotation.rounds.changing import add_rater, close_round, top_up
from labeling.consensus.adjudicating import hand_over
from labeling.consensus.models import Case, CaseState, Sitting
from labeling.consensus.routing import route_project
from labeling.consensus.talking import post_message
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.annotation.samples import INCLUDE, items, judge, opened_round
from tests.consensus.samples import FORM, HOME, adjudicator, disputed, judged, named, proposed, sent, url, version

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]


@pytest.fixture
def people(project: Project) -> list[User]:
    return named(project)


# Who sees what


def test_those_who_take_part_see_it_and_nobody_else(
    case: Case, people: list[User], project: Project, enter: Enter, alice: User, bob: User, charlie: User
) -> None:
    for user in (*people, alice):
        assert enter(user).get(url(case)).status_code == 200
    judith = adjudicator(project)
    for user in (bob, charlie, judith):
        assert enter(user).get(url(case)).status_code == 404
        assert enter(user).get(url(case, "live/")).status_code == 404
        assert enter(user).post(url(case, "say/"), sent(body="Me too.")).status_code == 404
    hand_over(alice, case.pk, judith.pk, seen=version(case))
    assert enter(judith).get(url(case)).status_code == 200


def test_a_viewer_sees_only_what_is_decided(
    case: Case, people: list[User], project: Project, enter: Enter, charlie: User
) -> None:
    add_member(project, user=charlie, role=Role.VIEWER, by=None)
    client = enter(charlie)
    assert client.get(url(case)).status_code == 404
    assert case.round_item.item.title not in client.get(HOME + "?state=all").text
    for user in people:
        proposed(user, case)
    assert client.get(url(case)).status_code == 200
    assert case.round_item.item.title in client.get(HOME + "?state=decided").text
    assert client.post(url(case, "say/"), sent(body="Nice.")).status_code == 409


def test_nobody_sees_a_case_while_its_item_is_judged_again(
    case: Case, people: list[User], enter: Enter, alice: User, bob: User
) -> None:
    add_rater(case.round, bob, by=None)
    top_up(case.round, 4, by=None)
    for user in (*people, alice):
        assert enter(user).get(url(case)).status_code == 404
    judged(case.round, [bob], {"": [INCLUDE]})
    page = enter(bob).get(url(case))  # routed as it is opened
    assert page.status_code == 200
    assert "Rater D" in page.text


# What one does there


def test_from_proposal_to_decision_by_forms(case: Case, people: list[User], enter: Enter) -> None:
    enter(people[0]).post(url(case, "propose/"), sent(**FORM, because="The thread says so."))
    proposal = case.proposals.get()
    for user in people[1:]:
        text = enter(user).get(url(case)).text
        assert "Include" in text
        seen = re.search(r'data-version="(\d+)"', text)
        assert seen
        enter(user).post(url(case, "confirm/"), {"proposal": proposal.pk, "version": seen[1]})
    case.refresh_from_db()
    assert case.state == CaseState.DECIDED
    text = enter(people[0]).get(url(case)).text
    assert "by agreement of all voters" in text
    assert "propose-title" not in text


def test_words_that_were_refused_stay_in_the_form(case: Case, people: list[User], enter: Enter, alice: User) -> None:
    judith = adjudicator(case.round.project)
    hand_over(alice, case.pk, judith.pk, seen=version(case))
    seen = version(case)
    post_message(people[0], case.pk, submission=uuid4(), body="Wait!")
    body = sent(**FORM, rationale="I was sure & wrote much.", unclear="Line 4", version=seen)
    answer = enter(judith).post(url(case, "decide/"), body)
    assert answer.status_code == 409
    assert "wrote a message" in answer.text
    assert "I was sure &amp; wrote much." in answer.text
    assert "Line 4" in answer.text
    assert re.search(r'value="no"[^>]* checked', answer.text)
    again = enter(judith).post(url(case, "decide/"), {**body, "version": version(case)})
    assert again.status_code == 302


def test_bad_forms_are_refused_in_words(case: Case, people: list[User], enter: Enter) -> None:
    client = enter(people[0])
    for act, body, words in [
        ("propose/", sent(**{"answers.include": "maybe"}), "must be one of"),
        ("propose/", {"submission": "x", **FORM}, "must be a UUID"),
        ("confirm/", {"proposal": "1e3", "version": "1"}, "must be a whole number"),
        ("confirm/", {"proposal": "99999", "version": "1"}, "no such proposal"),
        ("say/", sent(body=" "), "needs words"),
    ]:
        answer = client.post(url(case, act), body)
        assert answer.status_code == 422, act
        assert words in answer.text
    assert version(case) == 1


def test_an_edit_that_comes_second_shows_both_texts(case: Case, people: list[User], enter: Enter) -> None:
    message = post_message(people[0], case.pk, submission=uuid4(), body="First words")
    client, page = enter(people[0]), url(case, f"messages/{message.pk}/")
    assert client.post(page, {"body": "From one tab", "revision": 1}).status_code == 302
    answer = client.post(page, {"body": "From the other", "revision": 1})
    assert answer.status_code == 409
    assert "From one tab" in answer.text
    assert "From the other" in answer.text
    assert 'name="revision" value="2"' in answer.text
    assert "First words" in enter(people[1]).get(page).text
    assert enter(people[1]).post(page, {"body": "Not mine", "revision": 2}).status_code == 404


def test_the_live_part_answers_only_when_something_changed(case: Case, people: list[User], enter: Enter) -> None:
    client = enter(people[0])
    assert client.get(url(case, f"live/?seen={version(case)}")).status_code == 204
    seen = version(case)
    post_message(people[1], case.pk, submission=uuid4(), body="News")
    answer = client.get(url(case, f"live/?seen={seen}"))
    assert "News" in answer.text
    assert "<html" not in answer.text


def test_votes_that_came_later_appear_with_what_else_is_new(
    case: Case, people: list[User], enter: Enter, bob: User
) -> None:
    add_rater(case.round, bob, by=None)
    top_up(case.round, 4, by=None)
    judged(case.round, [bob], {"": [INCLUDE]})
    text = enter(people[0]).get(url(case, "live/?seen=1")).text
    assert "votes changed" in text
    assert re.search(r'id="cast"[^>]* hx-swap-oob="true"', text)
    assert "Rater D" in text
    assert "hx-swap-oob" not in enter(people[0]).get(url(case)).text


def test_time_is_recorded_once(case: Case, people: list[User], enter: Enter, alice: User) -> None:
    body = {"submission": str(uuid4()), "seconds": "12.5"}
    for _ in range(2):
        assert enter(people[0]).post(url(case, "sitting/"), body).status_code == 204
    assert list(Sitting.objects.values_list("seconds", "in_meeting")) == [(12.5, False)]
    for wrong in ("nan", "-1", "x", "1e9", ""):
        answer = enter(people[0]).post(url(case, "sitting/"), {**sent(), "seconds": wrong})
        assert answer.status_code == 422
    enter(alice).post(url(case, "sitting/"), {**sent(), "seconds": "3", "from": "meeting"})
    assert Sitting.objects.filter(in_meeting=True).count() == 1


def test_a_meeting_is_written_down(case: Case, people: list[User], enter: Enter, alice: User) -> None:
    client = enter(alice)
    start = client.get(HOME + "meeting/")
    assert start["Location"].startswith(url(case, "meeting/"))
    body = {**sent(**FORM, because="In the call."), "from": "meeting", "version": version(case), "letters": ["A", "B"]}
    assert client.post(url(case, "enter/"), {**body, "letters": ["Q"]}).status_code == 422
    assert enter(people[0]).post(url(case, "enter/"), body).status_code == 409
    assert client.post(url(case, "enter/"), body).status_code == 302
    text = enter(people[0]).get(url(case)).text
    assert "Rater A (in a meeting, entered by Coordinator)" in text
    body = {"from": "meeting", "version": version(case), "letters": ["C"], "proposal": case.proposals.get().pk}
    assert client.post(url(case, "enter/"), body).status_code == 302
    case.refresh_from_db()
    assert case.state == CaseState.DECIDED


def test_in_a_meeting_nobody_is_taken_to_have_confirmed(case: Case, enter: Enter, alice: User) -> None:
    text = enter(alice).get(url(case, "meeting/")).text
    assert text.count('name="letters"') == 3
    assert not re.search(r'name="letters" value="."\s+checked', text)


def test_a_meeting_over_a_single_vote_is_told_that_it_cannot_agree(
    project: Project, people: list[User], enter: Enter, alice: User
) -> None:
    items(project, 1)
    round = opened_round(project, people)
    judge(people[0], round)
    close_round(round, by=None)
    route_project(project, by=None)
    text = enter(alice).get(url(Case.objects.get(), "meeting/")).text
    assert "it needs an adjudicator" in text
    assert 'name="letters"' not in text


@pytest.mark.parametrize("size", [8, 16])
def test_pages_cost_the_same_for_few_and_many(
    project: Project, people: list[User], enter: Enter, size: int, alice: User
) -> None:
    cases = disputed(project, people, count=size)
    for case in cases[1:]:
        for user in people:
            proposed(user, case)
    for _ in range(size):
        post_message(people[0], cases[0].pk, submission=uuid4(), body="Hm.")
        proposed(people[1], cases[0])
    found, client = {}, enter(people[0])
    for path in (url(cases[0]), url(cases[0], "live/"), HOME + "?state=all"):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        found[path.replace(str(cases[0].pk), "1")] = sum(
            not query["sql"].startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")) for query in queries
        )
    assert found == {HOME + "1/": 19, HOME + "1/live/": 14, HOME + "?state=all": 11}
