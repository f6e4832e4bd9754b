"""Counting a round anew from its votes. Votes keep the counts as they are cast (ADR 8); this is for changes to the
plan, and it is how a test, or a doubtful coordinator, checks them."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import Count, F, OuterRef, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from labeling.annotation.models import Assignment, Rater, Round, RoundItem, SlotState


def recount(round: Round) -> None:
    """Sets the votes of each item and the tally of each rater to what the assignments say."""
    voted = Assignment.objects.filter(round=round, state=SlotState.VOTED, repeat=0)
    per_item = voted.filter(round_item=OuterRef("pk")).order_by().values("round_item").annotate(count=Count("pk"))
    RoundItem.objects.filter(round=round).update(votes=Coalesce(Subquery(per_item.values("count")), 0))
    tallies, completions = count_tallies(round)
    for rater in round.raters.all():
        counted = tallies[rater.pk]
        tally = [counted[nth] for nth in range(1, max(counted, default=0) + 1)]
        Rater.objects.filter(pk=rater.pk).update(tally=tally, completions=completions[rater.pk])


def count_tallies(round: Round) -> tuple[dict[int, dict[int, int]], dict[int, int]]:
    """For each rater: how many of their votes were the nth on their item, and how many completed it."""
    voted = Assignment.objects.filter(round=round, state=SlotState.VOTED, repeat=0)
    numbered = voted.annotate(
        nth=Window(RowNumber(), partition_by=F("round_item"), order_by=[F("voted_at"), F("pk")])
    ).values_list("rater", "nth", "round_item__wanted")
    tallies: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    completions: dict[int, int] = defaultdict(int)
    for rater, nth, wanted in numbered.iterator():
        tallies[rater][nth] += 1
        completions[rater] += nth == wanted
    return tallies, completions
