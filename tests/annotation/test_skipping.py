"""Passing over an item, and who may take it then."""

from __future__ import annotations

from typing import Any

import pytest

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import skip
from labeling.annotation.models import RoundItem, Skip
from labeling.corpus.models import Project
from labeling.refusals import Invalid, Refusal
from tests.annotation.samples import (
    annotators,
    assert_sound,
    held_by,
    items,
    judge,
    opened_round,
    rater_of,
    vote_on,
)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (" ", "reason: say in a few words"),
        ("x" * 301, "reason: has 301"),
        ("\x00", "reason: contains a NUL"),
        (None, "reason: must be text"),
    ],
)
def test_skip_needs_a_reason(project: Project, reason: Any, said: str) -> None:
    items(project, 1)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    with pytest.raises(Invalid, match=said):
        skip(ann, held_by(ann, round).pk, reason=reason)
    assert not Skip.objects.exists()
    assert_sound(round)


def test_skipping_twice_is_one_skip_and_it_can_be_judged_after_all(project: Project) -> None:
    items(project, 2)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    held = held_by(ann, round)
    skip(ann, held.pk, reason="Unclear.")
    skip(ann, held.pk, reason="Unclear.")
    assert Skip.objects.count() == rater_of(round, ann).skips == 1
    vote_on(ann, held)
    with pytest.raises(Refusal, match="You have voted on this item"):
        skip(ann, held.pk, reason="No.")
    assert_sound(round)


def test_skipped_item_that_somebody_took_is_not_voted_on_by_the_first(project: Project) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=1)
    held = held_by(ann, round)
    skip(ann, held.pk, reason="Unclear.")
    assert next_assignment(ben, round) == held
    with pytest.raises(Refusal, match="You do not hold this item"):
        vote_on(ann, held)
    vote_on(ben, held)
    assert_sound(round)


def test_where_everybody_judges_nobody_takes_what_another_skipped(project: Project) -> None:
    items(project, 1)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    held = held_by(ann, round)
    skip(ann, held.pk, reason="Unclear.")
    judge(ben, round)
    assert next_assignment(ben, round) is None
    vote_on(ann, held)
    assert RoundItem.objects.get().is_complete
    assert_sound(round)
