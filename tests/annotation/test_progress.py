from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.progress import Progress, progress_of
from labeling.annotation.models import Rater
from labeling.annotation.rounds.changing import close_round
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import annotators, items, judge, opened_round, vote_on


def seen(user: User) -> Progress:
    rater = Rater.objects.select_related("round").get(user=user)
    return progress_of(rater.round, rater)


def test_no_figure_betrays_a_hidden_repeat(project: Project) -> None:
    items(project, 9)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann], repeat_every=3, repeat_distance=1)
    figures = [(seen(ann).mine, seen(ann).left)]
    repeats = 0
    while (assignment := next_assignment(ann, round)) is not None:
        next_assignment(ann, round, holding=[assignment.pk])  # the page fetches one ahead
        assert (seen(ann).mine, seen(ann).left) == figures[-1]
        repeats += bool(assignment.repeat)
        judge(ann, round)
        figures.append((seen(ann).mine, seen(ann).left))
    assert repeats == 3
    assert figures == [(done, 12 - done) for done in range(13)]


def test_share_is_what_is_left_among_those_who_take_part(project: Project) -> None:
    items(project, 10)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=1)
    for _ in range(4):
        judge(ann, round)
    assert (seen(ben).mine, seen(ben).left, seen(ben).percent) == (0, 3, 40)


def test_time_is_not_guessed_from_few_votes(project: Project) -> None:
    items(project, 10)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    judge(ann, round)
    assert seen(ann).seconds_left is None


def test_closed_round_has_no_time_left(project: Project, enter: Callable[[User], Client]) -> None:
    items(project, 6)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    for _ in range(5):
        assignment = next_assignment(ann, round)
        assert assignment
        vote_on(ann, assignment, timing={"wall": 9, "active": 8, "idle": 1})
    client = enter(ann)
    assert "less than a minute" in client.get("/projects/names/work/").text
    close_round(round, by=None)
    assert "less than a minute" not in client.get("/projects/names/work/").text
