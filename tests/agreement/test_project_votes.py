"""Votes in the database make the figures that the same ratings make in a table, and those of a calculation by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from labeling.agreement.choosing import choose
from labeling.agreement.keeping import current
from labeling.agreement.statistics.measuring import measure
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.scales import nominal_scale
from labeling.agreement.surveying import HEADLINE, survey
from labeling.agreement.votes import gather, judged_items
from labeling.annotation.models import Assignment, Vote
from labeling.annotation.rounds.changing import close_round, use_version
from labeling.annotation.rounds.pacing import recent_pace
from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.refusals import Invalid
from tests.agreement.projects import NO, SPLIT, YES, Rows, judged_project, judged_round, repeated_round, selected
from tests.agreement.samples import Table, random_table, ratings_of
from tests.annotation.samples import CODEBOOK, annotators, items, protocol, rater_of, vote_on


def as_answers(table: Table) -> Rows:
    return [[None if value is None else (YES, NO)[value - 1] for value in row] for row in table]


def value(figures: dict[str, Any], name: str) -> float | None:
    found: float | None = figures["agreement"][name]["value"]
    return found


def test_figures_are_those_of_a_calculation_by_hand(project: Project) -> None:
    judged_project(project, SPLIT)
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


def test_question_that_was_not_asked_is_missing(project: Project) -> None:
    judged_project(project, SPLIT)
    figures = survey(selected(project, question="criteria"))
    assert figures["agreement"]["left_out"] == {"one rating only": 1, "no rating": 2}
    assert (figures["agreement"]["level"], figures["agreement"]["ratings"]) == ("set", 3)
    assert [use["label"] for use in figures["agreement"]["options"]] == ["suggested"]


def test_sets_are_the_same_in_any_order_of_ticking(project: Project) -> None:
    one: dict[str, Any] = {"include": "yes", "criteria": ["suggested", "convention"]}
    other: dict[str, Any] = {"include": "yes", "criteria": ["convention", "suggested"]}
    judged_project(project, [[one, other], [YES, one]])
    figures = survey(selected(project, question="criteria"))
    assert figures["categories"] == ["convention|suggested", "suggested"]
    assert value(figures, "unanimous") == 0.5


def test_only_the_vote_in_force_counts_or_only_the_first(project: Project) -> None:
    items(project, 2)
    people = annotators(project, 2)
    round = judged_round(project, people, [[YES, None], [YES, None]], closed=False)
    slot = Assignment.objects.filter(round=round, rater__user=people[0]).order_by("pk")[0]
    vote_on(people[0], slot, NO, revises=1)
    for other in Assignment.objects.filter(round=round, rater__user=people[1]):
        vote_on(people[1], other, YES)
    close_round(round, by=None)
    assert value(survey(selected(project)), "unanimous") == 0.5
    assert value(survey(selected(project, votes="first")), "unanimous") == 1


def test_votes_are_chosen_by_version(project: Project) -> None:
    items(project, 2)
    people = annotators(project, 2)
    round = judged_round(project, people, [[YES, YES], [None, None]], closed=False)
    use_version(round, protocol(project, CODEBOOK), by=None)
    for slot in Assignment.objects.filter(round=round, vote=None):
        vote_on(people[0] if slot.rater == rater_of(round, people[0]) else people[1], slot, NO)
    close_round(round, by=None)
    figures = survey(selected(project))
    assert [(one["name"], one["items"]) for one in figures["slices"]["version"]] == [("version 1", 1), ("version 2", 1)]
    old = survey(selected(project, version="1"))
    assert (old["agreement"]["items"], old["votes"]) == (1, 2)
    assert old["use"]["raters"][0]["counts"] == [1, 0]


def test_votes_are_chosen_by_round_and_group_and_day(project: Project) -> None:
    items(project, 4, groups=2)
    people = annotators(project, 2)
    first = judged_round(project, people, SPLIT)
    judged_round(project, people, [[YES, YES]] * 4, name="Second")
    Vote.objects.filter(rater__round=first).update(cast_at=timezone.now() - timedelta(days=400))
    whole = survey(selected(project))
    assert [one["name"] for one in whole["slices"]["round"]] == ["First", "Second"]
    assert [one["unanimous"]["value"] for one in whole["slices"]["time"]] == [0.75, 1]
    assert {one["name"]: one["items"] for one in whole["slices"]["group"]} == {"acme/rockets0": 4, "acme/rockets1": 4}
    assert whole["agreement"]["items"] == 8
    assert survey(selected(project, round="First"))["agreement"]["items"] == 4
    assert survey(selected(project, group="acme/rockets1"))["agreement"]["items"] == 4
    today = timezone.now().date()
    assert survey(selected(project, since=today.isoformat()))["agreement"]["unanimous"]["value"] == 1
    assert survey(selected(project, until=(today - timedelta(days=1)).isoformat()))["votes"] == 8


def test_costs_of_all_items_make_up_what_alpha_lacks(project: Project) -> None:
    table = random_table(5, items=25, raters=3, size=2, missing=0.2)
    judged_project(project, as_answers(table))
    figures = survey(selected(project))
    assert sum(row["cost"] for row in figures["disagreements"]) == pytest.approx(1 - (value(figures, HEADLINE) or 0))
    assert len(figures["disagreements"]) == figures["disagreed"]


def test_numbers_keep_their_distance(project: Project) -> None:
    book = {"title": "How long", "questions": [{"key": "minutes", "text": "How long?", "form": "number"}]}
    table: Rows = [[{"minutes": 1}, {"minutes": 1.0}], [{"minutes": 5}, {"minutes": 7.5}], [{"minutes": 9}, None]]
    judged_project(project, table, protocol=protocol(project, book))
    figures = survey(selected(project))
    assert figures["categories"] == ["1", "5", "7.5", "9"]
    # By hand: D_o = 2 · 2.5² / 4, D_e = the mean over 12 ordered pairs of 1, 1, 5, 7.5.
    apart = 2 * (2 * 4**2 + 2 * 6.5**2 + 2.5**2) / 12
    assert value(figures, HEADLINE) == pytest.approx(1 - 2 * 2.5**2 / 4 / apart)


def test_answer_in_a_form_that_the_question_no_longer_has_is_counted_as_left_out(project: Project) -> None:
    round = judged_project(project, SPLIT)
    use_version(round, protocol(project, asking_first(form="multiple")), by=None)
    figures = survey(selected(project))
    assert (figures["misfits"], figures["agreement"]["ratings"]) == (8, 0)


def asking_first(**changes: Any) -> dict[str, Any]:
    """The codebook with another first question."""
    first, *others = CODEBOOK["questions"]
    return {**CODEBOOK, "questions": [{**first, **changes}, *others]}


def test_version_that_is_only_being_written_changes_no_figure(project: Project) -> None:
    round = judged_project(project, SPLIT)
    before = survey(selected(project))
    options = [*CODEBOOK["questions"][0]["options"], {"key": "unsure", "label": "Unsure"}]
    written = protocol(project, asking_first(options=options))
    assert survey(selected(project)) == before
    use_version(round, written, by=None)
    assert survey(selected(project))["categories"] == ["yes", "no", "unsure"]


def test_kept_figures_are_of_the_question_as_it_is_asked_now(project: Project) -> None:
    """A round that goes by a version with one more option changes the scale of an older round too."""
    judged_project(project, SPLIT)
    first = selected(project, round="First")
    measured, _ = current(first, by=None)
    assert measured
    assert measured.figures["categories"] == ["yes", "no"]
    options = [*CODEBOOK["questions"][0]["options"], {"key": "unsure", "label": "Unsure"}]
    people = list(User.objects.filter(email__startswith="rater").order_by("pk"))
    judged_round(project, people, SPLIT, name="Second", protocol=protocol(project, asking_first(options=options)))
    again = selected(project, round="First")
    measured, _ = current(again, by=None)
    assert measured
    assert measured.figures == survey(again)
    assert measured.figures["categories"] == ["yes", "no", "unsure"]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"form": "multiple"},
        {"form": "likert"},
        {"form": "likert", "level": "interval"},
        {"form": "number"},
        {"form": "number", "level": "ratio"},
    ],
)
def test_nothing_to_measure_is_undefined_for_every_form_of_question(project: Project, asked: dict[str, str]) -> None:
    options = CODEBOOK["questions"][0]["options"] if asked.get("form") != "number" else []
    question = {"key": "asked", "text": "What?", "required": False, "options": options, **asked}
    answers: Rows = [[{}, {}]]
    judged_project(project, answers, protocol=protocol(project, {"title": "T", "questions": [question]}))
    nothing = survey(selected(project, group="nowhere"))
    assert nothing["agreement"][HEADLINE]["value"] is None
    assert nothing["agreement"][HEADLINE]["reason"]
    figures = survey(selected(project))
    assert figures["agreement"]["items_used"] == (1 if asked.get("form") == "multiple" else 0)


def test_what_was_chosen_by_name_is_what_was_chosen_by_number(project: Project) -> None:
    round = judged_project(project, SPLIT)
    assert selected(project, round="First").digest == selected(project, round=str(round.pk)).digest
    assert selected(project).digest != selected(project, over="groups").digest
    with pytest.raises(Invalid, match="no round “Third”"):
        choose(project, {"round": "Third"})


def test_each_slice_can_be_chosen_by_itself(project: Project) -> None:
    items(project, 4, groups=2)
    people = annotators(project, 2)
    first = judged_round(project, people, SPLIT)
    judged_round(project, people, SPLIT[::-1], name="Second", protocol=protocol(project, CODEBOOK))
    Vote.objects.filter(rater__round=first).update(cast_at=timezone.now() - timedelta(days=3))
    slices = survey(selected(project))["slices"]
    assert [len(slices[part]) for part in ("round", "version", "group", "time")] == [2, 2, 2, 2]
    for row in [row for rows in slices.values() for row in rows]:
        alone = survey(selected(project, **row["filters"]))["agreement"]
        assert (alone["items_used"], alone[HEADLINE]["value"]) == (row["items"], pytest.approx(row["value"]))


def test_number_of_a_round_is_not_taken_for_the_name_of_another(project: Project) -> None:
    items(project, 4)
    people = annotators(project, 2)
    first = judged_round(project, people, SPLIT, name="Pilot")
    second = judged_round(project, people, SPLIT, name=str(first.pk), protocol=first.protocol)
    assert selected(project, round=str(first.pk)).round == first
    assert selected(project, round=str(second.pk)).round == second


def test_revised_repeat_asks_for_new_figures(project: Project) -> None:
    people = annotators(project, 2)
    round = repeated_round(project, people, count=24)
    before, pace = selected(project).stamp, rater_of(round, people[0]).votes
    repeat = Assignment.objects.filter(round=round, rater__user=people[0], repeat=1).order_by("pk")[0]
    vote_on(people[0], repeat, YES, revises=1)
    once = selected(project).stamp
    vote_on(people[0], repeat, NO, revises=2)
    assert len({before, once, selected(project).stamp}) == 3
    assert rater_of(round, people[0]).votes == pace
    assert recent_pace(rater_of(round, people[0])) is None


def test_votes_in_force_are_reached_by_one_condition(project: Project) -> None:
    """By two, PostgreSQL expects one row, joins by nested loops, and the time grows with the square of the items."""
    judged_project(project, [[YES, NO]] * 2)
    sql, _ = judged_items(selected(project)).query.sql_with_params()
    assert sql.count('JOIN "labeling_assignment"') == 1
    assert '"vote_id" = ("labeling_vote"."id")' not in sql.partition(" WHERE ")[2]
    assert '"assignment_id"' not in sql
