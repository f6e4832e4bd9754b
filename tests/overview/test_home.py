from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from labeling.consensus.models import Case
from labeling.corpus.models import Project
from labeling.corpus.projects import create_project
from labeling.people.invitations import add_member
from labeling.people.models import Activity, Membership, Role, User

Enter = Callable[[User], Client]


def test_list_shows_only_my_projects(project: Project, alice: User, bob: User, charlie: User, enter: Enter) -> None:
    create_project(name="Secret", slug="secret", by=alice)
    assert "Secret" in enter(alice).get("/").text
    assert "Secret" not in enter(bob).get("/").text
    assert "You are in no project" in enter(charlie).get("/").text


def test_coordinator_is_asked_to_invite_until_two_people_can_judge(
    project: Project, alice: User, charlie: User, enter: Enter
) -> None:
    assert "Invite your annotators" in enter(alice).get("/projects/names/").text
    add_member(project, user=charlie, role=Role.ANNOTATOR, by=alice)
    assert "Invite your annotators" not in enter(alice).get("/projects/names/").text


@pytest.mark.parametrize(
    ("role", "said"),
    [
        (Role.ANNOTATOR, "Nothing to judge yet"),
        (Role.ADJUDICATOR, "No cases yet"),
        (Role.VIEWER, "Nothing to read yet"),
    ],
)
def test_home_differs_by_role(
    project: Project, alice: User, charlie: User, enter: Enter, role: Role, said: str
) -> None:
    add_member(project, user=charlie, role=role, by=alice)
    page = enter(charlie).get("/projects/names/").text
    assert said in page
    assert "Lately" not in page
    assert "/projects/names/members/" not in page


@pytest.mark.parametrize("many", [1, 25])
def test_pages_cost_the_same_for_few_and_many(
    project: Project, alice: User, enter: Enter, many: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(many):
        create_project(name=f"Project {number}", by=alice)
    client = enter(alice)
    with django_assert_num_queries(3):
        client.get("/")
    with django_assert_num_queries(15):
        client.get("/projects/names/")


def test_demo_can_be_made_again_without_doubling(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("demo")
    first = capsys.readouterr().out
    password = first.strip().rsplit(" ", 1)[1]
    lines = Activity.objects.count()
    call_command("demo")
    assert password not in capsys.readouterr().out
    assert (Membership.objects.count(), Activity.objects.count()) == (5, lines)
    client = Client()
    for email in ("coordinator@example.org", "annotator3@example.org", "adjudicator@example.org"):
        assert client.login(username=email, password=password, request=client.request().wsgi_request)


def test_demo_has_cases_in_every_stage(db: None) -> None:
    call_command("demo")
    decisions = {case.decision.how: case.decision for case in Case.objects.filter(state="decided") if case.decision}
    assert set(decisions) == {"discussion", "adjudication"}
    assert decisions["adjudication"].unclear
    (talked,) = Case.objects.filter(state="open", messages__isnull=False).distinct()
    assert (talked.messages.count(), talked.proposals.count()) == (2, 1)
    assert talked.messages.filter(mentions__isnull=False).exists()


def test_demo_password_from_the_environment(db: None, settings: Settings) -> None:
    call_command("demo")
    settings.DEMO_PASSWORD = "chosen by me"
    call_command("demo")
    assert User.objects.get(email="annotator2@example.org").check_password("chosen by me")
