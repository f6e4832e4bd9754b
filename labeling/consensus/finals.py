"""The final answers: what a decision says, else what the votes settle. Derived, item by item, for whoever asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from labeling.annotation.models import Round, RoundItem, Vote
from labeling.annotation.visibility import settled_items
from labeling.consensus.models import Case, CaseState, Decision, Rule
from labeling.consensus.routing import outcome_of, rule_of, votes_on
from labeling.consensus.rules import Outcome

BATCH = 500
OPEN = ""


@dataclass(frozen=True)
class Final:
    """What became of an item in a round."""

    round_item: RoundItem  # with its item
    votes: Sequence[Vote]
    outcome: Outcome  # of the votes alone
    how: str  # unanimous, majority, single, discussion, adjudication, rejected; nothing while it is open
    answers: dict[str, Any]
    case: Case | None
    decision: Decision | None

    @property
    def is_settled(self) -> bool:
        return self.how != OPEN


def finals(round: Round, *, items: QuerySet[RoundItem] | None = None) -> Iterator[Final]:
    """Of the items of a round whose independent phase is over, in the order of their keys; a batch at a time."""
    round = Round.objects.select_related("protocol").get(pk=round.pk)
    rule = rule_of(round)
    chosen = settled_items(round.items.all() if items is None else items)
    # Sorted here and not by the database: its order of letters is a matter of how it was set up.
    ordered = sorted(chosen.order_by().values_list("item__key", "pk"))
    for start in range(0, len(ordered), BATCH):
        some = [pk for _, pk in ordered[start : start + BATCH]]
        found = RoundItem.objects.select_related("item").in_bulk(some)
        yield from finals_of(round, rule, [found[pk] for pk in some])


def finals_of(round: Round, rule: Rule, items: Sequence[RoundItem]) -> Iterator[Final]:
    votes = votes_on(items)
    cases = Case.objects.filter(round_item__in=items).select_related("decision")
    by_item = {case.round_item_id: case for case in cases}
    for item in items:
        yield final_of(item, votes[item.pk], outcome_of(round, rule, item, votes[item.pk]), by_item.get(item.pk))


def final_of(item: RoundItem, votes: Sequence[Vote], outcome: Outcome, case: Case | None) -> Final:
    decision = case.decision if case and case.voted == sorted(vote.pk for vote in votes) else None
    if decision is not None:
        how = "rejected" if decision.rejected else decision.how
        return Final(item, votes, outcome, how, decision.answers, case, decision)
    waits = (case is not None and case.state == CaseState.OPEN) or any(vote.flag for vote in votes)
    if waits or not outcome.is_settled:
        return Final(item, votes, outcome, OPEN, {}, case, None)
    return Final(item, votes, outcome, outcome.how, outcome.answers, case, None)
