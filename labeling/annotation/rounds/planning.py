"""Making a round: its rows are written by a job, in steps that a second attempt continues, from the seed alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations, islice
from math import comb
from random import Random
from secrets import randbits
from typing import Any

from django.db import transaction
from django.db.models import Max

from labeling.annotation.judging.claiming import WINDOW
from labeling.annotation.models import (
    Assignment,
    Handing,
    Order,
    ProtocolVersion,
    Rater,
    Round,
    RoundItem,
    RoundState,
    SlotState,
)
from labeling.annotation.protocols.answers import check_answers
from labeling.annotation.rounds.choosing import choose_items, gold_items, seeded, selectable
from labeling.corpus.models import Item, Project
from labeling.corpus.payloads import FieldError
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.activity import record
from labeling.people.models import Role, User
from labeling.refusals import Invalid, Refusal

BATCH = 5_000
MOST_TEAMS = 500
LONGEST_NAME = 120


@dataclass(frozen=True)
class Design:
    """What a coordinator decides about a round."""

    name: str
    protocol: ProtocolVersion
    annotators: list[User]
    votes: int | None = None  # None: everybody judges everything
    handing: Handing = Handing.CLAIMED
    order: Order = Order.SHUFFLED
    seed: int | None = None
    calibration: int = 0
    repeat_every: int = 0
    repeat_distance: int = 20
    words: str = ""
    group: str = ""
    sample: int | None = None
    fresh: bool = False  # only items that are in no round yet
    gold: Mapping[str, Any] = field(default_factory=dict)  # key of an item -> the answers that are right


@transaction.atomic
def create_round(project: Project, design: Design, *, by: User | None) -> tuple[Round, Job]:
    """Checks the design, writes it down, and starts the job that plans it."""
    Project.objects.select_for_update().get(pk=project.pk)
    require_design(project, design)
    selection = {"words": design.words, "group": design.group, "sample": design.sample, "fresh": design.fresh}
    round = Round.objects.create(
        project=project,
        name=design.name.strip(),
        protocol=design.protocol,
        handing=design.handing,
        order=design.order,
        votes_wanted=design.votes,
        seed=randbits(31) if design.seed is None else design.seed,
        calibration=design.calibration,
        repeat_every=design.repeat_every,
        repeat_distance=design.repeat_distance,
        selection={
            **{key: value for key, value in selection.items() if value},
            "gold": checked_gold(project, design),
            "last": project.items.aggregate(last=Max("pk"))["last"] or 0,
        },
        created_by=by,
    )
    if not selectable(round).exists():
        raise Invalid("items: no item fits this selection.")
    Rater.objects.bulk_create(
        Rater(round=round, user=user, number=number) for number, user in enumerate(design.annotators, start=1)
    )
    record(project, by=by, verb="made the round", subject=round.name, seed=round.seed, protocol=str(design.protocol))
    return round, enqueue("plan_round", project=project, by=by, title=f"Planning of {round.name}", round=round.pk)


def require_design(project: Project, design: Design) -> None:
    name, people = design.name.strip(), len(design.annotators)
    if not 1 <= len(name) <= LONGEST_NAME:
        raise Invalid(f"name: must have 1 to {LONGEST_NAME} characters.")
    if project.rounds.filter(name=name).exists():
        raise Refusal(f"There is a round “{name}” in {project} already.")
    if design.protocol.protocol.project_id != project.pk:
        raise Invalid("protocol: it belongs to another project.")
    if not people:
        raise Invalid("annotators: choose at least one.")
    require_annotators(project, design.annotators)
    if design.votes is not None and not 1 <= design.votes <= people:
        raise Invalid(f"votes: {design.votes} votes an item need {design.votes} annotators, and {people} take part.")
    if design.repeat_every == 1:
        raise Invalid("repeat_every: at least every second item must be new.")


def require_annotators(project: Project, users: list[User]) -> None:
    known = set(project.memberships.filter(role=Role.ANNOTATOR).values_list("user", flat=True))
    for user in users:
        if user.pk not in known:
            raise Invalid(f"annotators: {user.email} is not an annotator of {project}.")


def checked_gold(project: Project, design: Design) -> dict[str, Any]:
    known = set(Item.objects.filter(project=project, key__in=design.gold).values_list("key", flat=True))
    checked = {}
    for key, answers in design.gold.items():
        if key not in known:
            raise Invalid(f"gold: there is no item with the key “{key[:80]}”.")
        try:
            checked[key] = check_answers(design.protocol.codebook, answers)
        except FieldError as error:
            raise Invalid(f"gold, item “{key[:80]}”: {error}") from error
    return checked


def plan_round(run: Run) -> Mapping[str, Any]:
    """The job: writes the round's items and slots, batch after batch, and opens the round."""
    round = Round.objects.select_related("project").get(pk=run.arguments["round"])
    if round.state != RoundState.PLANNING:
        raise JobError(f"{round} is planned already.")
    plan = Plan(round)
    run.expect(len(plan.items), done=run.done)
    for start in range(run.done, len(plan.items), BATCH):
        positions = range(start, min(start + BATCH, len(plan.items)))
        with run.step(len(positions)):
            plan.store(positions)
    with run.step(0):
        Round.objects.filter(pk=round.pk).update(state=RoundState.OPEN)
        record(round.project, by=run.job.created_by, verb="opened the round", subject=round.name)
    return {"items": len(plan.items), "raters": len(plan.raters)}


