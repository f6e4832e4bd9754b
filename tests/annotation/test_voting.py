from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.http import Http404
from django.utils import timezone

from labeling.annotation.judging.ballots import Ballot
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.drafting import save_draft
from labeling.annotation.judging.voting import cast_vote, skip
from labeling.annotation.models import Assignment, Draft, Round, RoundItem, SlotState, Vote
from labeling.annotation.rounds.changing import close_round, use_version
from labeling.corpus.models import Project
from labeling.corpus.projects import archive_project
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from tests.annotation.samples import (
    EXCLUDE,
    INCLUDE,
    annotators,
    assert_sound,
    held_by,
    items,
    judge,
    opened_round,
    protocol,
    rater_of,
    vote_on,
)


def ballot(**more: Any) -> Ballot:
    return Ballot(**{"submission": uuid4(), "answers": EXCLUDE, **more})


def test_vote_is_stored_with_all_that_was_sent(project: Project) -> None:
    items(project, 1)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    timing = {"wall": 31.5, "active": 20, "idle": 11}
    held = held_by(ann, round)
    sent = ballot(answers=INCLUDE, note="why", flag="look at this", timing=timing, version=1)
    vote = Vote.objects.get(pk=cast_vote(ann, held.pk, sent).pk)
    assert (vote.answers, vote.note, vote.flag, vote.revision) == (INCLUDE, "why", "look at this", 1)
    assert (vote.wall_seconds, vote.active_seconds, vote.idle_seconds) == (31.5, 20, 11)
    assert vote.protocol == round.protocol
    held.refresh_from_db()
    assert (held.state, held.vote, held.lease_until) == (SlotState.VOTED, vote, None)
    rater = rater_of(round, ann)
    assert (rater.tally, rater.completions) == ([1], 1)
    assert rater.recent == [[int(vote.cast_at.timestamp() + 0.5), 20]]
    assert_sound(round)


def test_same_submission_is_one_vote_whatever_happened_since(project: Project) -> None:
    items(project, 2)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=1)
    held = held_by(ann, round)
    sent = ballot()
    first = cast_vote(ann, held.pk, sent)
    assert cast_vote(ann, held.pk, sent) == first
    assert cast_vote(ann, held.pk, Ballot(submission=sent.submission, answers={"changed": "too late"})) == first
    close_round(round, by=None)
    assert cast_vote(ann, held.pk, sent) == first
    assert Vote.objects.count() == 1
    assert_sound(round)


def test_submission_of_another_item_or_person_is_refused(project: Project) -> None:
    items(project, 2)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    sent = ballot()
    first = held_by(ann, round)
    cast_vote(ann, first.pk, sent)
    for user, held in [(ann, held_by(ann, round)), (ben, held_by(ben, round)), (ben, first)]:
        with pytest.raises(Invalid, match="submission: this id was used for another item"):
            cast_vote(user, held.pk, sent)
    assert Vote.objects.count() == 1


def test_second_tab_with_the_same_answers_is_the_same_vote(project: Project) -> None:
    items(project, 1)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    held = held_by(ann, round)
    first = vote_on(ann, held, INCLUDE)
    assert vote_on(ann, held, INCLUDE) == first
    for other in ({"answers": EXCLUDE}, {"answers": INCLUDE, "note": "and this"}, {"answers": INCLUDE, "flag": "look"}):
        with pytest.raises(Refusal, match="already voted on this item, perhaps in another tab"):
            vote_on(ann, held, **other)
    assert Vote.objects.count() == 1
    assert_sound(round)


def test_revision_is_a_new_row_and_counts_once(project: Project) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    held = held_by(ann, round)
    first = vote_on(ann, held, INCLUDE, timing={"wall": 9, "active": 9, "idle": 0})
    second = vote_on(ann, held, EXCLUDE, revises=1)
    with pytest.raises(Refusal, match="already voted"):
        vote_on(ann, held, INCLUDE, revises=1)
    assert [vote.answers for vote in held.votes.order_by("revision")] == [INCLUDE, EXCLUDE]
    held.refresh_from_db()
    assert (held.vote, held.voted_at) == (second, first.cast_at)
    assert len(rater_of(round, ann).recent) == 1
    assert RoundItem.objects.get().votes == 1
    assert_sound(round)
    judge(ben, round)
    with pytest.raises(Refusal, match="All votes on this item are in"):
        vote_on(ann, held, INCLUDE, revises=2)


def test_repeat_can_be_revised_although_its_item_is_complete(project: Project) -> None:
    items(project, 3)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann], repeat_every=2, repeat_distance=1)
    judged = [judge(ann, round) for _ in range(3)]
    again = judged[2]
    assert again
    assert again.repeat == 1
    vote_on(ann, again, INCLUDE, revises=1)
    assert_sound(round)


def test_vote_is_never_changed_or_removed(project: Project) -> None:
    items(project, 1)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    judge(ann, round)
    vote = Vote.objects.get()
    with pytest.raises(TypeError):
        vote.save()
    with pytest.raises(TypeError):
        vote.delete()


