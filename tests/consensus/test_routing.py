"""Cases are derived from votes, whenever that is done and however often."""

from __future__ import annotations

from typing import Any

import pytest

from labeling.annotation.models import RoundItem, Vote
from labeling.annotation.rounds.changing import add_rater, close_round, reopen_round, top_up
from labeling.consensus.adjudicating import hand_back, hand_over
from labeling.consensus.finals import finals
from labeling.consensus.listing import waiting_for
from labeling.consensus.models import Case, CaseState, Decision, Rule, Why
from labeling.consensus.routing import letter, letters, route_batch, route_project, set_rule
from labeling.corpus.models import Project
from labeling.people.access import take_seat
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators, items, judge, opened_round
from tests.consensus.samples import adjudicator, fresh, judged, keys, proposed, verbs, version

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(project: Project) -> list[User]:
    items(project, 3)
    return annotators(project, 3)


def test_only_what_differs_becomes_a_case(project: Project, people: list[User]) -> None:
    round = opened_round(project, people)
    first, *_ = keys(round)
    judged(round, people, {first: [INCLUDE, EXCLUDE, EXCLUDE], "": [EXCLUDE] * 3})
    assert route_project(project, by=None) is False
    case = round.cases.get()
    assert (case.round_item.item.key, case.why, case.state, case.way) == (first, Why.DISAGREEMENT, "open", "discussion")
    assert case.questions == ["include", "criteria"]
    assert {final.round_item.item.key: final.how for final in finals(round)} == {
        key: "" if key == first else "unanimous" for key in keys(round)
    }
    route_project(project, by=None)
    assert round.cases.get().version == 1


def test_nothing_is_routed_before_the_last_vote(project: Project, people: list[User]) -> None:
    round = opened_round(project, people)
    judge(people[0], round, INCLUDE)
    route_project(project, by=None)
    assert not Case.objects.exists()
    close_round(round, by=None)
    route_project(project, by=None)
    assert Case.objects.get().why == Why.TOO_FEW


def test_a_flag_opens_a_case_though_all_agree(project: Project, people: list[User]) -> None:
    round = opened_round(project, people)
    judged(round, people, {"": [EXCLUDE] * 3}, flag="Is this Java?")
    route_batch(round)
    assert {case.why for case in round.cases.all()} == {Why.FLAG}
    assert not any(final.is_settled for final in finals(round))


def test_a_late_vote_opens_a_decided_case_again_and_keeps_its_history(project: Project, people: list[User]) -> None:
    round = opened_round(project, people, votes=2)
    judged(round, people[:2], {"": [INCLUDE, EXCLUDE]})
    route_batch(round)
    case = round.cases.first()
    assert case is not None
    decide(case, people[2])
    route_batch(round)
    case.refresh_from_db()
    assert case.state == CaseState.DECIDED

    top_up(round, 3, by=None)
    assert case not in Case.objects.shown()
    judged(round, people[2:], {"": [INCLUDE]})
    route_batch(round)
    case.refresh_from_db()
    assert (case.state, case.decision, case.decisions.count()) == (CaseState.OPEN, None, 1)
    assert [event.verb for event in case.events.all()] == ["opened", "opened again"]
    assert {len(each.voted) for each in round.cases.all()} == {3}


def decide(case: Case, by: User, **more: Any) -> None:
    decision = Decision.objects.create(
        case=case, answers=EXCLUDE, rationale="Seen", made_by=by, voted=case.voted, **more
    )
    Case.objects.filter(pk=case.pk).update(state=CaseState.DECIDED, decision=decision)


def test_a_decision_stands_under_another_rule(project: Project, people: list[User]) -> None:
    round = opened_round(project, people)
    judged(round, people, {"": [INCLUDE, INCLUDE, EXCLUDE]})
    route_batch(round)
    decided, *_ = list(round.cases.all())
    decide(decided, people[0])
    set_rule(round, way="majority", others="union", names_shown=False, by=None)
    route_batch(round)
    states = {case.pk: case.state for case in round.cases.all()}
    assert states.pop(decided.pk) == "decided"
    assert set(states.values()) == {"moot"}
    how = {final.round_item_key: final.how for final in map(Seen, finals(round))}
    assert sorted(how.values()) == ["adjudication", "majority", "majority"]
    set_rule(round, way="discussion", others="discussion", names_shown=False, by=None)
    route_batch(round)
    assert sorted(round.cases.values_list("state", flat=True)) == ["decided", "open", "open"]


class Seen:
    def __init__(self, final: Any) -> None:
        self.round_item_key, self.how = final.round_item.item.key, final.how


