"""What the results say in words and pictures: ties, tests, and charts that are as new as the tables beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.study.freezing import unblind_study
from labeling.study.results.charts import chart
from labeling.study.results.keeping import shown_figures
from labeling.study.results.models import Findings
from labeling.study.results.reporting import as_text
from labeling.study.results.showing import headline, listed
from tests.study.finished import answered, closed, computed

Enter = Callable[[User], Client]
PICTURE = re.compile(r'(?:src|srcset)="([^"]*charts/answers\.svg[^"]*)"')


def figures_of(shares: Mapping[str, float | None], told: Mapping[tuple[str, str], float | None]) -> dict[str, Any]:
    """Just what the headline reads."""
    return {
        "shares": [{"origin": origin, "yes": {"value": value}} for origin, value in shares.items()],
        "pairs": [{"a": a, "b": b, "primary": {"adjusted": p}} for (a, b), p in told.items()],
        "rules": {"alpha": 0.05},
        "origins": list(shares),
    }


TESTS = "The planned tests tell"
MOST = "are called consistent most often, those of"


@pytest.mark.parametrize(
    ("shares", "told", "sentence"),
    [
        ({"A": None, "B": None}, {}, "Nobody has answered yet."),
        ({"A": 0.5, "B": None}, {("A", "B"): None}, "50 % of the names of A are called consistent."),
        (
            {"A": 0.25, "B": 2 / 3, "C": 8 / 12},
            {("A", "B"): 1.0, ("A", "C"): 1.0, ("B", "C"): None},
            f"Names of B and C (67 %) {MOST} A (25 %) least. The planned tests tell no two origins apart.",
        ),
        (
            {"A": 0.1, "B": 0.1, "C": 0.9},
            {("A", "B"): None, ("A", "C"): 0.05, ("B", "C"): 0.01},
            f"Names of C (90 %) {MOST} A and B (10 %) least. The planned tests tell C apart from A and B.",
        ),
        (
            {"A": 0.2, "B": 0.6, "C": 0.6},
            {("A", "B"): 0.04, ("A", "C"): 0.06, ("B", "C"): 1.0},
            f"Names of B and C (60 %) {MOST} A (20 %) least. {TESTS} B apart from A; C apart from no other.",
        ),
        (
            {"A": 0.5, "B": 0.5},
            {("A", "B"): 1.0},
            "Names of A and B are called consistent equally often (50 %). The planned tests tell no two origins apart.",
        ),
        (
            {"A": 1.0, "B": 0.0},
            {("A", "B"): None},
            f"Names of A (100 %) {MOST} B (0 %) least. The planned tests could compare no two origins.",
        ),
    ],
)
def test_headline_names_ties_and_says_what_the_tests_say(
    shares: dict[str, float | None], told: dict[tuple[str, str], float | None], sentence: str
) -> None:
    assert headline(figures_of(shares, told)) == sentence


def test_lists_read_as_people_write_them() -> None:
    assert [listed(["a", "b", "c"][:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_page_text_and_chart_say_the_same(project: Project, alice: User, enter: Enter) -> None:
    study = closed(project, alice)
    figures = shown_figures(study, computed(study))
    said = headline(figures)
    assert "The planned tests tell no two origins apart." in said
    assert said in enter(alice).get(f"/projects/names/studies/{study.pk}/results/").text
    assert as_text(figures).startswith(said)
    drawn = chart("answers", figures)
    assert drawn is not None
    assert " ".join(drawn["title"]["text"]) == said


def test_newer_figures_ask_for_newer_pictures(project: Project, alice: User, enter: Enter) -> None:
    study, client = closed(project, alice), enter(alice)
    page = f"/projects/names/studies/{study.pk}/results/"

    def shown() -> set[str]:
        return set(PICTURE.findall(client.get(page).text))

    computed(study)
    first = shown()
    assert first == shown()
    Findings.objects.update(measured_at=timezone.now() + timedelta(seconds=1))
    second = shown()
    unblind_study(study, by=alice)
    third = shown()
    assert len(first) == len(second) == len(third) == 2
    assert not first & second | first & third | second & third
    for address in third:
        assert client.get(address.replace("&amp;", "&")).status_code == 200


def test_pair_without_an_interval_keeps_its_place_in_the_chart(project: Project) -> None:
    study = answered(project, finished=2)
    figures = shown_figures(study, computed(study))
    figures["pairs"][0]["risk_difference"] |= {"low": None, "high": None}
    spec = chart("differences", figures)
    assert spec is not None
    wanted = [f"{pair['a']} − {pair['b']}" for pair in figures["pairs"]]
    sorts = [layer["encoding"]["y"]["sort"] for layer in spec["layer"] if "y" in layer["encoding"]]
    assert sorts == [wanted] * len(sorts), json.dumps(sorts)
