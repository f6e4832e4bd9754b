"""What somebody without a seat is told, beyond the statuses of the matrix in tests/access."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from labeling.corpus.models import Project
from labeling.people.invitations import invite
from labeling.people.models import Role, User
from tests.api.test_projects import caller, problem

Enter = Callable[[User], Client]


def test_nobody_joins_an_archive(project: Project, alice: User, enter: Enter) -> None:
    _, token = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    enter(alice).post("/projects/names/archive/", {"name": "Names"})
    response = Client().post(f"/join/{token}/", {"name": "Dora", "password": "a long enough secret"})
    assert response.status_code == 409
    assert not User.objects.filter(email="dora@example.org").exists()


def test_form_sent_without_a_session_leads_back_to_its_page(project: Project) -> None:
    response = Client().post(
        "/projects/names/members/invite/", {}, headers={"Referer": "http://testserver/projects/names/members/"}
    )
    assert response["Location"] == "/login/?next=%2Fprojects%2Fnames%2Fmembers%2F&lost=1"
    elsewhere = Client().post("/projects/names/members/invite/", {}, headers={"Referer": "https://evil.example/x"})
    assert elsewhere["Location"] == "/login/?next=%2F&lost=1"


def test_poll_without_a_session_sends_the_whole_page_to_log_in(project: Project) -> None:
    response = Client().get("/projects/names/jobs/", headers={"HX-Request": "true"})
    assert response["HX-Redirect"] == "/login/?next=/projects/names/jobs/"


def test_annotator_is_told_which_role_it_needs(project: Project, bob: User) -> None:
    response = caller(bob).get("/api/v1/projects/names/members/")
    assert "role of coordinator" in problem(response)["detail"]
