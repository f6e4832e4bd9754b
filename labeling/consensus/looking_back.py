"""For each annotator: where the consensus differs from their vote, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import F, Q, QuerySet

from labeling.annotation.models import Assignment, Rater, Round, RoundItem, RoundState, Vote
from labeling.consensus.access import visible_cases
from labeling.consensus.finals import Final, finals_of
from labeling.consensus.models import Case, CaseState, Rule
from labeling.consensus.routing import votes_on
from labeling.consensus.rules import Others, Way, differs
from labeling.consensus.showing import answers_in_words, decided_in_words
from labeling.people.access import Seat

PAGE = 25
LOOKED_AT = 500  # items of closed rounds, for those that the votes settled otherwise


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
    raters = own_raters(seat, {case.round_id for case in found})
    rows = [
        difference(case, vote) for case in found[:PAGE] for vote in votes[case.round_item_id] if vote.rater_id in raters
    ]
    return DifferencePage(rows, found[PAGE - 1].decision_id if len(found) > PAGE else None)


def own_raters(seat: Seat, rounds: Iterable[int]) -> set[int]:
    return set(Rater.objects.filter(user=seat.user, round__in=rounds).values_list("pk", flat=True))


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


@dataclass(frozen=True)
class Outvoted:
    """An item that the votes settled without a case, and not as this person voted."""

    title: str
    round: Round
    mine: str
    settled: str
    why: str


@dataclass(frozen=True)
class OutvotedPage:
    rows: list[Outvoted]
    next_before: int | None


def outvoted(seat: Seat, *, before: int = 0) -> OutvotedPage:
    """The newest items first; `before` is the last item of the page before, of which not all need differ."""
    items = judged_by(seat).filter(pk__lt=before) if before else judged_by(seat)
    found = list(items.select_related("item").defer("item__payload").order_by("-pk")[: LOOKED_AT + 1])
    looked_at = found[:LOOKED_AT]
    rounds = Round.objects.select_related("protocol", "rule").in_bulk({item.round_id for item in looked_at})
    raters = own_raters(seat, rounds)
    rows = [
        row
        for pk, some in groupby(looked_at, key=lambda item: item.round_id)
        for row in outvoted_in(rounds[pk], list(some), raters)
    ]
    return OutvotedPage(rows, looked_at[-1].pk if len(found) > LOOKED_AT else None)


def judged_by(seat: Seat) -> QuerySet[RoundItem]:
    """Items of closed rounds whose rule can settle a difference, and that nobody is to judge any more: elsewhere what
    is settled could still sway a vote."""
    mine = Assignment.objects.filter(rater__user=seat.user, repeat=0, vote__isnull=False)
    open_again = RoundItem.objects.filter(round__state=RoundState.OPEN, votes__lt=F("wanted"))
    settling = Q(round__rule__way=Way.MAJORITY) | ~Q(round__rule__others=Others.DISCUSSION)
    closed = RoundItem.objects.filter(settling, round__project=seat.project, round__state=RoundState.CLOSED)
    return closed.filter(pk__in=mine.values("round_item")).exclude(item__in=open_again.values("item"))


def outvoted_in(round: Round, items: Sequence[RoundItem], raters: set[int]) -> Iterator[Outvoted]:
    codebook = round.protocol.codebook
    for final in finals_of(round, round.rule, items):
        if not final.is_settled or final.decision:
            continue
        for vote in final.votes:
            if vote.rater_id in raters and any(
                differs(one, [vote.answers, final.answers]) for one in codebook.questions
            ):
                mine, settled = (answers_in_words(codebook, answers) for answers in (vote.answers, final.answers))
                yield Outvoted(final.round_item.item.title, round, mine, settled, why_settled(final, round.rule))


def why_settled(final: Final, rule: Rule) -> str:
    return "more than half of the votes" if final.how == "majority" else rule.get_others_display().lower()
