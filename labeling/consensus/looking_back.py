"""For each annotator: where the consensus differs from their vote, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import F, Q, QuerySet

from labeling.annotation.models import Assignment, Rater, Round, RoundItem, RoundState, SlotState, Vote
from labeling.consensus.access import visible_cases
from labeling.consensus.finals import Final, finals_of
from labeling.consensus.models import Case, CaseState, Rule
from labeling.consensus.routing import votes_on
from labeling.consensus.rules import Others, Way, differs
from labeling.consensus.showing import answers_in_words, decided_in_words
from labeling.people.access import Seat

PAGE = 25
LOOKED_AT = 200  # items of closed rounds, for those that the votes settled otherwise


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
    """The newest rounds and votes first; `before` is the last slot of the page before, of which not all need differ."""
    raters = settled_raters(seat)
    last = Assignment.objects.filter(pk=before, rater__in=raters).first()
    slots: list[Assignment] = []
    for rater in raters:
        if len(slots) <= LOOKED_AT and not (last and rater.round_id > last.round_id):
            slots += voted_by(rater, after=last)[: LOOKED_AT + 1 - len(slots)]
    looked_at = slots[:LOOKED_AT]
    items = not_judged_again([slot.round_item for slot in looked_at])
    own = {rater.pk for rater in raters}
    rows = [
        row
        for rater in raters
        for row in outvoted_in(rater.round, [item for item in items if item.round_id == rater.round_id], own)
    ]
    return OutvotedPage(rows, looked_at[-1].pk if len(slots) > LOOKED_AT else None)


def settled_raters(seat: Seat) -> list[Rater]:
    """This person in closed rounds whose rule can settle a difference: in an open one what is settled could still sway
    a vote."""
    settling = Q(round__rule__way=Way.MAJORITY) | ~Q(round__rule__others=Others.DISCUSSION)
    closed = Rater.objects.filter(round__project=seat.project, round__state=RoundState.CLOSED)
    mine = closed.filter(settling, user=seat.user, round__rule__isnull=False)
    return list(mine.select_related("round__protocol", "round__rule").order_by("-round_id"))


def voted_by(rater: Rater, *, after: Assignment | None) -> QuerySet[Assignment]:
    """Their slots with a vote, the newest vote first, by the index that has them in this order."""
    slots = rater.assignments.filter(state=SlotState.VOTED, repeat=0).order_by("-voted_at", "-pk")
    if after and after.rater_id == rater.pk:
        slots = slots.filter(voted_at__lte=after.voted_at).exclude(voted_at=after.voted_at, pk__gte=after.pk)
    return slots.select_related("round_item__item").defer("round_item__item__payload")


def not_judged_again(items: Sequence[RoundItem]) -> list[RoundItem]:
    """Without those that an open round asks for votes on: what is settled could sway these."""
    asked = RoundItem.objects.filter(round__state=RoundState.OPEN, votes__lt=F("wanted"))
    again = set(asked.filter(item__in=[item.item_id for item in items]).values_list("item", flat=True))
    return [item for item in items if item.item_id not in again]


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
