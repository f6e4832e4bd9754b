"""The cases of a release that comes back: why they were opened, and what was decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from labeling.annotation.models import Assignment
from labeling.consensus.acting import AGREED, DECIDED
from labeling.consensus.models import Case, CaseState, Confirmation, Decision, Event, Proposal
from labeling.consensus.routing import in_drawn_order
from labeling.people.models import User
from labeling.release.importing_votes import Known, Place, Row, batches

DISCUSSION = "discussion"
FIELDS = ["state", "decision", "adjudicator", "version"]


@dataclass(frozen=True)
class Voted:
    """A vote in force on the item of a case, by ids."""

    vote: int
    rater: int
    user: int


@dataclass
class End:
    """How a case ended, on its way into the database."""

    case: Case
    row: Row
    how: str
    answers: dict[str, Any]
    made_by: User
    proposal: Proposal | None = None

    def propose(self) -> Proposal:
        """Who proposed it is not released: it stands under the one who confirmed last."""
        made = Proposal(case=self.case, author=self.made_by, submission=uuid4(), answers=self.answers,
                        because=self.row["because"])  # fmt: skip
        self.proposal = made
        return made

    def decide(self) -> Decision:
        return Decision(
            case=self.case,
            answers=self.answers,
            rejected=self.how == "rejected",
            rationale=self.row["rationale"],
            unclear=self.row["unclear"],
            proposal=self.proposal,
            made_by=self.made_by,
            voted=self.case.voted,
        )


def import_cases(known: Known, users: Mapping[str, User], *, by: User) -> None:
    """What a decision says is the final answer of its item in the round."""
    decided = {(row["round"], row["item"]) for row in known.sheet("cases.csv") if row["state"] == "decided"}
    rows_of_decided = (row for row in known.sheet("finals.csv") if (row["round"], row["item"]) in decided)
    finals = {(row["round"], row["item"]): (row["how"], known.answers(row)) for row in rows_of_decided}
    for rows in batches(known.sheet("cases.csv")):
        places = known.places(rows)
        votes = votes_in_force(places.values())
        cases = [new_case(known, row, places[place_of(row)], votes) for row in rows]
        Case.objects.bulk_create(cases)
        ends = [
            End(case, row, *finals[place_of(row)], made_by=users.get(row["decided_by"], by))
            for case, row in zip(cases, rows, strict=True)
            if row["state"] == "decided"
        ]
        store_ends(ends, votes)
        store_events(cases)


def place_of(row: Row) -> Place:
    return row["round"], row["item"]


def votes_in_force(items: Iterable[int]) -> dict[int, list[Voted]]:
    """By item of a round, in the order of its raters."""
    found: dict[int, list[Voted]] = defaultdict(list)
    slots = Assignment.objects.filter(round_item__in=items, repeat=0, vote__isnull=False).order_by("rater__number")
    for item, vote, rater, user in slots.values_list("round_item", "vote", "rater", "rater__user"):
        found[item].append(Voted(vote or 0, rater, user))
    return found


def new_case(known: Known, row: Row, place: int, votes: Mapping[int, Sequence[Voted]]) -> Case:
    round, voted = known.rounds[row["round"]], votes.get(place, [])
    return Case(
        round_item_id=place,
        round=round,
        project_id=round.project_id,
        way=row["way"],
        why=row["why"],
        questions=row["questions"].split("|") if row["questions"] else [],
        pattern=row["pattern"],
        state=CaseState.OPEN if row["state"] == "decided" else row["state"],
        voted=sorted(one.vote for one in voted),
        raters=in_drawn_order([one.rater for one in voted], rule=round.rule, key=row["item"]),
    )


def store_ends(ends: Sequence[End], votes: Mapping[int, Sequence[Voted]]) -> None:
    agreed = [end for end in ends if end.how == DISCUSSION]
    Proposal.objects.bulk_create(end.propose() for end in agreed)
    Confirmation.objects.bulk_create(
        Confirmation(case=end.case, user_id=one.user, proposal=end.proposal)
        for end in agreed
        for one in votes[end.case.round_item_id]
    )
    decisions = Decision.objects.bulk_create(end.decide() for end in ends)
    for end, decision in zip(ends, decisions, strict=True):
        end.case.state, end.case.decision = CaseState.DECIDED, decision
        end.case.version += 1
        if end.how != DISCUSSION and end.case.way == "adjudicator":
            end.case.adjudicator = end.made_by
    Case.objects.bulk_update([end.case for end in ends], FIELDS)


def store_events(cases: Iterable[Case]) -> None:
    """Opened, and decided: what lay between was not released."""
    Event.objects.bulk_create(event for case in cases for event in events_of(case))


def events_of(case: Case) -> Iterator[Event]:
    yield Event(case=case, version=1, verb="opened", details={"pattern": case.pattern, "imported": True})
    if case.decision is not None:
        verb = AGREED if case.decision.proposal_id else DECIDED
        details = {"decision": case.decision.pk, "imported": True}
        yield Event(case=case, version=case.version, actor=case.decision.made_by, verb=verb, details=details)
