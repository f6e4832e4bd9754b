"""The votes of a release that comes back, each in a slot of its rater, in the order in which they were cast."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, TypeVar
from uuid import uuid4

from labeling.annotation.models import Assignment, ProtocolVersion, Rater, Round, RoundItem, SlotState, Vote
from labeling.annotation.protocols.codebook import Question
from labeling.corpus.models import Item, Project
from labeling.refusals import Invalid
from labeling.release.cells import read_answer, read_sheet
from labeling.release.comparing import ANSWER
from labeling.release.verifying import Source, text_of

BATCH = 1_000
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)  # when a vote was cast is not released; the order is
T = TypeVar("T")
Place = tuple[str, str]  # round and item
Row = Mapping[str, str]


def batches(rows: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(rows)
    while some := list(islice(rest, BATCH)):
        yield some


@dataclass
class Known:
    """The release, the project that it comes into, and what is there already, by its names in the release."""

    source: Source
    project: Project
    versions: dict[tuple[str, int], ProtocolVersion] = field(default_factory=dict)
    rounds: dict[str, Round] = field(default_factory=dict)
    raters: dict[tuple[str, str], Rater] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)

    def sheet(self, name: str) -> Iterator[dict[str, str]]:
        with text_of(self.source, name) as file:
            yield from read_sheet(file)

    def places(self, rows: Iterable[Row]) -> dict[Place, int]:
        """Items of rounds, by the names of both."""
        keys = {row["item"] for row in rows}
        found = RoundItem.objects.filter(round__project=self.project, item__key__in=keys)
        return {(round, item): pk for round, item, pk in found.values_list("round__name", "item__key", "pk")}

    def answers(self, row: Row) -> dict[str, Any]:
        found = {
            key: read_answer(question.form, row.get(f"{ANSWER}{key}", "")) for key, question in self.questions.items()
        }
        return {key: answer for key, answer in found.items() if answer is not None}


def import_votes(known: Known) -> None:
    """Votes of an item stand together in the file; a batch ends between two items."""
    waiting: list[dict[str, str]] = []
    for row in known.sheet("votes.csv"):
        if len(waiting) >= BATCH and row["item"] != waiting[-1]["item"]:
            store_votes(known, waiting)
            waiting = []
        waiting.append(row)
    store_votes(known, waiting)


def store_votes(known: Known, rows: list[dict[str, str]]) -> None:
    require_comments(known, rows)
    slots = make_slots(known, rows)
    votes = [vote_of(known, row, slots[slot_key(row)]) for row in rows]
    Vote.objects.bulk_create(votes)
    in_force = []
    for row, vote in zip(rows, votes, strict=True):
        if row["in_force"] == "yes":
            slot = vote.assignment
            slot.vote, slot.voted_at, slot.state = vote, vote.cast_at, SlotState.VOTED
            in_force.append(slot)
    Assignment.objects.bulk_update(in_force, ["vote", "voted_at", "state"])


def slot_key(row: Row) -> tuple[str, str, str, int]:
    return row["round"], row["item"], row["rater"], int(row["repeat"])


def make_slots(known: Known, rows: Iterable[Row]) -> dict[tuple[str, str, str, int], Assignment]:
    """One for each rater of an item and each hidden repeat; revisions share it."""
    places = known.places(rows)
    taken: dict[Place, int] = defaultdict(int)
    slots: dict[tuple[str, str, str, int], Assignment] = {}
    for row in rows:
        round, item, name, repeat = key = slot_key(row)
        if key in slots:
            continue
        rater = known.raters[round, name]
        taken[round, item] += not repeat
        slots[key] = Assignment(
            round_id=rater.round_id,
            round_item_id=places[round, item],
            rater=rater,
            slot=None if repeat else taken[round, item],
            repeat=repeat,
            state=SlotState.SKIPPED,
            position=0,
        )
    Assignment.objects.bulk_create(slots.values())
    return slots


def vote_of(known: Known, row: Row, slot: Assignment) -> Vote:
    seconds = float(row["active_seconds"]) if row["active_seconds"] else None
    times = {} if seconds is None else {"wall_seconds": seconds, "active_seconds": seconds, "idle_seconds": 0}
    return Vote(
        assignment=slot,
        rater=known.raters[row["round"], row["rater"]],
        revision=int(row["revision"]),
        submission=uuid4(),
        protocol=known.versions[row["protocol"], int(row["version"])],
        answers=known.answers(row),
        flag="flagged" if row["flagged"] == "yes" else "",
        picked=int(row["picked"]) if row.get("picked") else None,
        cast_at=LONG_AGO + timedelta(seconds=int(row["sequence"])),
        **times,
    )


def require_comments(known: Known, rows: Iterable[Row]) -> None:
    """Pages show the comment that a vote picked: it must be there."""
    picks = [(row["item"], int(row["picked"])) for row in rows if row.get("picked")]
    items = Item.objects.filter(project=known.project, key__in={key for key, _ in picks})
    sizes = {key: len(payload.get("thread", ())) for key, payload in items.values_list("key", "payload")}
    for key, picked in picks:
        if not 0 <= picked < sizes.get(key, 0):
            raise Invalid(f"votes.csv: a vote on “{key[:80]}” picked comment {picked}, which is not in its thread.")
