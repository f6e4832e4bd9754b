"""Two people in the same instant: one result, nobody's text lost, the other is told what changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from uuid import uuid4

import pytest
from django.db import connection

from labeling.consensus.adjudicating import Verdict, decide, hand_back
from labeling.consensus.deciding import confirm, withdraw
from labeling.consensus.models import Case, CaseState, Decision, Event
from labeling.consensus.talking import EditedMeanwhile, edit_message, post_message
from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.refusals import Refusal
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators
from tests.consensus.samples import adjudicator, disputed, proposed, version

ROUNDS = 5  # cases on which each race is run


@pytest.fixture
def people(transactional_db: None, project: Project) -> list[User]:
    return annotators(project, 3)


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Runs the acts in threads that start together; what each gave or raised."""
    start = threading.Barrier(len(acts))
    found: list[object] = [None] * len(acts)

    def run(place: int, act: Callable[[], object]) -> None:
        start.wait(30)
        try:
            found[place] = act()
        except Refusal as refusal:
            found[place] = refusal
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def assert_sound(case: Case) -> Case:
    """The events follow each other without a gap, and a decided case has one decision."""
    case = Case.objects.get(pk=case.pk)
    assert [event.version for event in case.events.all()] == list(range(1, case.version + 1))
    assert case.decisions.count() == (1 if case.state == CaseState.DECIDED else 0)
    return case


def test_the_last_two_confirm_in_the_same_instant(project: Project, people: list[User]) -> None:
    for case in disputed(project, people, count=ROUNDS):
        proposal, seen = proposed(people[0], case), version(case)
        at_once(*(partial(confirm, user, case.pk, proposal.pk, seen=seen) for user in people[1:]))
        assert assert_sound(case).state == CaseState.DECIDED


def test_one_confirms_while_another_withdraws(project: Project, people: list[User]) -> None:
    for case in disputed(project, people, count=ROUNDS):
        proposal = proposed(people[0], case)
        confirm(people[1], case.pk, proposal.pk, seen=version(case))
        seen = version(case)
        confirmed, withdrawn = at_once(
            partial(confirm, people[2], case.pk, proposal.pk, seen=seen), partial(withdraw, people[1], case.pk)
        )
        if assert_sound(case).state == CaseState.DECIDED:
            assert "decided already" in str(withdrawn)
        else:
            assert "withdrew from a proposal" in str(confirmed)


def test_two_decisions_make_one(project: Project, people: list[User]) -> None:
    judith = adjudicator(project)
    for case in disputed(project, people, count=ROUNDS, way="adjudicator"):
        seen = version(case)
        verdicts = [Verdict("Seen.", answers) for answers in (INCLUDE, EXCLUDE)]
        found = at_once(*(partial(decide, judith, case.pk, one, submission=uuid4(), seen=seen) for one in verdicts))
        assert assert_sound(case).state == CaseState.DECIDED
        assert sorted(type(one).__name__ for one in found) == ["Decision", "Refusal"]


def test_the_same_decision_sent_twice_is_one(project: Project, people: list[User]) -> None:
    judith = adjudicator(project)
    for case in disputed(project, people, count=ROUNDS, way="adjudicator"):
        submission, seen = uuid4(), version(case)
        act = partial(decide, judith, case.pk, Verdict("Seen.", EXCLUDE), submission=submission, seen=seen)
        one, other = at_once(act, act)
        assert one == other == Decision.objects.get(case=case)


def test_a_coordinator_takes_back_what_is_being_decided(project: Project, people: list[User], alice: User) -> None:
    judith = adjudicator(project)
    for case in disputed(project, people, count=ROUNDS, way="adjudicator"):
        seen = version(case)
        decided, taken = at_once(
            partial(decide, judith, case.pk, Verdict("Seen.", EXCLUDE), submission=uuid4(), seen=seen),
            partial(hand_back, alice, case.pk, seen=seen),
        )
        if assert_sound(case).state == CaseState.DECIDED:
            assert "decided already" in str(taken)
        else:
            assert "not before you" in str(decided)


def test_two_edits_at_once_lose_no_text(project: Project, people: list[User]) -> None:
    for case in disputed(project, people, count=ROUNDS):
        message = post_message(people[0], case.pk, submission=uuid4(), body="First")
        texts = ("This", "That")
        found = at_once(*(partial(edit_message, people[0], message.pk, body=body, revision=1) for body in texts))
        (lost,) = [one for one in found if isinstance(one, EditedMeanwhile)]
        kept = list(message.texts.values_list("body", flat=True))
        assert kept == ["First", lost.theirs.body]
        assert Event.objects.filter(case=case, verb="edited a message").count() == 1


def test_two_messages_at_once_are_both_there(project: Project, people: list[User]) -> None:
    (case,) = disputed(project, people)
    at_once(*(partial(post_message, user, case.pk, submission=uuid4(), body="Me") for user in people))
    assert assert_sound(case).messages.count() == 3
