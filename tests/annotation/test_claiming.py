from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import skip
from labeling.annotation.models import Assignment, Handing, Rater, RoundItem
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import annotators, items, judge, opened_round


def seen_by(user: User, round_id: int) -> list[int]:
    rows = Assignment.objects.filter(rater__user=user, round=round_id, repeat=0).order_by("voted_at")
    return [row.round_item_id for row in rows]


def test_everybody_gets_each_item_once_and_each_item_its_votes(project: Project) -> None:
    items(project, 7)
    people = annotators(project, 3)
    round = opened_round(project, people, votes=2)
    for _ in range(8):
        for user in people:
            judge(user, round)
    assert set(RoundItem.objects.values_list("votes", flat=True)) == {2}
    assert all(judge(user, round) is None for user in people)
    for user in people:
        assert len(seen_by(user, round.pk)) == len(set(seen_by(user, round.pk)))


def test_asking_again_gives_the_same_item(project: Project) -> None:
    items(project, 5)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    first = next_assignment(ann, round)
    assert first
    assert next_assignment(ann, round) == first
    ahead = next_assignment(ann, round, holding=[first.pk])
    assert ahead
    assert ahead != first
    assert next_assignment(ann, round, holding=[first.pk, ahead.pk]) is None, "two at a time are enough"


def test_raters_meet_the_items_in_different_orders(project: Project) -> None:
    items(project, 30)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    for _ in range(30):
        judge(ann, round)
        judge(ben, round)
    assert set(seen_by(ann, round.pk)) == set(seen_by(ben, round.pk))
    assert seen_by(ann, round.pk) != seen_by(ben, round.pk)


def test_same_seed_gives_the_same_order(project: Project) -> None:
    items(project, 30)
    people = annotators(project, 1)
    orders = []
    for name in ("First", "Second"):
        round = opened_round(project, people, name=name)
        while judge(people[0], round):
            pass
        numbers = RoundItem.objects.in_bulk(seen_by(people[0], round.pk))
        orders.append([numbers[pk].item_id for pk in seen_by(people[0], round.pk)])
    assert orders[0] == orders[1]
    assert orders[0] != sorted(orders[0])


def test_annotator_who_walks_away_blocks_nobody(project: Project) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=1)
    held = next_assignment(ann, round)
    assert next_assignment(ben, round) is None
    Assignment.objects.filter(pk=held.pk).update(lease_until=timezone.now() - timedelta(seconds=1))  # type: ignore[union-attr]
    assert next_assignment(ben, round) == held


def test_skipped_item_goes_to_somebody_else_and_not_back(project: Project) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=1)
    held = next_assignment(ann, round)
    assert held
    skip(ann, held.pk, reason="I wrote this code.")
    assert next_assignment(ann, round) is None
    assert next_assignment(ben, round) == held


def test_calibration_set_comes_first_for_everybody(project: Project) -> None:
    items(project, 20)
    people = annotators(project, 3)
    for handing in Handing:
        round = opened_round(project, people, name=handing, votes=1, calibration=4, handing=handing)
        firsts = []
        for user in people:
            judged = [judge(user, round) for _ in range(4)]
            firsts.append({assignment.round_item_id for assignment in judged if assignment})
        assert firsts[0] == firsts[1] == firsts[2]
        assert len(firsts[0]) == 4


def test_hidden_repeat_comes_after_enough_others(project: Project) -> None:
    items(project, 12)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann], repeat_every=4, repeat_distance=3)
    sequence = []
    while assignment := judge(ann, round):
        sequence.append((assignment.round_item_id, assignment.repeat))
    repeats = [(index, pk) for index, (pk, repeat) in enumerate(sequence) if repeat]
    assert len(repeats) == 3
    for index, pk in repeats:
        before = [other for other, _ in sequence[:index]]
        assert len(before) - before.index(pk) - 1 >= 3
    assert Rater.objects.get().votes == 12
    assert set(RoundItem.objects.values_list("votes", flat=True)) == {1}
