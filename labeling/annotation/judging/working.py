"""An annotator's own side of a project: their rounds, and what they skipped, noted and flagged."""

from __future__ import annotations

from typing import Any

from labeling.annotation.judging.progress import progress_of
from labeling.annotation.models import Assignment, Rater, SlotState, Vote
from labeling.corpus.models import Project
from labeling.people.models import User

SHOWN = 50


def work_of(user: User, project: Project) -> dict[str, Any]:
    raters = Rater.objects.filter(user=user, round__project=project).select_related("round__protocol__protocol")
    mine = list(raters.order_by("round"))
    skipped = Assignment.objects.filter(rater__in=mine, state=SlotState.SKIPPED).select_related("round_item__item")
    words = Vote.objects.filter(rater__in=mine).exclude(note="", flag="").select_related("assignment__round_item__item")
    return {
        "rounds": [(rater, progress_of(rater.round, rater)) for rater in mine],
        "skipped": list(skipped.prefetch_related("skips").order_by("-pk")[:SHOWN]),
        "words": list(words.order_by("-pk")[:SHOWN]),
    }
