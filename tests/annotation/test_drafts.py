from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.http import Http404
from django.utils import timezone

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.drafting import save_draft
from labeling.annotation.models import Assignment, Draft, Round
from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.refusals import Invalid
from tests.annotation.samples import annotators, items, judge, opened_round, vote_on


@pytest.fixture
def ann(project: Project) -> User:
    return annotators(project, 2)[0]


@pytest.fixture
def round(project: Project, ann: User) -> Round:
    items(project, 3)
    return opened_round(project, [ann, User.objects.get(email="rater2@example.org")], votes=1)


def held_by(user: User, round: Round) -> Assignment:
    held = next_assignment(user, round)
    assert held
    return held


def test_draft_is_kept_once_and_renews_the_lease(ann: User, round: Round) -> None:
    held = held_by(ann, round)
    soon = timezone.now() + timedelta(seconds=5)
    Assignment.objects.filter(pk=held.pk).update(lease_until=soon)
    save_draft(ann, held.pk, {"note": "ha"})
    save_draft(ann, held.pk, {"note": r"half \u0000 way", "answers": {"include": "nonsense"}})
    assert Draft.objects.get().content["note"] == r"half \u0000 way"
    held.refresh_from_db()
    assert held.lease_until
    assert held.lease_until > soon + timedelta(minutes=30)


def test_draft_goes_with_the_vote_and_only_that(ann: User, round: Round) -> None:
    first = held_by(ann, round)
    ahead = next_assignment(ann, round, holding=[first.pk])
    assert ahead
    for held in (first, ahead):
        save_draft(ann, held.pk, {"note": str(held.pk)})
    vote_on(ann, first)
    assert Draft.objects.get().content == {"note": str(ahead.pk)}


def test_nobody_writes_a_draft_on_what_was_never_theirs(ann: User, round: Round, charlie: User) -> None:
    held = held_by(ann, round)
    ben = User.objects.get(email="rater2@example.org")
    for user in (ben, charlie):
        with pytest.raises(Http404):
            save_draft(user, held.pk, {"note": "mine"})
    assert not Draft.objects.exists()


BAD: list[tuple[Any, str]] = [
    ([1], "draft: must be an object with answers"),
    ({"extra": 1}, "draft: must be an object with answers"),
    ({"note": "x" * 70_000}, "draft: must have at most 60,000 characters"),
    ({"note": "a\x00b"}, "none of them NUL"),
    ({"note": "\ud800"}, "draft: holds something"),
    ({"timing": float("nan")}, "draft: holds something"),
]


@pytest.mark.parametrize(("content", "said"), BAD, ids=[said for _, said in BAD])
def test_bad_draft_is_refused_and_the_last_one_kept(ann: User, round: Round, content: Any, said: str) -> None:
    held = held_by(ann, round)
    save_draft(ann, held.pk, {"note": "good"})
    with pytest.raises(Invalid, match=said):
        save_draft(ann, held.pk, content)
    assert Draft.objects.get().content == {"note": "good"}


def test_draft_of_a_revision_is_kept_beside_the_vote(ann: User, round: Round) -> None:
    voted = judge(ann, round)
    assert voted
    save_draft(ann, voted.pk, {"note": "on second thoughts"})
    assert Draft.objects.get().round_item == voted.round_item
