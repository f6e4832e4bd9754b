"""Making a round: its rows are written by a job, in steps that a second attempt continues, from the seed alone."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, islice
from math import comb
from random import Random
from secrets import randbits
from typing import Any, TypeVar

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
)
from labeling.annotation.protocols.answers import check_answers
from labeling.annotation.protocols.models import held_version
from labeling.annotation.rounds.choosing import choose_items, gold_items, seeded, selectable
from labeling.annotation.rounds.counting import measure_plan
from labeling.annotation.rounds.storing import Cell, insert_rows, refresh_statistics
from labeling.corpus.models import Item, Project
from labeling.corpus.payloads import FieldError
from labeling.corpus.projects import lock
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.activity import record
from labeling.people.models import Role, User
from labeling.refusals import Invalid, Refusal

BATCH = 5_000
MOST_TEAMS = 500
LONGEST_NAME = 120
LARGEST = 2**31 - 1
ITEM_COLUMNS = ["round_id", "item_id", "position", "wanted", "votes"]
SLOT_COLUMNS = ["round_id", "round_item_id", "slot", "repeat", "rater_id", "state", "position"]
T = TypeVar("T")


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
    lock(project)  # what is being imported is waited for
    held_version(design.protocol.pk)  # an edit of it waits, and then makes the next version
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
    require_name(project, design.name.strip())
    if design.protocol.protocol.project_id != project.pk:
        raise Invalid("protocol: it belongs to another project.")
    people = len(design.annotators)
    if not people:
        raise Invalid("annotators: choose at least one.")
    require_annotators(project, design.annotators)
    if design.votes is not None and not 1 <= design.votes <= people:
        raise Invalid(f"votes: {design.votes} votes an item need {design.votes} annotators, and {people} take part.")
    require_numbers(design)
    if "\x00" in design.words + design.group:
        raise Invalid("items: a search cannot contain NUL characters.")
    if design.fresh and project.rounds.filter(state=RoundState.PLANNING).exists():
        raise Refusal("Another round is being planned: which items are in no round yet will be known when it is done.")


def require_name(project: Project, name: str) -> None:
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise Invalid(f"name: must be one line of 1 to {LONGEST_NAME} characters.")
    if project.rounds.filter(name=name).exists():
        raise Refusal(f"There is a round “{name}” in {project} already.")


def require_numbers(design: Design) -> None:
    fewest = {"seed": 0, "calibration": 0, "repeat_every": 0, "repeat_distance": 1, "sample": 1}
    for name, least in fewest.items():
        number = getattr(design, name)
        if number is not None and not least <= number <= LARGEST:
            raise Invalid(f"{name}: must be between {least} and {LARGEST:,}, not {number}.")
    if design.repeat_every == 1:
        raise Invalid("repeat_every: at least every second item must be new.")


def require_annotators(project: Project, users: list[User]) -> None:
    known = set(project.memberships.filter(role=Role.ANNOTATOR).values_list("user", flat=True))
    for user in users:
        if user.pk not in known:
            raise Invalid(f"annotators: {user.email} is not an annotator of {project}.")
    if len({user.pk for user in users}) < len(users):
        raise Invalid("annotators: somebody is named twice.")


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
    """The job: chooses the items, writes their slots batch after batch, and opens the round."""
    round = Round.objects.select_related("project").get(pk=run.arguments["round"])
    if round.state != RoundState.PLANNING:
        raise JobError(f"{round} is planned already.")
    if not round.item_count:
        with run.step(0):  # in one step: a second attempt may meet items that were replaced meanwhile
            store_items(round)
        round.refresh_from_db()
    run.expect(round.item_count, done=run.done)
    plan = Plan(round)
    for start in range(run.done, round.item_count, BATCH):
        stop = min(start + BATCH, round.item_count)
        with run.step(stop - start):
            insert_rows(Assignment, SLOT_COLUMNS, plan.slots(start, stop))
    with run.step(0):
        refresh_statistics(RoundItem, Assignment)
        Round.objects.filter(pk=round.pk).update(state=RoundState.OPEN)
        record(round.project, by=run.job.created_by, verb="opened the round", subject=round.name)
    return {"items": round.item_count, "raters": len(plan.raters)}


def store_items(round: Round) -> None:
    """Writes down which items the round has, in the common order."""
    items, everybody = choose_items(round), round.raters.count()
    gold = dict(gold_items(round).values_list("pk", "key"))
    usual = round.votes_wanted or everybody

    def wanted(position: int, pk: int) -> int:
        return everybody if position < round.calibration or pk in gold else usual

    rows = ((round.pk, pk, position, wanted(position, pk), 0) for position, pk in enumerate(items))
    for some in batched(rows, BATCH):
        insert_rows(RoundItem, ITEM_COLUMNS, some)
    for pk, key in gold.items():
        round.items.filter(item=pk).update(gold=round.selection["gold"][key])
    measure_plan(round)


class Plan:
    """Who gets which slot of which position. Everything in it follows from the round's seed and its items."""

    def __init__(self, round: Round) -> None:
        self.round = round
        self.raters = list(round.raters.order_by("number"))
        gold = round.items.filter(gold__isnull=False)
        self.common = {*range(round.calibration), *gold.values_list("position", flat=True)}
        self.is_planned = round.handing == Handing.PLANNED
        size = round.votes_wanted or len(self.raters)
        chosen = teams(size, len(self.raters), seeded(round, "teams")) if self.is_planned else iter(())
        self.teams = list(islice(chosen, round.item_count))
        self.places = [self.own_places(index) for index in range(len(self.raters))] if self.is_planned else []

    def team(self, position: int) -> Collection[int]:
        """The raters, by index, whose list has this position; of a round that is claimed only what everybody judges."""
        return range(len(self.raters)) if position in self.common else self.teams[position]

    def own_places(self, index: int) -> array[int]:
        """For each position: where it stands in the rater's own order."""
        places = array("L", bytes(8 * self.round.item_count))
        mine = [position for position in range(self.round.item_count) if index in self.team(position)]
        for place, position in enumerate(own_order(self.round, self.raters[index].number, mine)):
            places[position] = place
        return places

    def slots(self, start: int, stop: int) -> Iterator[tuple[Cell, ...]]:
        """Rows for the slots of these positions."""
        items = self.round.items.filter(position__gte=start, position__lt=stop).order_by("position")
        for pk, position, wanted in items.values_list("pk", "position", "wanted"):
            if not self.is_planned and position not in self.common:
                yield from ((self.round.pk, pk, slot, 0, None, "free", position) for slot in range(1, wanted + 1))
                continue
            for slot, index in enumerate(self.team(position), start=1):
                place = self.places[index][position] if self.is_planned else position
                yield self.round.pk, pk, slot, 0, self.raters[index].pk, "held", place


def own_order(round: Round, number: int, positions: list[int]) -> Iterator[int]:
    """Positions of a planned list as the rater with this number meets them; the calibration set comes first."""
    rng = seeded(round, f"rater:{number}")
    first = [position for position in positions if position < round.calibration]
    rest = positions[len(first) :]
    yield from rng.sample(first, len(first))
    # A stratified order keeps its proportions when it is shuffled stretch by stretch.
    stretch = WINDOW if round.order == Order.STRATIFIED else max(len(rest), 1)
    for at in range(0, len(rest), stretch):
        some = rest[at : at + stretch]
        yield from rng.sample(some, len(some))


def batched(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Few enough for one statement."""
    rest = iter(rows)
    while some := list(islice(rest, size)):
        yield some


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
