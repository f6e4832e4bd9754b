from __future__ import annotations

from labeling.annotation.models import Vote
from labeling.annotation.rounds.changing import close_round, reopen_round, top_up
from labeling.annotation.visibility import settled_votes
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import annotators, items, judge, opened_round


def seen() -> int:
    """How many votes anybody but their raters may see."""
    return settled_votes(Vote.objects.all()).count()


def test_second_annotator_cannot_see_first_vote(project: Project, alice: User) -> None:
    items(project, 1)
    ann, ben, cleo = annotators(project, 3)
    round = opened_round(project, [ann, ben, cleo], votes=2)
    judge(ann, round)
    assert seen() == 0
    judge(ben, round)
    assert seen() == 2
    top_up(round, 3, by=alice)
    assert seen() == 0


def test_votes_of_a_closed_round_are_seen_until_it_opens_again(project: Project, alice: User) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    judge(ann, round)
    close_round(round, by=alice)
    assert seen() == 1
    reopen_round(round, by=alice)
    assert seen() == 0
