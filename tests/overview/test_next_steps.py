"""The overview says what comes next, in every state, to everybody."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from labeling.annotation.models import Round
from labeling.annotation.rounds.changing import close_round
from labeling.consensus import routing
from labeling.consensus.models import Case, CaseState
from labeling.corpus.models import Project
from labeling.jobs import running
from labeling.jobs.models import Job
from labeling.people.models import User
from labeling.release.checking import answer_findings, check_now
from labeling.release.choosing import choose
from labeling.release.making import Title, create_release, make_release
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators, items, judge, opened_round
from tests.consensus.samples import judged

Enter = Callable[[User], Client]
HOME = "/projects/names/"


@pytest.fixture
def people(project: Project) -> list[User]:
    items(project, 3)
    return annotators(project, 2)


@pytest.fixture
def differing(project: Project, people: list[User]) -> Round:
    """All votes are in, all items differ, and nobody has looked."""
    round = opened_round(project, people)
    judged(round, people, {"": [INCLUDE, EXCLUDE]})
    return round


@pytest.mark.parametrize("page", ["", "work/", "judge/"])
def test_cases_are_there_before_anybody_opens_them(
    differing: Round, people: list[User], enter: Enter, page: str
) -> None:
    assert "3 cases wait for you" in enter(people[0]).get(HOME + page).text
    assert Case.objects.count() == 3


def test_coordinator_is_told_of_cases_before_anybody_opens_them(differing: Round, alice: User, enter: Enter) -> None:
    assert "<strong>3</strong> Open cases" in enter(alice).get(HOME).text


def test_what_a_job_routes_no_page_does(
    differing: Round, alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routing, "BATCH", 1)
    close_round(differing, by=None)
    client = enter(alice)
    for _ in range(2):  # the first visit routes some and asks for the job, the second leaves it to it
        page = client.get(HOME).text
    assert (Case.objects.count(), Job.objects.filter(kind="route_votes").count()) == (1, 1)
    assert "Everything is settled" not in page


def test_coordinator_is_led_from_the_first_vote_to_the_study(
    project: Project, people: list[User], alice: User, enter: Enter
) -> None:
    client = enter(alice)
    round = opened_round(project, people)
    judge(people[0], round, INCLUDE)
    assert "1 of 6 votes are in" in client.get(HOME).text
    judged(round, people, {"": [EXCLUDE, EXCLUDE]})
    assert "First has all its votes" in client.get(HOME).text
    close_round(round, by=None)
    page = client.get(HOME).text
    assert "Look at the agreement" in page
    assert "1 case is open" in page
    Case.objects.update(state=CaseState.MOOT)
    page = client.get(HOME).text
    assert "Everything is settled" in page
    assert "/projects/names/releases/new/" in page
    freeze(project, alice)
    page = client.get(HOME).text
    assert "Start a study" in page
    assert "Make a release" not in page
    project.studies.create(name="Names by developers")
    assert "Study “Names by developers”" in client.get(HOME).text


def freeze(project: Project, by: User) -> None:
    choice = choose(project)
    found = [(one.guard.value, one.item) for one in check_now(choice).findings]
    answer_findings(project, found, reason="Looked at.", leave_out=False, by=by)
    release, job = create_release(choice, Title("Names"), by=by)
    running.run(job.pk, {job.kind: make_release})
    release.refresh_from_db()
    assert release.is_frozen, Job.objects.get(pk=job.pk).error


def test_a_round_closed_after_the_release_calls_for_another(
    project: Project, people: list[User], alice: User, enter: Enter
) -> None:
    round = opened_round(project, people)
    judged(round, people, {"": [EXCLUDE, EXCLUDE]})
    close_round(round, by=None)
    freeze(project, alice)
    Round.objects.update(closed_at=timezone.now())
    assert "Make a release" in enter(alice).get(HOME).text


def test_who_has_judged_all_is_told_so_and_has_no_dead_button(
    project: Project, people: list[User], enter: Enter
) -> None:
    round = opened_round(project, people)
    client = enter(people[0])
    pages = [HOME, f"{HOME}work/"]
    assert all("Judge the next item" in client.get(page).text for page in pages)
    judged(round, people[:1], {"": [INCLUDE]})
    for page in pages:
        text = client.get(page).text
        assert "Nothing left to judge" in text
        assert "/projects/names/judge/" not in text
