"""Everything that a release says about its items, as a stream in the order of their keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import merge
from itertools import groupby, islice
from typing import Any

from labeling.annotation.models import Assignment, Round, Vote
from labeling.annotation.visibility import settled_votes
from labeling.consensus.finals import Final, finals
from labeling.consensus.models import Proposal
from labeling.consensus.routing import route_batch, rule_of, why_case
from labeling.corpus.models import Item
from labeling.refusals import Refusal
from labeling.release.choosing import Choice
from labeling.release.pseudonyms import Veil

BATCH = 500
REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Cast:
    """A vote as it leaves."""

    rater: int  # the number behind R
    repeat: int
    revision: int
    in_force: bool
    version: int  # of the protocol, by id
    sequence: int  # the how-manieth of this rater in the round
    flagged: bool
    picked: int | None  # a comment of the thread, from 0; None: the linked one
    seconds: float | None
    answers: dict[str, Any]


@dataclass(frozen=True)
class Judged:
    """An item in one round: what became of it, and its votes."""

    key: str
    place: int  # of the round
    final: Final
    cast: list[Cast]
    why: str  # it is or was a case; nothing when its votes settled it
    because: str  # what was said for the proposal that all confirmed

    @cached_property
    def picked(self) -> int | None:
        """The comment of the thread that every voter took instead of the linked one."""
        picks = {cast.picked for cast in self.cast if cast.in_force and not cast.repeat}
        return picks.pop() if len(picks) == 1 else None

    @property
    def state(self) -> str:
        if self.final.decision:
            return "decided"
        return "moot" if self.final.is_settled else "open"


@dataclass(frozen=True)
class Gathered:
    """An item with all that its rounds say about it, oldest first."""

    item: Item
    judged: list[Judged]

    @cached_property
    def newest(self) -> Judged | None:
        """That of the newest round which has a final answer: it is the one that counts."""
        return next((one for one in reversed(self.judged) if one.final.is_settled), None)

    def is_in(self, choice: Choice) -> bool:
        found = self.newest
        return found is not None and found.final.how != REJECTED and choice.takes(found.final.answers)


def prepare(choice: Choice) -> None:
    """Brings the cases up to date, outside of any snapshot."""
    for round in choice.rounds:
        rule_of(round)
        while route_batch(round):
            pass


def gather(choice: Choice, veil: Veil) -> Iterator[Gathered]:
    """Each item whose independent phase is over in one of the rounds."""
    streams = [judged_items(round, place, veil) for place, round in enumerate(choice.rounds)]
    for _, some in groupby(merge(*streams, key=lambda one: (one.key, one.place)), key=lambda one: one.key):
        judged = list(some)
        yield Gathered(judged[0].final.round_item.item, judged)


def judged_items(round: Round, place: int, veil: Veil) -> Iterator[Judged]:
    users = dict(round.raters.values_list("pk", "user"))
    if not veil.numbers.keys() >= set(users.values()):
        raise Refusal("Somebody joined a round at this very moment. Try again.")
    numbers = {rater: veil.numbers[user] for rater, user in users.items()}
    sequences, found = Sequences(round), finals(round)
    while batch := list(islice(found, BATCH)):
        votes, reasons = votes_of(batch, numbers, sequences), reasons_of(batch)
        for final in batch:
            why = "" if final.is_settled else why_case(final.votes, final.outcome)
            why = final.case.why if final.case else why
            because = reasons.get(final.decision.proposal_id or 0, "") if final.decision else ""
            yield Judged(final.round_item.item.key, place, final, votes[final.round_item.pk], why, because)


def reasons_of(batch: Sequence[Final]) -> dict[int, str]:
    wanted = {final.decision.proposal_id for final in batch if final.decision and final.decision.proposal_id}
    return dict(Proposal.objects.filter(pk__in=wanted).values_list("pk", "because"))


class Sequences:
    """The place of each vote among those of its rater that leave, so that no time of day does. Votes on items that are
    still being judged do not count: they stay here, and who imports the release would not have them."""

    def __init__(self, round: Round) -> None:
        import numpy as np

        leaving = settled_votes(Vote.objects.filter(assignment__round=round))
        rows = leaving.order_by().values_list("pk", "rater", "cast_at")
        flat = np.fromiter(
            (number for pk, rater, at in rows.iterator() for number in (pk, rater, int(at.timestamp() * 1_000_000))),
            dtype=np.int64,
        )
        pk, rater, at = flat.reshape(-1, 3).T
        order = np.lexsort((pk, at, rater))
        starts = np.flatnonzero(np.diff(rater[order], prepend=-1))
        place = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order)))) + 1
        by_vote = np.argsort(pk[order])
        self.votes, self.places = pk[order][by_vote], place[by_vote]

    def of(self, vote: int) -> int:
        return int(self.places[self.votes.searchsorted(vote)])


def votes_of(batch: Sequence[Final], numbers: dict[int, int], sequences: Sequences) -> dict[int, list[Cast]]:
    """Every vote on these items, revisions and hidden repeats among them, by item of the round."""
    found: dict[int, list[Cast]] = {final.round_item.pk: [] for final in batch}
    slots = Assignment.objects.filter(round_item__in=found).order_by()
    in_force = set(slots.filter(vote__isnull=False).values_list("vote", flat=True))
    votes = Vote.objects.filter(assignment__round_item__in=found).order_by()
    columns = ("pk", "assignment__round_item", "rater", "assignment__repeat", "revision", "protocol", "flag",
               "picked", "active_seconds", "answers")  # fmt: skip
    for pk, item, rater, repeat, revision, version, flag, picked, seconds, answers in votes.values_list(*columns):
        cast = Cast(numbers[rater], repeat, revision, pk in in_force, version, sequences.of(pk), bool(flag),
                    picked, seconds, answers)  # fmt: skip
        found[item].append(cast)
    for votes_on_item in found.values():
        votes_on_item.sort(key=lambda one: (one.rater, one.repeat, one.revision))
    return found
