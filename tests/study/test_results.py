"""From answers to figures: a study that is worked out by hand, and who is counted in it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.corpus.models import Project
from labeling.jobs.models import Job, State
from labeling.people.models import User
from labeling.study.fieldwork.inviting import invite_many
from labeling.study.freezing import close_study, freeze_study, open_study, start_pilot, unblind_study
from labeling.study.models import Study
from labeling.study.origins import Origin
from labeling.study.results.background import NOT_YET, describe_numbers
from labeling.study.results.gathering import gather_study
from labeling.study.results.keeping import current, shown_figures
from labeling.study.results.revealing import mark, origin_names, reveal
from labeling.study.taking.models import Line, Participant, Step
from tests.study.designs import planned
from tests.study.driving import Opinionated
from tests.study.finished import answered, closed, computed, leave, opened, opinion

Enter = Callable[[User], Client]


def by_key(study: Study, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    letters = dict(Origin.objects.filter(study=study).values_list("letter", "key"))
    return {letters[row["origin"][1:-1]]: row for row in rows}


def pair_of(study: Study, rows: list[dict[str, Any]], a: str, b: str) -> tuple[dict[str, Any], int]:
    """The pair, and −1 where it stands the other way round."""
    marks = {key: mark(letter) for key, letter in Origin.objects.filter(study=study).values_list("key", "letter")}
    for row in rows:
        if {row["a"], row["b"]} == {marks[a], marks[b]}:
            return row, 1 if row["a"] == marks[a] else -1
    raise AssertionError((a, b))


def test_shares_reasons_and_tests_are_those_worked_out_by_hand(project: Project) -> None:
    study = closed(project)
    figures = computed(study).figures
    shares = by_key(study, figures["shares"])
    found = {key: (one["yes"]["count"], one["yes"]["n"]) for key, one in shares.items()}
    assert found == {"fixed": (6, 6), "cognac": (0, 6), "gtnm": (3, 6), "buggy": (1, 6)}
    reasons = {one["reason"]: one for one in by_key(study, figures["reasons"])["buggy"]["reasons"]}
    partial = reasons["partially_inconsistent"]
    assert (partial["of_no"]["value"], partial["of_all"]["value"]) == (1, pytest.approx(5 / 6))
    # Differences of participants: 1, 1, 1 of 8 assignments two are as extreme.
    pair, sign = pair_of(study, figures["pairs"], "fixed", "cognac")
    assert pair["primary"]["p"] == pytest.approx(2 / 8)
    assert pair["risk_difference"]["value"] * sign == pytest.approx(1)
    assert pair["mcnemar"]["p"] == pytest.approx(2 / 2**6)
    # Differences 0, −.5, −.5: half of the assignments are as extreme.
    pair, sign = pair_of(study, figures["pairs"], "buggy", "gtnm")
    assert pair["primary"]["p"] == pytest.approx(0.5)
    assert pair["risk_difference"]["value"] * sign == pytest.approx(-1 / 3)
    assert figures["counts"]["judgements"] == 24
    assert figures["durations"]["page"]["n"] == 6
    assert figures["durations"]["judgement"]["median"] == pytest.approx(0.2)


def test_who_stops_counts_and_who_deletes_or_goes_away_does_not(project: Project) -> None:
    study = answered(project, finished=1)
    leave(study, "keep")
    leave(study, "delete")
    leave(study, "")
    figures = computed(study).figures
    assert figures["counts"]["judgements"] == 8 + 4
    assert figures["standing"] == {
        "invited": 0, "started": 1, "finished": 1, "timed_out": 0, "stopped": 1, "deleted": 1, "revoked": 0,
    }  # fmt: skip
    assert figures["counted"] == 2
    assert figures["rules"]["unfinished"] == ["stopped"]


@pytest.mark.parametrize(("unfinished", "judgements"), [([], 8), (["stopped"], 12), (["stopped", "timed_out"], 16)])
def test_frozen_design_says_who_counts_of_those_who_did_not_finish(
    project: Project, unfinished: list[str], judgements: int
) -> None:
    study = answered(project, finished=1, unfinished=unfinished)
    leave(study, "keep")
    leave(study, "")
    Participant.objects.filter(step=Step.STARTED).update(step=Step.TIMED_OUT)
    assert len(gather_study(study).rows) == 8 + 8 * len(unfinished)
    assert len(gather_study(study).everybody) == judgements


def piloted(project: Project) -> Study:
    """With one pilot, who answered two pages."""
    study = start_pilot(planned(project), by=None)
    (link,) = invite_many(study, labels=[""], stage="pilot", by=None)
    taker = Opinionated(study, link.link)
    taker.judge_pages(opinion(1))
    taker.finish()
    return study


def test_pilot_is_kept_apart(project: Project) -> None:
    study = piloted(project)
    open_study(freeze_study(study, by=None), by=None)
    assert computed(study).figures["counts"]["judgements"] == 0
    assert computed(study, stage="pilot").figures["counts"]["judgements"] == 8


def test_letters_of_a_pilot_are_not_those_of_the_study(project: Project, alice: User) -> None:
    """A coordinator who was a pilot finds their own answers in its figures."""
    dealt = set()
    for _ in range(4):
        study = piloted(project)
        figures = shown_figures(study, computed(study, stage="pilot"))
        origins = dict(Origin.objects.filter(study=study).values_list("key", "letter"))
        assert origin_names(study, "main") == {letter: letter for letter in origins.values()}
        called = origin_names(study, "pilot")
        dealt.add(tuple(called[letter] for letter in "ABCD"))
        yes = {one["origin"]: one["yes"]["count"] for one in figures["shares"]}
        assert list(yes) == figures["origins"] == ["A", "B", "C", "D"]
        assert [yes[called[origins[key]]] for key in ("fixed", "gtnm", "buggy", "cognac")] == [2, 1, 1, 0]
    assert len(dealt) > 1
    study = unblind_study(close_study(open_study(freeze_study(study, by=None), by=None), by=None), by=alice)
    figures = shown_figures(study, computed(study, stage="pilot"))
    yes = {one["origin"]: one["yes"]["count"] for one in figures["shares"]}
    assert yes == {"Buggy": 1, "Fixed": 2, "Cognac": 0, "GTNM": 1}


def test_flagged_leave_the_primary_analysis_where_the_design_says_so_and_stay_beside_it(project: Project) -> None:
    study = answered(project, finished=2, excluded=["straight_liner"])
    taker = Opinionated(study)
    taker.judge_pages(lambda *_: ("yes", ""))
    taker.finish()
    figures = computed(study).figures
    assert figures["rules"]["excluded"] == ["P3"]
    assert figures["rules"]["flags"] == {"P3": ["The same answer to all 8 names."]}
    assert (figures["counts"]["participants"], figures["everybody"]["participants"]) == (2, 3)
    participants = {one["key"]: one["counts"]["participants"] for one in figures["sensitivity"]}
    assert participants == {"all": 3, "without_flagged": 2, "distinct_names": 3}


def test_background_of_small_groups_is_masked(project: Project) -> None:
    figures = computed(closed(project, small_group=4)).figures
    parts = {part["key"]: part for part in figures["participants"]}
    assert parts["years_developer"]["number"]["mean"] is None
    assert {group["text"] for group in parts["degree"]["groups"]} <= {"0", "hidden", "< 4"}
    figures = computed(closed(project, small_group=2)).figures
    parts = {part["key"]: part for part in figures["participants"]}
    few = "No deviation and no median: fewer than 10 told it."
    assert parts["years_developer"]["number"] == {"mean": 6, "sd": None, "median": None, "n": 3, "reason": few}
    assert {group["text"] for group in parts["degree"]["groups"]} == {"hidden"}
    assert "Engineer" not in str(parts["position"])
    figures = computed(closed(project, small_group=1)).figures
    degrees = next(part for part in figures["participants"] if part["key"] == "degree")
    assert next(group for group in degrees["groups"] if group["label"] == "PhD")["text"] == "3"


@pytest.mark.parametrize(("people", "k", "told"), [(9, 3, False), (10, 3, True), (2, 1, True), (9, 2, False)])
def test_numbers_of_few_people_cannot_be_worked_out(people: int, k: int, told: bool) -> None:
    """Of three, 10 with a deviation of 8.888 and a median of 7 are 3, 7 and 20 and nothing else."""
    found = describe_numbers([float(years) for years in range(people)], k)
    assert (found["mean"], found["n"]) == ((people - 1) / 2, people)
    assert {found["sd"] is not None, found["median"] is not None, found["reason"] is None} == {told}


def test_background_is_told_once_nobody_can_come_any_more(project: Project, alice: User, enter: Enter) -> None:
    """Or the difference between two tables is what the last one told."""
    study = answered(project, small_group=2)
    figures = computed(study).figures
    assert (figures["participants"], figures["participants_reason"]) == ([], NOT_YET)
    page = f"/projects/names/studies/{study.pk}/results/"
    assert NOT_YET in enter(alice).get(page).text
    close_study(study, by=alice)
    figures = computed(study).figures
    assert (len(figures["participants"]), figures["participants_reason"]) == (6, None)
    assert NOT_YET not in enter(alice).get(page).text


def test_figures_are_kept_until_an_answer_is_gone(project: Project) -> None:
    study = closed(project)
    first = computed(study)
    assert current(study, by=None).findings == first
    assert Job.objects.filter(kind="analyse_study").count() == 1
    Participant.objects.filter(number=1).update(step=Step.DELETED)
    Line.objects.filter(page__participant__number=1).delete()
    found = current(study, by=None)
    assert (found.findings, found.on_its_way) == (None, True)
    assert computed(study).figures["counts"]["participants"] == 2


def test_failed_computation_is_told_and_not_begun_again_and_again(project: Project) -> None:
    study = closed(project)
    assert current(study, by=None).on_its_way
    Job.objects.filter(kind="analyse_study").update(state=State.FAILED, error="No memory.", ended_at=timezone.now())
    for _ in range(2):
        found = current(study, by=None)
        assert (found.findings, found.on_its_way, found.trouble) == (None, False, "No memory.")
    assert Job.objects.filter(kind="analyse_study").count() == 1


def test_while_answers_come_in_figures_are_not_made_anew_all_the_time(project: Project) -> None:
    study = answered(project, finished=1)
    first = computed(study)
    leave(study, "keep")
    assert not current(study, by=None).on_its_way
    type(first).objects.update(measured_at=timezone.now() - timedelta(hours=1))
    assert current(study, by=None).on_its_way


def test_reading_answers_costs_the_same_for_few_and_many(project: Project) -> None:
    study = answered(project, finished=1)
    with CaptureQueriesContext(connection) as few:
        gather_study(study)
    leave(study, "keep")
    leave(study, "keep")
    with CaptureQueriesContext(connection) as many:
        gather_study(study)
    assert len(few) == len(many) == 5


def test_marks_are_read_everywhere_and_nothing_else_is(project: Project, alice: User) -> None:
    told = reveal({"a": [f"Nobody answered a name of {mark('A')}.", 1, None], mark("B"): "A"}, {"A": "x", "B": "y"})
    assert told == {"a": ["Nobody answered a name of x.", 1, None], "y": "A"}


def test_study_without_an_answer_says_why_there_is_nothing(project: Project) -> None:
    study = opened(project)
    figures = shown_figures(study, computed(study))
    assert {one["yes"]["reason"] for one in figures["shares"]} == {
        f"Nobody answered a name of {letter}." for letter in "ABCD"
    }
