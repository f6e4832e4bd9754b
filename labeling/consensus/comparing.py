"""Agreement before and after cases were discussed. Before: the votes as they were cast. After: the same, but in a case
that its voters settled, each voter's answer is the one they confirmed. An adjudicator persuades nobody, so there the
votes stay as they were."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from labeling.agreement.choosing import Selection
from labeling.agreement.statistics.measuring import measure
from labeling.agreement.surveying import SEED, resampling_for
from labeling.agreement.votes import Row, gather, grouped_rows, judged_items, tokens_in, with_answer
from labeling.consensus.models import Case

MOST_VOTES_RESAMPLED = 20_000
FEWEST_ANSWERS = 2  # of an item that agreement can be measured on
HEADLINE = ("krippendorff_alpha", "unanimous", "pairwise_agreement")


@dataclass(frozen=True)
class Comparison:
    """The figures of one question, before and after; `changed` says in how many of the items they differ."""

    question: str
    before: dict[str, Any]
    after: dict[str, Any]
    changed: int
    items: int  # before: those that two people or more answered the question on
    items_after: int


def compare(selection: Selection) -> Comparison:
    rows = grouped_rows(selection)
    replaced = list(settled_rows(selection))
    how = resampling_for(selection, seed=SEED)  # as on the page of agreement: the same votes have the same interval
    if selection.votes_cast > MOST_VOTES_RESAMPLED:
        how = replace(how, resamples=0)
    before, after = (
        measure(gather(selection, some).ratings, question=selection.question.key, how=how)
        for some in (rows, exchanged(rows, replaced))
    )
    return Comparison(
        selection.question.text,
        {name: before[name].as_dict() for name in HEADLINE},
        {name: after[name].as_dict() for name in HEADLINE},
        sum(old[3] != new[3] and (is_used(old) or is_used(new)) for old, new in replaced),
        before.items_used,
        after.items_used,
    )


def is_used(row: Row) -> bool:
    return len(list(tokens_in(row[3]))) >= FEWEST_ANSWERS


def settled_rows(selection: Selection) -> Iterator[tuple[Row, Row]]:
    """Of each item that its voters settled: its row as it was, and as it is with the answer they confirmed."""
    cases = Case.objects.filter(round__in=selection.rounds, decision__proposal__isnull=False)
    answers = dict(cases.values_list("round_item", "decision__answers"))
    items = judged_items(selection).filter(assignment__round_item__in=cases.values("round_item"))
    for row in items.values("round_item", "round", "group", "day", "pattern", "newest"):
        old = (row["round"], row["group"], row["day"], row["pattern"], 1, row["newest"])
        text = answer_text(selection, answers[row["round_item"]])
        yield old, (*old[:3], with_answer(row["pattern"], text), *old[4:])


def answer_text(selection: Selection, answers: dict[str, Any]) -> str | None:
    """As the database writes it."""
    value = answers.get(selection.question.key)
    if value is None:
        return None
    return value if isinstance(value, str) else json.dumps(value)


def exchanged(rows: list[Row], replaced: list[tuple[Row, Row]]) -> list[Row]:
    """The rows with some items taken out and put back as they are now."""
    taken = Counter(said_in(old) for old, _ in replaced)
    left = []
    for row in rows:
        gone = min(row[4], taken[said_in(row)])
        taken[said_in(row)] -= gone
        left.append((*row[:4], row[4] - gone, row[5]))
    return [*(row for row in left if row[4] > 0), *(new for _, new in replaced)]


def said_in(row: Row) -> tuple[Any, ...]:
    """What makes two rows the same: SQLite joins the same answers in another order where it reads them in another."""
    return (*row[:3], *sorted(tokens_in(row[3])))
