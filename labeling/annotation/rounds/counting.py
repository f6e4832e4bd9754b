"""Counting a round anew from its votes. Votes keep the counts as they are cast (ADR 8); this is for changes to the
plan, and it is how a test, or a doubtful coordinator, checks them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import connection
from django.db.models import Count, F, Sum, Window
from django.db.models.functions import Coalesce, RowNumber

from labeling.annotation.models import Assignment, Rater, Round, SlotState

# One count of all and not one for each item: with 100,000 items in freshly filled tables, PostgreSQL had not ended
# that after a quarter of an hour.
COUNTED = """
SELECT round_item_id, COUNT(*) AS counted FROM labeling_assignment
WHERE round_id = %s AND state = 'voted' AND repeat = 0 GROUP BY round_item_id
"""
HAS_VOTES = f"""
UPDATE labeling_rounditem SET votes = found.counted, routed_at = NULL FROM ({COUNTED}) AS found
WHERE id = found.round_item_id AND votes <> found.counted
"""  # noqa: S608 (nothing in it comes from outside)
HAS_NONE = f"""
UPDATE labeling_rounditem SET votes = 0, routed_at = NULL
WHERE round_id = %s AND votes <> 0 AND id NOT IN (SELECT round_item_id FROM ({COUNTED}) AS found)
"""  # noqa: S608


def recount(round: Round) -> None:
    """Sets the size of the plan, the votes of each item and the tally of each rater to what the assignments say."""
    with connection.cursor() as cursor:
        cursor.execute(HAS_VOTES, [round.pk])
        cursor.execute(HAS_NONE, [round.pk, round.pk])
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
