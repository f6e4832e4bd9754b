from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from labeling import tasks
from labeling.annotation.models import Assignment, Handing, Order, Round, RoundItem, RoundState, SlotState
from labeling.annotation.rounds import planning
from labeling.annotation.rounds.planning import Design, create_round
from labeling.annotation.rounds.storing import insert_rows
from labeling.corpus.models import Item, Project
from labeling.corpus.projects import create_project
from labeling.jobs import queue, running
from labeling.jobs.models import Job, State
from labeling.people.models import User
from labeling.refusals import Refusal
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators, assert_sound, items, opened_round, protocol

Row = tuple[int, int, int | None, str, int]


def plan_of(round: Round) -> list[Row]:
    """Every slot, with people and items in the place of row numbers."""
    rows = Assignment.objects.filter(round=round).order_by("round_item__position", "slot")
    fields = ("round_item__item", "slot", "rater__user", "state", "position")
    return list(rows.values_list(*fields))


DESIGNS: list[dict[str, Any]] = [
    {},
    {"votes": 2},
    {"votes": 2, "handing": Handing.PLANNED},
    {"handing": Handing.PLANNED, "order": Order.STRATIFIED},
    {"votes": 2, "handing": Handing.PLANNED, "calibration": 3, "gold": {"item-5": EXCLUDE}},
    {"votes": 1, "calibration": 3, "sample": 6, "gold": {"item-5": EXCLUDE}},
]


def keyed_items(project: Project, count: int, **more: Any) -> list[Item]:
    rows = items(project, count, **more)
    for number, row in enumerate(rows, start=1):
        Item.objects.filter(pk=row.pk).update(key=f"item-{number}")
    return rows


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_same_seed_gives_the_same_plan_also_after_the_planner_was_killed(
    project: Project, design: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "BATCH", 4)
    keyed_items(project, 14, groups=3)
    people = annotators(project, 3)
    whole = opened_round(project, people, **design, name="Whole")
    assert_sound(whole)
    round, job = create_round(
        project, Design(name="Cut", seed=7, protocol=protocol(project), annotators=people, **design), by=None
    )
    stored = insert_rows
    calls = []

    def killed(model: Any, *arguments: Any) -> None:
        calls.append(model)
        if calls.count(Assignment) == 2:
            raise MemoryError
        stored(model, *arguments)

    monkeypatch.setattr(planning, "insert_rows", killed)
    running.run(job.pk, tasks.WORK)
    job.refresh_from_db()
    assert (job.state, job.done) == (State.FAILED, 4)
    monkeypatch.setattr(planning, "insert_rows", stored)
    Item.objects.update(group="changed")  # the plan is made already: what becomes of the items does not matter
    queue.retry(job, by=None)
    running.run(job.pk, tasks.WORK)
    round.refresh_from_db()
    assert round.state == RoundState.OPEN
    assert plan_of(round) == plan_of(whole)
    assert_sound(round)


def test_plan_of_fresh_items_goes_on_after_a_kill(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "BATCH", 4)
    rows = items(project, 10)
    people = annotators(project, 1)
    opened_round(project, people, sample=3, name="Earlier")
    taken = set(RoundItem.objects.values_list("item", flat=True))
    round, job = create_round(
        project, Design(name="Rest", protocol=protocol(project), annotators=people, fresh=True), by=None
    )
    with pytest.raises(Refusal, match="Another round is being planned"):
        opened_round(project, people, name="Third", fresh=True)
    stored = insert_rows
    monkeypatch.setattr(
        planning, "insert_rows", lambda model, *rest: stored(model, *rest) if model is RoundItem else 1 / 0
    )
    running.run(job.pk, tasks.WORK)
    monkeypatch.setattr(planning, "insert_rows", stored)
    job.refresh_from_db()
    assert job.state == State.FAILED
    queue.retry(job, by=None)
    running.run(job.pk, tasks.WORK)
    assert set(round.items.values_list("item", flat=True)) == {row.pk for row in rows} - taken
    assert_sound(round)


def test_another_seed_gives_another_plan(project: Project) -> None:
    items(project, 20)
    people = annotators(project, 3)
    one = opened_round(project, people, votes=2, handing=Handing.PLANNED, seed=1)
    other = opened_round(project, people, votes=2, handing=Handing.PLANNED, seed=2, name="Second")
    assert plan_of(one) != plan_of(other)


def test_items_imported_later_are_not_in_the_round(project: Project) -> None:
    rows = items(project, 3)
    people = annotators(project, 1)
    round, job = create_round(project, Design(name="First", protocol=protocol(project), annotators=people), by=None)
    Item.objects.create(project=project, kind="review_rename", key="late", title="x", payload={})
    running.run(job.pk, tasks.WORK)
    assert set(round.items.values_list("item", flat=True)) == {row.pk for row in rows}


