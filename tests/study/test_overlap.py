"""Participants who all judge the same few methods are no independent evidence: the plan and the results say so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.study.checklist import describe_standing
from labeling.study.design.sheets import Layout
from labeling.study.statistics.analysing import analyse
from labeling.study.statistics.judgements import Judgement
from labeling.study.statistics.sharing import others_on_a_method
from tests.study.designs import planned
from tests.study.finished import answered, computed
from tests.study.samples import NO_RESAMPLES, study_of

Enter = Callable[[User], Client]
WORDS = "other participants judge the same method"


@pytest.mark.parametrize(
    ("layout", "others"),
    [
        (Layout(10, 20), 0),
        (Layout(10, 24, 20, 3), 0.5),  # a quarter of the places, each with two others
        (Layout(10, 20, 100, 2), 1),
        (Layout(10, 10, 10, 10), 9),
    ],
)
def test_others_are_counted_over_all_places(layout: Layout, others: float) -> None:
    assert layout.others == others


def test_others_of_a_study_are_those_who_answered() -> None:
    def said(who: str, method: str, answer: bool | None = True) -> Judgement:
        return Judgement(who, method, "n", ("buggy",), answer)

    rows = [said("P1", "a"), said("P2", "a"), said("P3", "a"), said("P1", "b"), said("P2", "b", None)]
    assert others_on_a_method(study_of(rows)) == pytest.approx((2 + 2 + 2 + 0) / 4)
    assert others_on_a_method(study_of([said("P1", "a", None)])) is None


@pytest.mark.parametrize(("together", "warned"), [(2, False), (3, True)])
def test_figures_warn_when_more_than_one_other_judged_each_method(together: int, warned: bool) -> None:
    rows = [
        Judgement(f"P{who}", f"m{method}.{who // together}", origin, (origin,), (who + method) % 2 == 0)
        for who in range(6)
        for method in range(4)
        for origin in ("buggy", "fixed")
    ]
    notes = analyse(study_of(rows), how=NO_RESAMPLES).notes
    assert any(WORDS in note for note in notes) is warned


def test_plan_design_and_simulator_warn_and_the_link_simulates_this_design(
    project: Project, alice: User, enter: Enter
) -> None:
    client = enter(alice)
    for shared, shared_by, warned in ((2, 3, False), (3, 4, True)):
        study = planned(project, alice, shared=shared, shared_by=shared_by)
        url = f"/projects/names/studies/{study.pk}/"
        for page in ("plan/", "design/"):
            assert (WORDS in client.get(f"{url}{page}").text) is warned, page
        assert ("judge the same methods" in client.get(url).text) is warned
        assert bool(describe_standing(study)["warning"]) is warned
    link = client.get(f"{url}plan/").text.split("simulator/?")[1].split('"')[0].replace("&amp;", "&")
    simulated = client.get(f"/projects/names/studies/simulator/?{link}")
    assert simulated.status_code == 200
    assert WORDS in simulated.text
    assert "False positives of the primary test" in simulated.text


def test_results_say_it_in_the_note_and_in_the_methods_paragraph(project: Project, alice: User, enter: Enter) -> None:
    from labeling.study.results.reporting import as_latex

    study = answered(project, alice, sheets=3, methods_per_sheet=2, shared=2, shared_by=3)
    figures = computed(study).figures
    assert WORDS in enter(alice).get(f"/projects/names/studies/{study.pk}/results/").text
    assert WORDS in as_latex(figures, digest="", software="us")
