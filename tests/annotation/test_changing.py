from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import skip
from labeling.annotation.models import Assignment, Handing, Round, RoundItem, SlotState, Vote
from labeling.annotation.rounds.changing import (
    add_rater,
    ask_again,
    close_round,
    remove_rater,
    reopen_round,
    return_open_items,
    top_up,
)
from labeling.corpus.models import Item, Project
from labeling.corpus.projects import archive_project
from labeling.people.models import Activity, User
from labeling.refusals import Refusal
from tests.annotation.samples import (
    EXCLUDE,
    annotators,
    assert_finished,
    assert_sound,
    items,
    judge,
    judge_all,
    opened_round,
    rater_of,
    vote_on,
)

MODES: list[dict[str, Any]] = [
    {"handing": handing, **more}
    for handing in Handing
    for more in ({}, {"votes": 2}, {"votes": 1, "calibration": 3}, {"votes": 1, "gold": True})
]


def round_of_three(project: Project, mode: dict[str, Any]) -> tuple[Round, list[User]]:
    rows = items(project, 8)
    people = annotators(project, 4)
    design = dict(mode)
    if design.pop("gold", False):
        design["gold"] = {row.key: EXCLUDE for row in Item.objects.filter(pk__in=[rows[1].pk, rows[4].pk])}
    return opened_round(project, people[:3], **design), people


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("votes_before", [0, 2])
def test_round_completes_without_an_annotator_who_left(
    project: Project, mode: dict[str, Any], votes_before: int
) -> None:
    round, (ann, ben, cleo, _) = round_of_three(project, mode)
    for _ in range(votes_before):
        judge(cleo, round)
    next_assignment(cleo, round)
    votes = set(Vote.objects.values_list("pk", flat=True))
    remove_rater(round, rater_of(round, cleo), by=None)
    assert set(Vote.objects.values_list("pk", flat=True)) == votes
    assert next_assignment(cleo, round) is None
    assert_sound(round)
    judge_all([ann, ben], round)
    assert_finished(round)
    assert rater_of(round, cleo).votes == votes_before


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_annotator_who_left_comes_back_and_one_more_comes_in(project: Project, mode: dict[str, Any]) -> None:
    round, (ann, ben, cleo, dan) = round_of_three(project, mode)
    held = next_assignment(cleo, round)
    assert held
    skip(cleo, held.pk, reason="Unclear.")
    judge(cleo, round)
    judge(ann, round)
    next_assignment(cleo, round)
    remove_rater(round, rater_of(round, cleo), by=None)
    add_rater(round, dan, by=None)
    assert_sound(round)
    judge(dan, round)
    judge(ben, round)
    add_rater(round, cleo, by=None)
    assert_sound(round)
    judge_all([ann, ben, cleo, dan], round)
    mine = Assignment.objects.filter(round=round, rater=rater_of(round, cleo), state=SlotState.SKIPPED)
    for slot in mine:
        vote_on(cleo, slot)
    assert_finished(round)
    common = RoundItem.objects.filter(round=round, gold__isnull=False) | RoundItem.objects.filter(
        round=round, position__lt=round.calibration
    )
    for item in RoundItem.objects.filter(round=round) if round.votes_wanted is None else common:
        assert item.votes == 4


def test_page_lets_in_whom_the_project_has_and_tells_nothing_of_others(
    project: Project, alice: User, bob: User, charlie: User, enter: Callable[[User], Client]
) -> None:
    """Accounts are counted through the whole installation, and anybody could try the numbers."""
    items(project, 1)
    round = opened_round(project, annotators(project, 1))
    url = f"/projects/names/rounds/{round.pk}/let-in/"
    refused = enter(alice).post(url, {"user": str(charlie.pk)})
    assert refused.status_code == 404
    assert charlie.email not in refused.text
    assert enter(alice).post(url, {"user": str(bob.pk)}).status_code == 302
    assert round.raters.active().filter(user=bob).exists()


def test_late_annotator_gets_an_order_of_their_own(project: Project) -> None:
    items(project, 30)
    people = annotators(project, 2)
    round = opened_round(project, people[:1], handing=Handing.PLANNED)
    late = add_rater(round, people[1], by=None)
    first = rater_of(round, people[0])
    orders = [
        list(rater.assignments.order_by("position").values_list("round_item__position", flat=True))
        for rater in (first, late)
    ]
    assert orders[0] != orders[1]
    assert orders[1] != sorted(orders[1])
    assert sorted(orders[1]) == list(range(30))
    assert_sound(round)


def test_last_annotator_stays_and_nobody_comes_in_twice(project: Project, charlie: User) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    remove_rater(round, rater_of(round, ann), by=None)
    remove_rater(round, rater_of(round, ann), by=None)
    with pytest.raises(Refusal, match="Rater 2 is the last annotator of First"):
        remove_rater(round, rater_of(round, ben), by=None)
    with pytest.raises(Refusal, match="takes part in First already"):
        add_rater(round, ben, by=None)
    with pytest.raises(Refusal, match=r"charlie@example\.org is not an annotator"):
        add_rater(round, charlie, by=None)
    assert Activity.objects.filter(verb__startswith="took an annotator out").count() == 1
    assert_sound(round)


