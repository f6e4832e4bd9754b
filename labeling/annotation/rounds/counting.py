"""Counting a round anew from its votes. Votes keep the counts as they are cast (ADR 8); this is for changes to the
plan, and it is how a test, or a doubtful coordinator, checks them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import connection
from django.db.models import Count, F, OuterRef, Subquery, Sum, Window
from django.db.models.functions import Coalesce, RowNumber

from labeling.annotation.models import Assignment, Rater, Round, RoundItem, SlotState


def recount(round: Round) -> None:
    """Sets the size of the plan, the votes of each item and the tally of each rater to what the assignments say."""
    voted = Assignment.objects.filter(round=round, state=SlotState.VOTED, repeat=0)
    per_item = voted.filter(round_item=OuterRef("pk")).order_by().values("round_item").annotate(count=Count("pk"))
    counted = RoundItem.objects.filter(round=round).annotate(counted=Coalesce(Subquery(per_item.values("count")), 0))
    counted.exclude(votes=F("counted")).update(votes=F("counted"), routed_at=None)
    measure_plan(round)
    for pk, counts in rater_counts(round).items():
        Rater.objects.filter(pk=pk).update(**counts)


def measure_plan(round: Round) -> None:
    size = round.items.aggregate(item_count=Count("pk"), votes_due=Coalesce(Sum("wanted"), 0))
    Round.objects.filter(pk=round.pk).update(**size)


def rater_counts(round: Round) -> dict[int, dict[str, Any]]:
    """For each rater: how many of their votes were the first, second, … on their item, and how many the last."""
    tallies: dict[int, dict[int, int]] = defaultdict(dict)
    completions: dict[int, int] = defaultdict(int)
    for rater, nth, count, last in numbered_votes(round):
        tallies[rater][nth] = count
        completions[rater] += last
    return {
        rater: {
            "tally": [tallies[rater].get(nth, 0) for nth in range(1, max(tallies[rater], default=0) + 1)],
            "completions": completions[rater],
        }
        for rater in round.raters.values_list("pk", flat=True)
    }


def numbered_votes(round: Round) -> list[tuple[int, int, int, int]]:
    """(rater, nth, how many of their votes were the nth on their item, how many of those completed it)."""
    voted = Assignment.objects.filter(round=round, state=SlotState.VOTED, repeat=0)
    nth = Window(RowNumber(), partition_by=F("round_item"), order_by=[F("voted_at"), F("pk")])
    numbered = voted.annotate(nth=nth, goal=F("round_item__wanted")).values("rater_id", "nth", "goal")
    inner, parameters = numbered.query.sql_with_params()
    last = "SUM(CASE WHEN nth = goal THEN 1 ELSE 0 END)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT rater_id, nth, COUNT(*), {last} FROM ({inner}) AS numbered GROUP BY rater_id, nth",  # noqa: S608
            parameters,
        )
        return list(cursor.fetchall())
