"""Votes in the database make the figures that the same ratings make in a table, and those of a calculation by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from labeling.agreement.statistics.measuring import measure
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.scales import nominal_scale
from labeling.agreement.surveying import survey
from labeling.agreement.votes import gather
from labeling.annotation.models import Vote
from labeling.corpus.models import Project
from tests.agreement.projects import NO, YES, judged_project, selected
from tests.agreement.samples import Table, random_table, ratings_of

Rows = list[list[dict[str, Any] | None]]
# By hand: items 1 to 4 are yes/yes, yes/no, no/no, no/no; α = 1 − (8 − 1) · 2 / (2 · 3 · 5) = 8/15.
BY_HAND: Rows = [[YES, YES], [YES, NO], [NO, NO], [NO, NO]]


def as_answers(table: Table) -> Rows:
    return [[None if value is None else (YES, NO)[value - 1] for value in row] for row in table]


def value(figures: dict[str, Any], name: str) -> float | None:
    found: float | None = figures["agreement"][name]["value"]
    return found


def test_figures_are_those_of_a_calculation_by_hand(project: Project) -> None:
    judged_project(project, BY_HAND)
    figures = survey(selected(project))
    assert value(figures, "krippendorff_alpha") == pytest.approx(8 / 15)
    assert value(figures, "unanimous") == 0.75
    assert value(figures, "fleiss_kappa") == pytest.approx((3 / 4 - 34 / 64) / (1 - 34 / 64))
    (pair,) = figures["agreement"]["pairs"]
    assert pair["cohen_kappa"]["value"] == pytest.approx(0.5)
    assert figures["confusions"][0]["cells"] == [[0, 0, 1], [0, 1, 1], [1, 1, 2]]
    assert (figures["votes"], figures["newest_vote"]) == (8, max(Vote.objects.values_list("pk", flat=True)))


def test_figures_are_those_of_the_same_ratings_in_a_table(project: Project) -> None:
    table = random_table(3, items=30, raters=4, size=2, missing=0.3)
    judged_project(project, as_answers(table), groups=5)
    gathered = gather(selected(project))
    how = Resampling(resamples=50, seed=11)
    ours = measure(gathered.ratings, how=how).as_dict()
    theirs = measure(ratings_of(table, nominal_scale(["yes", "no"])), how=how).as_dict()
    renamed = {f"R{number}": f"Rater {number}" for number in range(1, 5)}
    for pair in theirs["pairs"]:
        pair["a"], pair["b"] = renamed[pair["a"]], renamed[pair["b"]]
    assert drop_intervals(ours) == pytest.approx(drop_intervals(theirs))
    assert gathered.groups == [f"acme/rockets{number}" for number in range(5)]
    assert np.bincount(gathered.group).tolist() == [6] * 5


def drop_intervals(plain: dict[str, Any]) -> dict[str, float | None]:
    """Values only: items come in another order, and other resamples with it."""
    found = {name: part["value"] for name, part in plain.items() if isinstance(part, dict) and "value" in part}
    found |= {f"{pair['a']} {pair['b']}": pair["cohen_kappa"]["value"] for pair in plain["pairs"]}
    found |= {name: plain[name] for name in ("items", "items_used", "raters", "ratings")}
    return {name: -9.0 if number is None else number for name, number in found.items()}
