"""The judgements of a study in long form, and the same matched: what one participant said of one method."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from labeling.agreement.statistics.arrays import Bools, Floats, Ints

Key = TypeVar("Key")

NO, YES, UNANSWERED = 0, 1, -1
NO_REASON = -1
NO_POSITION = 0


@dataclass(frozen=True)
class Judgement:
    """One participant on one distinct name; `position` in the display counts from 1.

    Where only the time of a page is known, `seconds` is that time divided by the names on the page.
    """

    participant: str
    method: str
    name: str
    origins: tuple[str, ...]
    answer: bool | None
    reason: str | None = None
    position: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, eq=False)
class Judgements:
    """Arrays of one length, as codes, and what the codes stand for."""

    participant: Ints
    method: Ints
    name: Ints  # a number for each distinct name of each method
    origin: Bools  # a row a judgement, a column an origin: a name may have several
    answer: Ints
    reason: Ints
    position: Ints
    seconds: Floats  # not a number where unknown
    participants: tuple[str, ...]
    methods: tuple[str, ...]
    origins: tuple[str, ...]
    reasons: tuple[str, ...]
    flagged: Bools  # of each participant

    def __len__(self) -> int:
        return len(self.participant)

    @property
    def answered(self) -> Bools:
        return np.asarray(self.answer != UNANSWERED)

    def where(self, kept: Bools) -> Judgements:
        """Only some of the judgements; all codes stay."""
        columns = ("participant", "method", "name", "origin", "answer", "reason", "position", "seconds")
        return replace(self, **{column: getattr(self, column)[kept] for column in columns})

    def without_flagged(self) -> Judgements:
        return self.where(~self.flagged[self.participant])

    def distinct_only(self) -> Judgements:
        """Only names that have one origin."""
        return self.where(self.origin.sum(axis=1) == 1)


def gather(
    rows: Iterable[Judgement], *, origins: Sequence[str], reasons: Sequence[str], flagged: Collection[str] = ()
) -> Judgements:
    """`origins` and `reasons` in the order in which they are shown; what contradicts itself is a ValueError."""
    # One order, whatever order they come in: it decides which participant a resample draws.
    held = sorted(rows, key=lambda row: (row.participant, row.method, row.name))
    for row in held:
        _check(row, origins, reasons)
    participant, participants = _coded(row.participant for row in held)
    method, methods = _coded(row.method for row in held)
    name, _ = _coded((row.method, row.name) for row in held)
    _refuse_twice(participant, name, "judged the same name twice")
    origin = np.array([[known in row.origins for known in origins] for row in held], dtype=bool)
    return Judgements(
        participant,
        method,
        name,
        origin.reshape(len(held), len(origins)),
        np.array([UNANSWERED if row.answer is None else int(row.answer) for row in held], dtype=np.int64),
        np.array([NO_REASON if row.reason is None else reasons.index(row.reason) for row in held], dtype=np.int64),
        np.array([row.position or NO_POSITION for row in held], dtype=np.int64),
        np.array([np.nan if row.seconds is None else row.seconds for row in held], dtype=np.float64),
        participants,
        methods,
        tuple(origins),
        tuple(reasons),
        np.array([one in flagged for one in participants], dtype=bool),
    )


def _check(row: Judgement, origins: Sequence[str], reasons: Sequence[str]) -> None:
    where = f"{row.participant} on {row.name} of {row.method}"
    if not row.origins or not set(row.origins) <= set(origins):
        raise ValueError(f"{where}: the origins {row.origins} must be some of {tuple(origins)}")
    if row.reason is not None and (row.answer is not False or row.reason not in reasons):
        raise ValueError(f"{where}: the reason {row.reason!r} needs the answer no, and to be one of {tuple(reasons)}")
    if row.position is not None and row.position < 1:
        raise ValueError(f"{where}: positions count from 1")
    if row.seconds is not None and not 0 <= row.seconds < np.inf:
        raise ValueError(f"{where}: seconds are a number of 0 or more")


def _coded(values: Iterable[Key]) -> tuple[Ints, tuple[Key, ...]]:
    codes: dict[Key, int] = {}
    coded = [codes.setdefault(value, len(codes)) for value in values]
    return np.array(coded, dtype=np.int64), tuple(codes)


def _refuse_twice(first: Ints, second: Ints, what: str) -> None:
    pairs = np.stack([first, second], axis=1)
    if len(np.unique(pairs, axis=0)) < len(pairs):
        raise ValueError(f"a participant {what}")


@dataclass(frozen=True, eq=False)
class Matched:
    """A row for each method that a participant judged, a column for each origin.

    A name with two origins stands in both columns, so that their difference in this row is zero by construction.
    """

    participant: Ints  # from 0, those with an answer only
    answer: Ints
    reason: Ints
    name: Ints  # -1 where the method has no name of this origin
    participants: int
    origins: tuple[str, ...]
    reasons: tuple[str, ...]

    def both(self, a: int, b: int) -> Bools:
        """Rows in which the names of both origins were answered."""
        return np.asarray((self.answer[:, a] != UNANSWERED) & (self.answer[:, b] != UNANSWERED))

    def per_participant(self, values: Floats | Ints | Bools) -> Floats:
        """Sums over the rows of each participant."""
        sums = np.zeros((self.participants, *values.shape[1:]))
        np.add.at(sums, self.participant, values)
        return sums


def match(judgements: Judgements) -> Matched:
    """Lays the answered judgements side by side; ValueError where a page has two names of one origin."""
    kept = judgements.where(judgements.answered)
    pages, page = np.unique(np.stack([kept.participant, kept.method], axis=1), axis=0, return_inverse=True)
    row, column = np.nonzero(kept.origin)
    cell = page.reshape(-1)[row]
    _refuse_twice(cell, column, "judged two names of one origin on one method")
    shape = (len(pages), len(kept.origins))
    answer, reason, name = (np.full(shape, -1, dtype=np.int64) for _ in range(3))
    answer[cell, column] = kept.answer[row]
    reason[cell, column] = kept.reason[row]
    name[cell, column] = kept.name[row]
    present, participant = np.unique(pages[:, 0], return_inverse=True)
    return Matched(participant, answer, reason, name, len(present), kept.origins, kept.reasons)