TIMING = {"wall": 5, "active": 3, "idle": 2}
BAD: list[tuple[dict[str, Any], str]] = [
    ({"answers": {"include": "maybe"}}, "answers.include: must be one of yes, no"),
    ({"answers": {}}, "answers.include: “Are review and rename clearly connected.” needs an answer"),
    ({"answers": {"include": "yes"}}, "answers.criteria: “By which criteria.” needs an answer"),
    ({"answers": {**EXCLUDE, "criteria": ["suggested"]}}, "answers.criteria: is asked only when include is yes"),
    ({"answers": {**EXCLUDE, "other": 1}}, "answers.other: is not a question"),
    ({"answers": [1]}, "answers: must be an object"),
    ({"note": "x" * 1_000_000}, "note: has 1,000,000 characters; at most 10,000"),
    ({"note": "a\x00b"}, "note: contains a NUL"),
    ({"note": "a\ud800"}, "note: contains half a character"),
    ({"note": 3}, "note: must be text"),
    ({"flag": "x" * 301}, "flag: has 301 characters"),
    ({"flag": "\x00"}, "flag: contains a NUL"),
    ({"answers": {"include": "yes\x00"}}, "answers.include: must be one of"),
    ({"timing": {"wall": 1}}, "timing: must have wall, active, idle"),
    ({"timing": [1]}, "timing: must have"),
    ({"timing": {**TIMING, "active": -1}}, "timing.active: must be seconds between 0"),
    ({"timing": {**TIMING, "wall": float("nan")}}, "timing.wall: must be seconds"),
    ({"timing": {**TIMING, "wall": 10**400}}, "timing.wall: must be seconds"),
    ({"timing": {**TIMING, "wall": True}}, "timing.wall: must be seconds"),
    ({"timing": {"wall": 1, "active": 2, "idle": 2}}, "timing: active and idle time together are longer"),
]


@pytest.mark.parametrize(("sent", "said"), BAD, ids=[said for _, said in BAD])
def test_bad_vote_is_refused_and_the_draft_kept(project: Project, sent: dict[str, Any], said: str) -> None:
    items(project, 1)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    held = held_by(ann, round)
    save_draft(ann, held.pk, {"answers": {"include": "yes"}, "note": "half-way"})
    with pytest.raises(Invalid, match=said):
        cast_vote(ann, held.pk, ballot(**sent))
    assert_nothing_happened(round, ann)


def assert_nothing_happened(round: Round, user: User) -> None:
    assert not Vote.objects.exists()
    assert Draft.objects.get(rater__user=user).content["note"] == "half-way"
    assert RoundItem.objects.filter(round=round).first().votes == 0  # type: ignore[union-attr]
    assert_sound(round)


def test_late_and_foreign_votes_are_refused_and_the_draft_kept(project: Project, alice: User, charlie: User) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=1)
    held = held_by(ann, round)
    save_draft(ann, held.pk, {"note": "half-way"})
    with pytest.raises(Refusal, match="You do not hold this item"):
        vote_on(ben, held)
    with pytest.raises(Http404):
        vote_on(charlie, held)
    with pytest.raises(Http404):
        cast_vote(ann, 0, ballot())
    use_version(round, protocol(project), by=None)
    with pytest.raises(Refusal, match=r"at version 2 now, and this was answered under version 1\. Your answers"):
        vote_on(ann, held, version=1)
    close_round(round, by=None)
    with pytest.raises(Refusal, match="First is closed: no vote can be cast"):
        vote_on(ann, held)
    with pytest.raises(Refusal, match="First is closed"):
        skip(ann, held.pk, reason="x")
    assert_nothing_happened(round, ann)


def test_expired_lease_still_counts_until_somebody_else_has_the_item(project: Project) -> None:
    items(project, 2)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=1)
    held = held_by(ann, round)
    Assignment.objects.filter(pk=held.pk).update(lease_until=timezone.now() - timedelta(days=1))
    vote_on(ann, held)
    late = held_by(ann, round)
    save_draft(ann, late.pk, {"note": "half-way"})
    Assignment.objects.filter(pk=late.pk).update(lease_until=timezone.now() - timedelta(days=1))
    assert held_by(ben, round) == late
    with pytest.raises(Refusal, match="You do not hold this item"):
        vote_on(ann, late)
    save_draft(ann, late.pk, {"note": "still writing"})
    vote_on(ben, late)
    assert Draft.objects.get().content == {"note": "still writing"}
    assert_sound(round)


def test_person_who_is_no_annotator_any_more_finds_nothing(project: Project, alice: User) -> None:
    items(project, 2)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    held = held_by(ann, round)
    ann.memberships.all().delete()
    assert next_assignment(ann, round) is None
    for act in (
        lambda: vote_on(ann, held),
        lambda: skip(ann, held.pk, reason="x"),
        lambda: save_draft(ann, held.pk, {}),
    ):
        with pytest.raises(Http404):
            act()


def test_nothing_is_judged_in_an_archive(project: Project, alice: User) -> None:
    items(project, 2)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    held = held_by(ann, round)
    archive_project(project, by=alice)
    assert next_assignment(ann, round) is None
    for act in (
        lambda: vote_on(ann, held),
        lambda: skip(ann, held.pk, reason="x"),
        lambda: save_draft(ann, held.pk, {}),
    ):
        with pytest.raises(Refusal, match="is archived"):
            act()
