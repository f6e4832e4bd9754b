"""For each annotator: where the consensus differs from their vote, and why."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.annotation.models import Rater, Vote
from labeling.consensus.access import visible_cases
from labeling.consensus.models import Case, CaseState
from labeling.consensus.routing import votes_on
from labeling.consensus.rules import differs
from labeling.consensus.showing import answers_in_words, decided_in_words
from labeling.people.access import Seat

PAGE = 25


@dataclass(frozen=True)
class Difference:
    """A decided case, what this person had voted, and what was decided."""

    case: Case
    mine: str
    decided: str
    differs: bool
    questions: list[str]


@dataclass(frozen=True)
class DifferencePage:
    rows: list[Difference]
    next_after: int | None


def look_back(seat: Seat, *, after: int = 0) -> DifferencePage:
    """Decided cases that this person voted on, the newest first; `after` is the last decision of the page before."""
    mine = visible_cases(seat).voted_on_by(seat.user)
    cases = mine.filter(state=CaseState.DECIDED).order_by("-decision_id")
    if after:
        cases = cases.filter(decision__lt=after)
    chain = ("decision", "round__protocol", "round_item__item")
    found = list(cases.select_related(*chain).defer("round_item__item__payload")[: PAGE + 1])
    votes = votes_on([case.round_item for case in found])
    raters = own_raters(seat, found)
    rows = [
        difference(case, vote) for case in found[:PAGE] for vote in votes[case.round_item_id] if vote.rater_id in raters
    ]
    return DifferencePage(rows, found[PAGE - 1].decision_id if len(found) > PAGE else None)


def own_raters(seat: Seat, cases: list[Case]) -> set[int]:
    mine = Rater.objects.filter(user=seat.user, round__in={case.round_id for case in cases})
    return set(mine.values_list("pk", flat=True))


def difference(case: Case, vote: Vote) -> Difference:
    codebook, decision = case.round.protocol.codebook, case.decision
    assert decision is not None  # noqa: S101 (it is decided)
    pair = [vote.answers, decision.answers]
    asked = [question.text for question in codebook.questions if differs(question, pair)]
    return Difference(
        case,
        answers_in_words(codebook, vote.answers),
        decided_in_words(case, decision.answers, rejected=decision.rejected),
        bool(asked),
        asked,
    )
