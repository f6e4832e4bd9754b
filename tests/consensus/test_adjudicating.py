"""An adjudicator decides alone and says why; a coordinator hands cases over, back, and opens them again."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from labeling.consensus.acting import Changed
from labeling.consensus.adjudicating import decide, hand_back, hand_over, reopen
from labeling.consensus.finals import finals
from labeling.consensus.models import Case, Decision
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Activity, Role, User
from labeling.refusals import Invalid, Refusal
from tests.annotation.samples import EXCLUDE, INCLUDE
from tests.consensus.samples import adjudicator, disputed, fresh, proposed, said, verdict, version

pytestmark = pytest.mark.django_db


@pytest.fixture
def judith(project: Project) -> User:
    return adjudicator(project)


@pytest.fixture
def handed(judith: User, project: Project, people: list[User]) -> Case:
    return disputed(project, people, way="adjudicator")[0]


def test_an_adjudicator_decides_with_a_reason(handed: Case, judith: User) -> None:
    said = verdict(unclear="What counts as a suggestion?")
    made = decide(judith, handed.pk, said, submission=uuid4(), seen=version(handed))
    assert fresh(handed).decision == made
    assert (made.how, made.unclear, made.answers) == ("adjudication", "What counts as a suggestion?", EXCLUDE)
    assert [final.how for final in finals(handed.round)] == ["adjudication"]


def test_all_options_can_be_rejected(handed: Case, judith: User) -> None:
    made = decide(judith, handed.pk, verdict(rejected=True), submission=uuid4(), seen=version(handed))
    assert (made.rejected, made.answers) == (True, {})
    assert [final.how for final in finals(handed.round)] == ["rejected"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"rationale": " \n"}, "rationale: say why"),
        ({"answers": {"include": "perhaps"}}, "must be one of"),
        ({"answers": None}, "must be an object"),
        ({"rationale": "x\x00"}, "NUL"),
        ({"unclear": "x" * 10_001}, "at most 10,000"),
    ],
)
def test_a_bad_decision_changes_nothing(handed: Case, judith: User, changed: dict[str, Any], words: str) -> None:
    with pytest.raises(Invalid, match=words):
        decide(judith, handed.pk, verdict(**changed), submission=uuid4(), seen=version(handed))
    assert (fresh(handed).state, Decision.objects.count()) == ("open", 0)


def test_who_voted_never_decides(handed: Case, people: list[User], project: Project) -> None:
    add_member(project, user=people[0], role=Role.ADJUDICATOR, by=None)
    Case.objects.filter(pk=handed.pk).update(adjudicator=people[0])  # as a fault elsewhere might
    with pytest.raises(Refusal, match="You voted on this item"):
        decide(people[0], handed.pk, verdict(), submission=uuid4(), seen=version(handed))


def test_only_the_adjudicator_it_was_given_to_decides(handed: Case, project: Project, alice: User) -> None:
    for user in (adjudicator(project, "Joan"), alice):
        with pytest.raises(Refusal, match="not before you"):
            decide(user, handed.pk, verdict(), submission=uuid4(), seen=version(handed))


def test_a_settled_case_is_not_decided_again(handed: Case, judith: User) -> None:
    submission = uuid4()
    first, again = (decide(judith, handed.pk, verdict(), submission=submission, seen=2) for _ in range(2))
    assert first == again
    with pytest.raises(Refusal, match="decided already"):
        decide(judith, handed.pk, verdict(), submission=uuid4(), seen=version(handed))


def test_a_decision_made_in_ignorance_of_a_message_is_refused(handed: Case, judith: User, people: list[User]) -> None:
    seen = version(handed)
    said(people[0], handed)
    with pytest.raises(Changed, match="wrote a message"):
        decide(judith, handed.pk, verdict(), submission=uuid4(), seen=seen)


def test_voters_do_not_propose_before_an_adjudicator(handed: Case, people: list[User]) -> None:
    with pytest.raises(Refusal, match="before an adjudicator"):
        proposed(people[0], handed)


# Coordinators


def test_a_case_is_handed_over_and_back(case: Case, alice: User, judith: User, people: list[User]) -> None:
    with pytest.raises(Refusal, match="Only a coordinator"):
        hand_over(people[0], case.pk, judith.pk, seen=version(case))
    with pytest.raises(Refusal, match="voted on the item"):
        hand_over(alice, case.pk, people[0].pk, seen=version(case))
    with pytest.raises(Invalid, match="must be an adjudicator"):
        hand_over(alice, case.pk, alice.pk, seen=version(case))
    hand_over(alice, case.pk, judith.pk, seen=version(case))
    assert (fresh(case).way, fresh(case).adjudicator) == ("adjudicator", judith)
    hand_back(alice, case.pk, seen=version(case))
    assert (fresh(case).way, fresh(case).adjudicator) == ("discussion", None)
    assert Activity.objects.filter(verb__startswith="handed over").count() == 1


def test_nobody_to_hand_it_to(case: Case, alice: User) -> None:
    with pytest.raises(Refusal, match="Invite one first"):
        hand_over(alice, case.pk, None, seen=version(case))


def test_a_decided_case_is_opened_again_with_a_reason(case: Case, alice: User, people: list[User]) -> None:
    with pytest.raises(Refusal, match="Only a decided case"):
        reopen(alice, case.pk, reason="Hm", seen=version(case))
    for user in people:
        proposed(user, case)
    with pytest.raises(Invalid, match="reason: say why"):
        reopen(alice, case.pk, reason=" ", seen=version(case))
    reopen(alice, case.pk, reason="The guideline changed.", seen=version(case))
    assert (fresh(case).state, fresh(case).decision, case.decisions.count()) == ("open", None, 1)
    assert not case.confirmations.exists()
    for user in people:
        proposed(user, case, INCLUDE)
    assert [decision.number for decision in case.decisions.all()] == [1, 2]
    assert fresh(case).decision == case.decisions.last()
