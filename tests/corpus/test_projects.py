from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from labeling.corpus.models import Project
from labeling.corpus.projects import create_project
from labeling.people.models import Activity, Role, User
from labeling.refusals import Invalid

Enter = Callable[[User], Client]


def test_creator_becomes_coordinator(alice: User, enter: Enter) -> None:
    response = enter(alice).post("/projects/new/", {"name": "Method names, 2026", "slug": "", "description": "d"})
    assert response["Location"] == "/projects/method-names-2026/"
    assert alice.memberships.get().role == Role.COORDINATOR
    assert Activity.objects.filter(verb="created the project", actor=alice).exists()


def test_account_without_the_right_cannot_start_a_project(bob: User, enter: Enter) -> None:
    for method in ("get", "post"):
        assert getattr(enter(bob), method)("/projects/new/", {"name": "Mine"}).status_code == 403
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"name": "Again", "slug": "names"}, "already exists"),
        ({"name": "…"}, "cannot be the address"),
        ({"name": "New"}, "cannot be the address"),
        ({"name": "x" * 121}, "at most 120"),
        ({"name": ""}, "required"),
        ({"name": "a\x00b"}, "Null characters"),
    ],
)
def test_bad_project_is_refused_in_words(
    project: Project, alice: User, enter: Enter, data: dict[str, str], said: str
) -> None:
    response = enter(alice).post("/projects/new/", data)
    assert response.status_code == 422
    assert said in response.text
    assert Project.objects.count() == 1


def test_address_taken_between_check_and_store_is_refused(project: Project, alice: User) -> None:
    with pytest.raises(Invalid, match="already has the address"):
        create_project(name="Names", slug="names", by=alice)
    assert Activity.objects.filter(verb="created the project").count() == 1


def test_settings_are_saved_and_logged_with_what_changed(project: Project, alice: User, enter: Enter) -> None:
    enter(alice).post("/projects/names/settings/", {"name": "Better names", "description": ""})
    project.refresh_from_db()
    assert project.name == "Better names"
    line = Activity.objects.get(verb="changed the settings")
    assert line.details == {"changes": {"name": ["Names", "Better names"]}}


def test_saving_unchanged_settings_logs_nothing(project: Project, alice: User, enter: Enter) -> None:
    enter(alice).post("/projects/names/settings/", {"name": "Names", "description": ""})
    assert not Activity.objects.filter(verb="changed the settings").exists()


def test_archive_asks_for_the_name(project: Project, alice: User, enter: Enter) -> None:
    refused = enter(alice).post("/projects/names/archive/", {"name": "names"})
    assert refused.status_code == 422
    assert "Type the name as it stands: Names" in refused.text
    enter(alice).post("/projects/names/archive/", {"name": "Names"})
    project.refresh_from_db()
    assert project.archived_by == alice


def test_archived_project_can_be_read_but_not_changed(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    client.post("/projects/names/archive/", {"name": "Names"})
    assert client.get("/projects/names/").status_code == 200
    for url, data in {
        "settings/": {"name": "Other"},
        "members/invite/": {"email": "dora@example.org", "role": "viewer"},
        "activity/export/": {},
    }.items():
        response = client.post(f"/projects/names/{url}", data)
        assert response.status_code == 409, url
        assert "is archived" in response.text
    client.post("/projects/names/restore/")
    assert client.post("/projects/names/settings/", {"name": "Other"}).status_code == 302
