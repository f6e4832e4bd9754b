from __future__ import annotations

from itertools import zip_longest

from labeling.annotation.models import Rater, Round, RoundItem
from labeling.annotation.rounds.counting import recount
from labeling.corpus.models import Project
from tests.annotation.samples import annotators, assert_sound, counts, items, judge_all, opened_round


def test_recount_finds_the_counts_again_when_they_were_spoilt(project: Project) -> None:
    items(project, 6)
    people = annotators(project, 3)
    round = opened_round(project, people, votes=2, calibration=2, repeat_every=3, repeat_distance=1)
    judge_all(people, round)
    assert_sound(round)
    kept = counts(round)
    RoundItem.objects.update(votes=0)
    Rater.objects.update(tally=[9, 9], completions=9)
    Round.objects.update(item_count=0, votes_due=0)
    recount(round)
    assert counts(round) == kept
    tallies = [rater.tally for rater in Rater.objects.filter(round=round)]
    assert [sum(column) for column in zip_longest(*tallies, fillvalue=0)] == [6, 6, 2]
    assert sum(Rater.objects.values_list("completions", flat=True)) == 6


def test_recount_of_one_round_leaves_others_alone(project: Project) -> None:
    items(project, 3)
    people = annotators(project, 2)
    round = opened_round(project, people)
    other = opened_round(project, people, name="Other")
    judge_all(people, round)
    recount(other)
    assert_sound(round)
    assert set(RoundItem.objects.filter(round=other).values_list("votes", flat=True)) == {0}


def test_recount_takes_votes_from_an_item_that_has_none(project: Project) -> None:
    items(project, 2)
    round = opened_round(project, annotators(project, 1))
    round.items.update(votes=1)
    recount(round)
    assert list(round.items.values_list("votes", flat=True)) == [0, 0]