def test_adjudicators_get_equal_shares_and_never_what_they_voted_on(project: Project, people: list[User]) -> None:
    round = opened_round(project, people, votes=2)
    judges = [User.objects.create_user(f"judge{number}@example.org") for number in range(2)]
    for user in [*judges, people[0]]:
        add_member(project, user=user, role=Role.ADJUDICATOR, by=None)
    judged(round, people[:2], {"": [INCLUDE, EXCLUDE]})
    set_rule(round, way="adjudicator", others="union", names_shown=False, by=None)
    route_project(project, by=None)
    given = list(round.cases.values_list("adjudicator", flat=True))
    assert people[0].pk not in given
    assert sorted(given.count(user.pk) for user in judges) == [1, 2]


def test_a_revealed_vote_cannot_be_revised(project: Project, people: list[User]) -> None:
    round = opened_round(project, people)
    judge(people[0], round, INCLUDE)
    close_round(round, by=None)
    route_batch(round)
    vote = Vote.objects.get()
    assert RoundItem.objects.get(assignments__vote=vote).revealed_at is not None
    reopen_round(round, by=None)
    from labeling.annotation.judging.voting import may_revise

    assert not may_revise(vote.assignment)


def test_letters_are_seeded_and_of_their_case_alone(project: Project, people: list[User]) -> None:
    round = opened_round(project, people, votes=2)
    Rule.objects.create(round=round, seed=1)
    judged(round, people[:2], {"": [INCLUDE, EXCLUDE]})
    route_batch(round)
    given = {case.pk: letters(case) for case in round.cases.all()}
    assert [sorted(each.values()) for each in given.values()] == [["A", "B"]] * 3
    assert len({tuple(each) for each in given.values()}) == 2  # not the same person everywhere
    top_up(round, 3, by=None)
    judged(round, people[2:], {"": [INCLUDE]})
    route_batch(round)
    for case in round.cases.all():
        assert given[case.pk].items() < letters(case).items()  # a newcomer changes nobody's letter
        assert sorted(letters(case).values()) == ["A", "B", "C"]


def test_letters_do_not_end_with_the_alphabet() -> None:
    assert [letter(place) for place in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_an_adjudicator_who_joins_later_gets_what_waits(project: Project, people: list[User]) -> None:
    round = opened_round(project, people)
    judged(round, people, {"": [INCLUDE, EXCLUDE, EXCLUDE]})
    set_rule(round, way="adjudicator", others="union", names_shown=False, by=None)
    route_project(project, by=None)
    assert set(round.cases.values_list("adjudicator", flat=True)) == {None}
    judge = User.objects.create_user("judge@example.org")
    add_member(project, user=judge, role=Role.ADJUDICATOR, by=None)
    route_project(project, by=None)
    assert set(round.cases.values_list("adjudicator", flat=True)) == {judge.pk}


def test_open_cases_go_the_way_of_another_rule_unless_somebody_chose_theirs(
    project: Project, people: list[User], alice: User
) -> None:
    round = opened_round(project, people)
    judged(round, people, {"": [INCLUDE, {**INCLUDE, "criteria": ["convention"]}, EXCLUDE]})
    route_batch(round)
    left, given, decided = round.cases.all()
    first, second = adjudicator(project), adjudicator(project, "Jane")
    hand_over(alice, given.pk, first.pk, seen=version(given))
    hand_back(alice, given.pk, seen=version(given))
    decide(decided, first)
    proposed(people[0], left)
    set_rule(round, way="adjudicator", others="discussion", names_shown=False, by=None)
    route_project(project, by=None)
    assert fresh(left).way == "adjudicator"
    assert fresh(left).adjudicator in {first, second}
    assert not left.confirmations.exists()
    assert verbs(left)[-2:] == ["way changed", "given to an adjudicator"]
    assert (fresh(given).way, fresh(decided).way) == ("discussion", "discussion")
    hand_over(alice, given.pk, first.pk, seen=version(given))
    set_rule(round, way="majority", others="discussion", names_shown=False, by=None)
    route_project(project, by=None)
    assert (fresh(left).state, fresh(left).way, fresh(left).adjudicator) == ("open", "discussion", None)
    assert (fresh(given).way, fresh(given).adjudicator) == ("adjudicator", first)


def test_an_adjudicator_who_votes_on_the_item_later_does_not_keep_its_case(
    project: Project, people: list[User], alice: User
) -> None:
    round = opened_round(project, people[:2], votes=2)
    judged(round, people[:2], {"": [INCLUDE, EXCLUDE]})
    route_batch(round)
    case, *_ = round.cases.all()
    add_member(project, user=people[2], role=Role.ADJUDICATOR, by=None)
    hand_over(alice, case.pk, people[2].pk, seen=version(case))
    add_rater(round, people[2], by=None)
    top_up(round, 3, by=None)
    judged(round, people[2:], {"": [INCLUDE]})
    route_project(project, by=None)
    assert (fresh(case).way, fresh(case).adjudicator) == ("adjudicator", None)
    assert waiting_for(take_seat(alice, "names")).get() == case
    judith = adjudicator(project)
    route_project(project, by=None)
    assert fresh(case).adjudicator == judith