@pytest.mark.parametrize("handing", Handing)
def test_open_items_of_an_absent_annotator_go_to_others(project: Project, handing: Handing) -> None:
    items(project, 6)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=1, handing=handing)
    for user in (ann, ben):
        judge(user, round)
    held = next_assignment(ann, round)
    assert held
    skip(ann, held.pk, reason="Unclear.")
    next_assignment(ann, round)
    mine = Assignment.objects.filter(rater__user=ann).exclude(state=SlotState.VOTED).count()
    assert return_open_items(round, rater_of(round, ann), by=None) == mine > 0
    assert return_open_items(round, rater_of(round, ann), by=None) == 0
    judge_all([ben], round)
    assert_finished(round)
    assert rater_of(round, ann).votes == 1
    assert next_assignment(ann, round) is None


@pytest.mark.parametrize("handing", Handing)
def test_items_that_everybody_judges_are_not_returned(project: Project, handing: Handing) -> None:
    items(project, 4)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], handing=handing)
    held = next_assignment(ann, round)
    assert held
    skip(ann, held.pk, reason="Unclear.")
    assert return_open_items(round, rater_of(round, ann), by=None) == 0
    vote_on(ann, held)
    judge_all([ben], round)
    assert rater_of(round, ben).votes == 4
    judge_all([ann], round)
    assert_finished(round)


@pytest.mark.parametrize("handing", Handing)
def test_topping_up_asks_for_more_votes_of_other_people(project: Project, handing: Handing) -> None:
    items(project, 5)
    people = annotators(project, 3)
    round = opened_round(project, people, votes=1, handing=handing, calibration=2)
    judge_all(people, round)
    assert_finished(round)
    top_up(round, 3, by=None)
    assert not RoundItem.objects.filter(votes__gte=3, position__gte=2).exists()
    assert_sound(round)
    judge_all(people, round)
    assert set(RoundItem.objects.values_list("votes", "wanted")) == {(3, 3)}
    assert_finished(round)


def test_topping_up_needs_people(project: Project) -> None:
    items(project, 2)
    people = annotators(project, 2)
    round = opened_round(project, people, votes=1)
    for votes in (0, 1, 3):
        with pytest.raises(Refusal, match="votes: First asks for 1, and 2 annotators take part"):
            top_up(round, votes, by=None)
    everybody = opened_round(project, people, name="Everybody")
    with pytest.raises(Refusal, match="let in one more annotator"):
        top_up(everybody, 3, by=None)


def test_closed_round_takes_nothing_and_opens_again(project: Project, alice: User) -> None:
    items(project, 2)
    people = annotators(project, 2)
    round = opened_round(project, people, votes=1)
    rater = rater_of(round, people[0])
    close_round(round, by=alice)
    close_round(round, by=alice)
    assert next_assignment(people[0], round) is None
    for act in (
        lambda: top_up(round, 2, by=None),
        lambda: ask_again(round, by=None),
        lambda: remove_rater(round, rater, by=None),
        lambda: return_open_items(round, rater, by=None),
        lambda: add_rater(round, people[0], by=None),
    ):
        with pytest.raises(Refusal, match=r"First is closed\. Open it again first"):
            act()
    reopen_round(round, by=alice)
    judge_all(people, round)
    assert_finished(round)
    assert Activity.objects.filter(verb="closed the round").count() == 1


def test_nothing_changes_in_a_round_of_an_archive_or_while_it_is_planned(project: Project, alice: User) -> None:
    items(project, 2)
    people = annotators(project, 2)
    round = opened_round(project, people, votes=1)
    Round.objects.update(state="planning")
    with pytest.raises(Refusal, match="still being planned"):
        close_round(round, by=alice)
    Round.objects.update(state="open")
    archive_project(project, by=alice)
    with pytest.raises(Refusal, match="is archived"):
        top_up(round, 2, by=None)


def test_annotator_who_left_votes_no_more_and_their_slot_stays_empty(project: Project) -> None:
    items(project, 3)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    held = next_assignment(ann, round)
    assert held
    remove_rater(round, rater_of(round, ann), by=None)
    for act in (lambda: vote_on(ann, held), lambda: skip(ann, held.pk, reason="Gone.")):
        with pytest.raises(Refusal, match="You do not hold this item"):
            act()
    Assignment.objects.filter(lease_until__isnull=False).update(lease_until=timezone.now() - timedelta(days=1))
    judge_all([ben], round)
    assert_finished(round)
    held.refresh_from_db()
    assert (held.rater, held.state) == (rater_of(round, ann), SlotState.HELD)
