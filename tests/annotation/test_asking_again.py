"""Votes that became stale by a newer version of the protocol are asked for again."""

from __future__ import annotations

import pytest

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import skip
from labeling.annotation.models import Protocol, RoundItem, Vote
from labeling.annotation.rounds.changing import (
    ask_again,
    remove_rater,
    return_open_items,
    stale_assignments,
    use_version,
)
from labeling.corpus.models import Project
from labeling.refusals import Refusal
from tests.annotation.samples import (
    INCLUDE,
    annotators,
    assert_finished,
    assert_sound,
    items,
    judge,
    judge_all,
    opened_round,
    protocol,
    rater_of,
)


def test_stale_votes_are_asked_for_again_and_kept(project: Project) -> None:
    items(project, 3)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    judge_all([ann, ben], round)
    version = protocol(project)
    use_version(round, version, by=None)
    round.refresh_from_db()
    assert stale_assignments(round).count() == 6
    assert ask_again(round, by=None) == 6
    assert ask_again(round, by=None) == 0
    assert set(RoundItem.objects.values_list("votes", flat=True)) == {0}
    assert_sound(round)
    while judge(ann, round, INCLUDE):
        pass
    judge_all([ben], round)
    assert_finished(round)
    assert Vote.objects.count() == 12
    assert set(Vote.objects.filter(revision=2).values_list("protocol", flat=True)) == {version.pk}
    other = Protocol.objects.create(project=project, name="Other").versions.create(content={})
    with pytest.raises(Refusal, match="a round stays with its protocol"):
        use_version(round, other, by=None)


@pytest.mark.parametrize("leave", [True, False])
def test_vote_asked_for_again_stands_when_its_annotator_goes(project: Project, leave: bool) -> None:
    items(project, 2)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    judge_all([ann, ben], round)
    use_version(round, protocol(project), by=None)
    ask_again(round, by=None)
    judge(ann, round)
    if leave:
        remove_rater(round, rater_of(round, ann), by=None)
    else:
        return_open_items(round, rater_of(round, ann), by=None)
    assert sorted(slot.votes.count() for slot in rater_of(round, ann).assignments.all()) == [1, 2]
    assert rater_of(round, ann).votes == 2
    assert_sound(round)
    judge_all([ben], round)
    assert_finished(round)


def test_skipped_vote_that_was_asked_for_again_may_go_to_somebody_else(project: Project) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=1)
    first = judge(ann, round)
    assert first
    use_version(round, protocol(project), by=None)
    ask_again(round, by=None)
    assert next_assignment(ann, round) == first
    skip(ann, first.pk, reason="No longer.")
    assert judge(ben, round) == first
    assert [vote.rater.user for vote in first.votes.order_by("revision")] == [ann, ben]
    assert_finished(round)
