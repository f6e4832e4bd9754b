"""A proposal is final when all voters confirm it, and whatever the act, it is refused where nothing may be done."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.http import Http404

from labeling.annotation.models import Vote
from labeling.annotation.rounds.changing import add_rater, close_round, top_up
from labeling.consensus.acting import Changed
from labeling.consensus.adjudicating import decide, hand_over
from labeling.consensus.deciding import confirm, propose, withdraw
from labeling.consensus.finals import finals
from labeling.consensus.meeting import Said, enter_confirmations, enter_proposal
from labeling.consensus.models import Case, CaseState, Decision, Event, Proposal
from labeling.consensus.routing import route_project
from labeling.corpus.models import Project
from labeling.corpus.projects import archive_project
from labeling.people.models import Membership, User
from labeling.refusals import Invalid, Refusal
from tests.annotation.samples import EXCLUDE, INCLUDE, items, judge, opened_round
from tests.consensus.samples import adjudicator, fresh, judged, proposed, said, verbs, verdict, version

pytestmark = pytest.mark.django_db


# Discussion


def test_final_when_the_last_voter_confirms(case: Case, people: list[User]) -> None:
    votes = list(Vote.objects.order_by("pk").values())
    proposal = proposed(people[0], case, EXCLUDE, "The comment is about the class.")
    confirm(people[1], case.pk, proposal.pk, seen=version(case))
    assert fresh(case).state == CaseState.OPEN
    confirm(people[2], case.pk, proposal.pk, seen=version(case))
    decision = fresh(case).decision
    assert decision
    assert (decision.answers, decision.how, decision.proposal) == (EXCLUDE, "discussion", proposal)
    assert (decision.rationale, decision.made_by, decision.voted) == (
        "The comment is about the class.", people[2], case.voted,
    )  # fmt: skip
    assert [final.how for final in finals(case.round)] == ["discussion"]
    assert list(Vote.objects.order_by("pk").values()) == votes
    assert verbs(case)[1:] == [
        "proposed an answer", "confirmed a proposal", "confirmed a proposal", "agreed with everybody",
    ]  # fmt: skip
    assert [event.version for event in case.events.all()] == list(range(1, version(case) + 1))


def test_the_same_answer_proposed_by_each_is_agreement(case: Case, people: list[User]) -> None:
    for number, user in enumerate(people):
        proposed(user, case, EXCLUDE, f"Reason {number % 2}")
    decision = fresh(case).decision
    assert decision
    assert decision.rationale == "Reason 0\n\nReason 1"
    assert decision.proposal == Proposal.objects.first()


def test_another_proposal_moves_its_author_away_from_the_first(case: Case, people: list[User]) -> None:
    first = proposed(people[0], case, INCLUDE)
    confirm(people[1], case.pk, first.pk, seen=version(case))
    proposed(people[1], case, EXCLUDE)
    confirm(people[2], case.pk, first.pk, seen=version(case))
    assert fresh(case).state == CaseState.OPEN
    assert sorted(case.confirmations.values_list("user", "proposal")) == sorted(
        [(people[0].pk, first.pk), (people[2].pk, first.pk), (people[1].pk, Proposal.objects.last().pk)]  # type: ignore[union-attr]
    )


def test_withdrawn_by_all_it_cannot_be_confirmed(case: Case, people: list[User]) -> None:
    proposal = proposed(people[0], case)
    withdraw(people[0], case.pk)
    withdraw(people[0], case.pk)  # twice is once
    assert verbs(case).count("withdrew from a proposal") == 1
    with pytest.raises(Refusal, match="it was withdrawn"):
        confirm(people[1], case.pk, proposal.pk, seen=version(case))


def test_nothing_is_withdrawn_from_what_is_final(case: Case, people: list[User]) -> None:
    for user in people:
        proposed(user, case)
    with pytest.raises(Refusal, match="decided already"):
        withdraw(people[0], case.pk)
    assert fresh(case).state == CaseState.DECIDED


def test_sent_twice_it_is_one_proposal(case: Case, people: list[User]) -> None:
    submission = uuid4()
    first, again = (propose(people[0], case.pk, submission=submission, answers=EXCLUDE) for _ in range(2))
    assert (first, version(case)) == (again, 2)
    with pytest.raises(Invalid, match="used for something else"):
        propose(people[1], case.pk, submission=submission, answers=EXCLUDE)


def test_confirmed_twice_is_once_also_when_it_was_the_last(case: Case, people: list[User]) -> None:
    proposal = proposed(people[0], case)
    confirm(people[1], case.pk, proposal.pk, seen=version(case))
    for _ in range(2):
        confirm(people[2], case.pk, proposal.pk, seen=4)
    assert (Decision.objects.count(), fresh(case).state) == (1, "decided")


def test_who_confirms_is_told_what_changed_since_they_looked(case: Case, people: list[User]) -> None:
    proposal = proposed(people[0], case)
    seen = version(case)
    said(people[2], case)
    with pytest.raises(Changed, match=r"changed since you looked: Rater [ABC] wrote a message\. Look at it"):
        confirm(people[1], case.pk, proposal.pk, seen=seen)
    assert case.confirmations.count() == 1
    confirm(people[1], case.pk, proposal.pk, seen=version(case))


def test_that_others_confirmed_meanwhile_is_no_reason_to_ask_again(case: Case, people: list[User]) -> None:
    proposal = proposed(people[0], case)
    seen = version(case)
    confirm(people[1], case.pk, proposal.pk, seen=seen)
    confirm(people[2], case.pk, proposal.pk, seen=seen)
    assert fresh(case).state == CaseState.DECIDED


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"include": "maybe"}, "must be one of yes, no"),
        ({"colour": "red"}, "is not a question"),
        ({}, "needs an answer"),
        ("yes", "must be an object"),
    ],
)
def test_unknown_options_are_refused(case: Case, people: list[User], answers: Any, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        propose(people[0], case.pk, submission=uuid4(), answers=answers)
    assert version(case) == 1


def test_only_voters_propose_and_confirm(case: Case, people: list[User], project: Project, alice: User) -> None:
    proposal = proposed(people[0], case)
    for user in (alice, User.objects.get(email="bob@example.org")):
        with pytest.raises(Refusal, match="Only those who voted"):
            proposed(user, case)
        with pytest.raises(Refusal, match="Only those who voted"):
            confirm(user, case.pk, proposal.pk, seen=version(case))
    stranger = User.objects.create_user("stranger@example.org")
    with pytest.raises(Http404):
        proposed(stranger, case)


def test_a_voter_who_left_the_project_blocks_nobody(case: Case, people: list[User], project: Project) -> None:
    judith, alice = adjudicator(project), User.objects.get(email="alice@example.org")
    proposed(people[0], case)
    Membership.objects.filter(user=people[2]).delete()
    with pytest.raises(Http404):
        proposed(people[2], case)
    hand_over(alice, case.pk, None, seen=version(case))
    assert not case.confirmations.exists()
    decide(judith, case.pk, verdict(), submission=uuid4(), seen=version(case))
    assert fresh(case).state == CaseState.DECIDED


def test_one_vote_is_no_discussion(project: Project, people: list[User]) -> None:
    items(project, 1)
    round = opened_round(project, people)
    judge(people[0], round)
    close_round(round, by=None)
    route_project(project, by=None)
    with pytest.raises(Refusal, match="Only one person voted"):
        proposed(people[0], Case.objects.get())


# Whatever the act


def test_nothing_is_done_in_an_archive(case: Case, alice: User, people: list[User], project: Project) -> None:
    archive_project(project, by=alice)
    with pytest.raises(Refusal, match="archived"):
        proposed(people[0], case)
    with pytest.raises(Refusal, match="archived"):
        said(people[0], case)
    assert Event.objects.count() == 1


def test_nothing_is_done_while_the_item_is_judged_again(case: Case, people: list[User], bob: User) -> None:
    proposed(people[0], case)
    add_rater(case.round, bob, by=None)
    top_up(case.round, 4, by=None)
    for user in people:
        with pytest.raises(Refusal, match="being judged again"):
            proposed(user, case)


def test_later_votes_ask_everybody_again(case: Case, people: list[User], bob: User) -> None:
    proposed(people[0], case)
    add_rater(case.round, bob, by=None)
    top_up(case.round, 4, by=None)
    judged(case.round, [bob], {"": [INCLUDE]})
    route_project(case.round.project, by=None)
    assert not case.confirmations.exists()
    assert verbs(case)[-1] == "votes changed"
    for user in people:
        proposed(user, case)
    assert fresh(case).state == CaseState.OPEN
    proposed(bob, case)
    assert fresh(case).state == CaseState.DECIDED


# Meetings


def test_what_was_said_in_a_meeting_is_written_down_by_the_coordinator(
    case: Case, people: list[User], alice: User
) -> None:
    case = fresh(case)
    here = Said(EXCLUDE, "Agreed in the call.", ["A", "B"])
    with pytest.raises(Refusal, match="Only a coordinator"):
        enter_proposal(people[0], case.pk, here, submission=uuid4(), seen=version(case))
    proposal = enter_proposal(alice, case.pk, here, submission=uuid4(), seen=version(case))
    assert fresh(case).state == CaseState.OPEN
    assert set(case.confirmations.values_list("entered_by", flat=True)) == {alice.pk}
    with pytest.raises(Invalid, match="mark at least one voter"):
        enter_confirmations(alice, case.pk, proposal.pk, letters=["D"], seen=version(case))
    enter_confirmations(alice, case.pk, proposal.pk, letters=["C"], seen=version(case))
    assert fresh(case).state == CaseState.DECIDED
    event = case.events.get(version=2)
    assert (event.actor, event.verb) == (alice, "noted what was said in a meeting")
    assert event.details["voters"] == sorted(
        case.confirmations.order_by("user").values_list("user", flat=True)[:3]
    ) or (len(event.details["voters"]) == 2)