class Plan:
    """Who gets which slot of which position. Everything in it follows from the round's row and the items there are."""

    def __init__(self, round: Round) -> None:
        self.round = round
        self.items = choose_items(round)
        self.raters = list(round.raters.order_by("number"))
        self.gold = dict(gold_items(round).values_list("pk", "key"))
        self.teams = list(islice(teams(self.size, len(self.raters), seeded(round, "teams")), len(self.items)))
        self.places = {rater.number: self.own_places(index, rater) for index, rater in enumerate(self.raters)}

    @property
    def size(self) -> int:
        return self.round.votes_wanted or len(self.raters)

    def is_for_everybody(self, position: int) -> bool:
        return position < self.round.calibration or self.items[position] in self.gold

    def team(self, position: int) -> Collection[int]:
        """The raters, by index, whose list has this position."""
        return range(len(self.raters)) if self.is_for_everybody(position) else self.teams[position]

    def is_planned(self, position: int) -> bool:
        return self.round.handing == Handing.PLANNED or self.is_for_everybody(position)

    def own_places(self, index: int, rater: Rater) -> dict[int, int]:
        """For a planned list: where each position stands in the rater's own order; the calibration set comes first."""
        if self.round.handing == Handing.CLAIMED:
            return {}
        rng = seeded(self.round, f"rater:{rater.number}")
        mine = [position for position in range(len(self.items)) if index in self.team(position)]
        first = [position for position in mine if position < self.round.calibration]
        rest = mine[len(first) :]
        # A stratified order keeps its proportions when it is shuffled stretch by stretch.
        stretch = WINDOW if self.round.order == Order.STRATIFIED else max(len(rest), 1)
        shuffled = [
            rng.sample(rest[at : at + stretch], len(rest[at : at + stretch])) for at in range(0, len(rest), stretch)
        ]
        own = chain(rng.sample(first, len(first)), *shuffled)
        return {position: place for place, position in enumerate(own)}

    def store(self, positions: range) -> None:
        rows = [self.round_item(position) for position in positions]
        RoundItem.objects.bulk_create(rows)
        Assignment.objects.bulk_create([slot for row in rows for slot in self.slots(row)], batch_size=BATCH)

    def round_item(self, position: int) -> RoundItem:
        pk = self.items[position]
        wanted = len(self.raters) if self.is_for_everybody(position) else self.size
        gold = self.round.selection["gold"][self.gold[pk]] if pk in self.gold else None
        return RoundItem(round=self.round, item_id=pk, position=position, wanted=wanted, gold=gold)

    def slots(self, row: RoundItem) -> Iterator[Assignment]:
        if not self.is_planned(row.position):
            for slot in range(1, row.wanted + 1):
                yield Assignment(round=self.round, round_item=row, slot=slot, position=row.position)
            return
        for slot, index in enumerate(self.team(row.position), start=1):
            rater = self.raters[index]
            place = self.places[rater.number].get(row.position, row.position)
            yield Assignment(
                round=self.round, round_item=row, slot=slot, rater=rater, state=SlotState.HELD, position=place
            )


def teams(size: int, raters: int, rng: Random) -> Iterator[tuple[int, ...]]:
    """Groups of raters, without end: each rater, and where that is feasible each pair of them, equally often."""
    everyone = list(range(raters))
    if comb(raters, size) <= MOST_TEAMS:
        every_team = list(combinations(everyone, size))
        while True:
            rng.shuffle(every_team)
            yield from every_team
    while True:
        rng.shuffle(everyone)
        for start in range(raters):
            yield tuple(everyone[(start + offset) % raters] for offset in range(size))
