"""Projects with votes, for tests of the figures that come from a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labeling.agreement.choosing import Selection, choose
from labeling.annotation.models import Assignment, Round
from labeling.annotation.rounds.changing import close_round
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import annotators, items, judge, opened_round, vote_on

Answers = dict[str, Any]
Rows = Sequence[Sequence[Answers | None]]
YES: Answers = {"include": "yes", "criteria": ["suggested"]}
NO: Answers = {"include": "no"}
# By hand: yes/yes, yes/no, no/no, no/no have α = 1 − (8 − 1) · 2 / (2 · 3 · 5) = 8/15.
SPLIT: Rows = [[YES, YES], [YES, NO], [NO, NO], [NO, NO]]


def judged_round(
    project: Project,
    people: list[User],
    rows: Rows,
    *,
    closed: bool = True,
    **design: Any,
) -> Round:
    """A round in which the people (columns) say this about its items (rows); None: they have not voted."""
    round = opened_round(project, people, handing="planned", **design)
    ids = project.items.order_by("pk").values_list("pk", flat=True)
    places = {pk: place for place, pk in enumerate(ids)}
    for person, user in enumerate(people):
        slots = Assignment.objects.filter(round=round, rater__user=user, repeat=0)
        for slot in slots.select_related("round_item"):
            answers = rows[places[slot.round_item.item_id]][person]
            if answers is not None:
                vote_on(user, slot, answers)
    if closed:
        close_round(round, by=None)
    round.refresh_from_db()
    return round


def judged_project(project: Project, rows: Rows, **more: Any) -> Round:
    """As many items and annotators as the table has rows and columns."""
    groups = more.pop("groups", 1)
    items(project, len(rows), groups=groups)
    return judged_round(project, annotators(project, len(rows[0])), rows, **more)


def selected(project: Project, **wanted: str) -> Selection:
    selection = choose(project, wanted)
    assert selection is not None
    return selection


def repeated_round(project: Project, people: list[User], *, count: int = 12, groups: int = 1) -> Round:
    """An open round with hidden repeats in which everybody says no to everything."""
    items(project, count, groups=groups)
    round = opened_round(project, people, repeat_every=3, repeat_distance=2)
    for user in people:
        while judge(user, round, NO) is not None:
            pass
    return round