def test_planned_votes_are_shared_out_evenly_and_so_are_pairs(project: Project) -> None:
    items(project, 60)
    people = annotators(project, 4)
    round = opened_round(project, people, votes=2, handing=Handing.PLANNED)
    slots = Assignment.objects.filter(round=round)
    assert set(Counter(slots.values_list("rater", flat=True)).values()) == {30}
    teams = Counter(
        tuple(sorted(item.assignments.values_list("rater__number", flat=True))) for item in round.items.all()
    )
    assert set(teams.values()) == {10}
    assert len(teams) == 6


def test_planned_lists_are_in_orders_of_their_own(project: Project) -> None:
    items(project, 40)
    round = opened_round(project, annotators(project, 2), handing=Handing.PLANNED)
    lists = [
        list(rater.assignments.order_by("position").values_list("round_item", flat=True))
        for rater in round.raters.all()
    ]
    assert sorted(lists[0]) == sorted(lists[1])
    assert lists[0] != lists[1]
    assert [slot.position for slot in round.raters.all()[0].assignments.order_by("position")] == list(range(40))


def test_stratified_order_has_every_group_in_every_stretch(project: Project) -> None:
    items(project, 90, groups=3)
    round = opened_round(project, annotators(project, 1), order=Order.STRATIFIED)
    groups = list(round.items.order_by("position").values_list("item__group", flat=True))
    for start in range(0, 90, 9):
        assert set(Counter(groups[start : start + 9]).values()) <= {2, 3, 4}


def test_gold_item_is_for_everybody_and_is_there_although_not_sampled(project: Project) -> None:
    keyed_items(project, 30)
    people = annotators(project, 3)
    round = opened_round(project, people, votes=1, sample=5, gold={"item-9": INCLUDE, "item-11": EXCLUDE})
    gold = round.items.filter(gold__isnull=False)
    assert {row.item.key: row.gold for row in gold.select_related("item")} == {"item-9": INCLUDE, "item-11": EXCLUDE}
    assert set(gold.values_list("wanted", flat=True)) == {3}
    assert round.items.exclude(pk__in=gold).filter(wanted=1).count() in {3, 4, 5}
    assert set(gold.first().assignments.values_list("state", flat=True)) == {SlotState.HELD}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({"name": ""}, "name: must be one line"),
        ({"name": "a\x00b"}, "name: must be one line"),
        ({"name": "x" * 121}, "name: must be one line"),
        ({"votes": 3}, "votes: 3 votes an item need 3 annotators, and 2 take part"),
        ({"votes": 0}, "votes: 0 votes"),
        ({"annotators": []}, "annotators: choose at least one"),
        ({"seed": -1}, "seed: must be between 0"),
        ({"seed": 2**70}, "seed: must be between 0"),
        ({"calibration": -1}, "calibration: must be"),
        ({"sample": 0}, "sample: must be"),
        ({"repeat_every": 1}, "repeat_every: at least every second"),
        ({"repeat_distance": 0}, "repeat_distance: must be"),
        ({"group": "nowhere"}, "items: no item fits"),
        ({"words": "\x00"}, "items: a search cannot"),
        ({"gold": {"none": EXCLUDE}}, "gold: there is no item with the key “none”"),
        ({"gold": {"item-1": {"include": "perhaps"}}}, "gold, item “item-1”: answers.include: must be one of yes, no"),
    ],
)
def test_design_that_makes_no_sense_is_refused(project: Project, design: dict[str, Any], said: str) -> None:
    keyed_items(project, 2)
    wanted = {"name": "First", "annotators": annotators(project, 2), "protocol": protocol(project), **design}
    with pytest.raises(Refusal, match=said.replace("(", r"\(")):
        create_round(project, Design(**wanted), by=None)
    assert not Round.objects.exists()
    assert not Job.objects.exists()


def test_people_and_protocols_of_elsewhere_are_refused(project: Project, alice: User, charlie: User) -> None:
    items(project, 1)
    (ann,) = annotators(project, 1)
    elsewhere = protocol(create_project(name="Other", by=alice))
    cases: list[tuple[dict[str, Any], str]] = [
        ({"annotators": [charlie]}, "charlie@example.org is not an annotator"),
        ({"annotators": [alice]}, "alice@example.org is not an annotator"),
        ({"annotators": [ann, ann]}, "somebody is named twice"),
        ({"protocol": elsewhere}, "belongs to another project"),
    ]
    for design, said in cases:
        wanted: dict[str, Any] = {"name": "First", "annotators": [ann], "protocol": protocol(project), **design}
        with pytest.raises(Refusal, match=said):
            create_round(project, Design(**wanted), by=None)
    opened_round(project, [ann])
    with pytest.raises(Refusal, match="There is a round “First”"):
        opened_round(project, [ann])
