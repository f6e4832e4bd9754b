"""Figures of how disagreements end are kept where there is much to count, and not shown as newer than they are."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client

from labeling import tasks
from labeling.agreement.models import Measurement
from labeling.annotation.models import Round
from labeling.annotation.rounds.changing import close_round
from labeling.consensus.adjudicating import reopen
from labeling.consensus.models import Case, Rule
from labeling.consensus.routing import route_project, rule_of
from labeling.consensus.summing import KIND, sum_up, summary_of
from labeling.corpus.models import Project
from labeling.jobs import running
from labeling.jobs.models import Job
from labeling.people.models import User
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators, items, opened_round
from tests.consensus.samples import judged, proposed

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]
PAGE = "/projects/names/cases/overview/"


@pytest.fixture
def people(project: Project) -> list[User]:
    return annotators(project, 2)


@pytest.fixture
def round(project: Project, people: list[User], monkeypatch: pytest.MonkeyPatch) -> Round:
    items(project, 30)
    round = opened_round(project, people)
    judged(round, people, {"": [INCLUDE, EXCLUDE]})
    close_round(round, by=None)
    route_project(project, by=None)
    monkeypatch.setattr("labeling.consensus.summing.MOST_VOTES_AT_ONCE", 10)
    monkeypatch.setattr("labeling.consensus.summing.UNDER_WAY", timedelta())
    round.refresh_from_db()
    return round


def work_off() -> None:
    for job in Job.objects.active().filter(kind=KIND):
        running.run(job.pk, tasks.WORK)


def test_a_job_makes_them_and_the_page_says_so_until_then(round: Round, alice: User, enter: Enter) -> None:
    client = enter(alice)
    for _ in range(2):
        text = client.get(PAGE).text
        assert "look again in a minute" in text
        assert "Time spent" not in text
        assert "Who moved towards whom" not in text
    assert Job.objects.filter(kind=KIND).count() == 1
    work_off()
    text = client.get(PAGE).text
    assert "Who moved towards whom" in text
    assert "look again" not in text
    assert "<strong>30</strong> Open" in text
    assert Job.objects.filter(kind=KIND).count() == 1
    kept = Measurement.objects.get().figures
    assert kept == json_like({**sum_up(round, rule_of(round)), "last_event": kept["last_event"]})


def json_like(figures: dict[str, object]) -> object:
    import json

    return json.loads(json.dumps(figures))


def test_a_decision_makes_them_old_and_after_a_while_new_ones_are_made(
    round: Round, alice: User, people: list[User], enter: Enter
) -> None:
    client = enter(alice)
    client.get(PAGE)
    work_off()
    case = Case.objects.earliest("pk")
    for user in people:
        proposed(user, case, EXCLUDE, "No link.")
    found = summary_of(round, rule_of(round), by=alice)
    assert found.figures is not None
    assert not found.on_its_way  # not more often than every five minutes
    Measurement.objects.update(measured_at=F("measured_at") - timedelta(minutes=6))
    assert "these are the last" in client.get(PAGE).text
    work_off()
    found = summary_of(round, rule_of(round), by=alice)
    assert found.figures is not None
    assert not found.on_its_way
    assert sum(moved["moved"] for moved in found.figures["movement"]) == 1


def test_reopening_makes_them_old_though_nobody_decided_or_voted(
    round: Round, alice: User, people: list[User], enter: Enter
) -> None:
    case = Case.objects.earliest("pk")
    for user in people:
        proposed(user, case, EXCLUDE, "No link.")
    client = enter(alice)
    client.get(PAGE)
    work_off()
    assert "<strong>29</strong> Open" in client.get(PAGE).text
    case.refresh_from_db()
    reopen(alice, case.pk, reason="A new comment was found.", seen=case.version)
    Measurement.objects.update(measured_at=F("measured_at") - timedelta(minutes=6))
    assert "these are the last" in client.get(PAGE).text
    work_off()
    assert "<strong>30</strong> Open" in client.get(PAGE).text


def test_an_event_that_may_have_been_under_way_is_looked_at_again(
    round: Round, alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labeling.consensus.summing.UNDER_WAY", timedelta(minutes=1))
    enter(alice).get(PAGE)
    work_off()
    assert not summary_of(round, rule_of(round), by=alice).on_its_way
    Measurement.objects.update(measured_at=F("measured_at") - timedelta(minutes=6))
    assert summary_of(round, rule_of(round), by=alice).on_its_way


@pytest.mark.parametrize("change", ["names", "vote"])
def test_what_else_makes_them_old(round: Round, alice: User, people: list[User], enter: Enter, change: str) -> None:
    enter(alice).get(PAGE)
    work_off()
    Measurement.objects.update(measured_at=F("measured_at") - timedelta(minutes=6))
    assert not summary_of(round, rule_of(round), by=alice).on_its_way
    if change == "names":
        Rule.objects.update_or_create(round=round, defaults={"names_shown": True})
    else:
        rater = round.raters.earliest("pk")
        rater.tally = [*rater.tally, 1]
        rater.save()
    assert summary_of(round, rule_of(round), by=alice).on_its_way
