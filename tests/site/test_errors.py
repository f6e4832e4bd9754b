from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from labeling.corpus.models import Project
from labeling.people.models import User

Enter = Callable[[User], Client]


def test_nothing_here(client: Client, db: None) -> None:
    response = client.get("/nothing/")
    assert response.status_code == 404
    assert "There is nothing here" in response.text


def test_broken_page_gives_a_reference_and_no_traceback(
    project: Project, alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("inside")

    monkeypatch.setattr("labeling.overview.views.standing", broken)
    client = enter(alice)
    client.raise_request_exception = False
    response = client.get("/projects/names/")
    assert response.status_code == 500
    assert response["X-Request-ID"] in response.text
    assert "inside" not in response.text
    assert "Traceback" not in response.text


def test_lost_session_leads_to_log_in_and_back(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    client.session.flush()
    response = client.get("/projects/names/", follow=True)
    assert "your session ended" in response.text
    assert 'name="next" value="/projects/names/"' in response.text


def test_insane_host_is_a_bad_request(db: None) -> None:
    assert Client(SERVER_NAME="evil.example").get("/login/").status_code == 400


def test_post_only_pages_refuse_get(project: Project, alice: User, enter: Enter) -> None:
    for url in ("archive/", "restore/", "members/invite/", "activity/export/"):
        response = enter(alice).get(f"/projects/names/{url}")
        assert response.status_code == 405
        assert "cannot be opened like this" in response.text


def test_broken_page_needs_neither_user_nor_styles(alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("inside")

    client = enter(alice)
    client.raise_request_exception = False
    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore.load", broken)
    response = client.get("/")
    assert response.status_code == 500
    assert "Something broke on our side" in response.text
    assert response["X-Request-ID"] in response.text


@pytest.fixture
def refused(project: Project) -> str:
    """A form of the project that is refused however it is sent: there is nothing to export in it."""
    return "/projects/names/items/export/"


def test_a_refusal_keeps_the_menu_of_the_project_and_leads_back(refused: str, alice: User, enter: Enter) -> None:
    before = "http://testserver/projects/names/items/?words=load"
    response = enter(alice).post(refused, {"form": "docx"}, headers={"Referer": before})
    assert response.status_code == 422
    assert '<nav class="tabs" aria-label="Project">' in response.text
    assert f'<a class="button" href="{before}">Back to the page before</a>' in response.text


@pytest.mark.parametrize("before", ["", "https://evil.example/projects/names/", "javascript:alert(1)"])
def test_a_refusal_leads_to_the_project_when_nothing_of_ours_came_before(
    refused: str, alice: User, enter: Enter, before: str
) -> None:
    page = enter(alice).post(refused, {"form": "docx"}, headers={"Referer": before}).text
    assert '<a class="button" href="/projects/names/">Names</a>' in page
    assert "Back to the page before" not in page


def test_an_outsider_sees_nothing_of_the_project_on_an_error_page(
    project: Project, charlie: User, enter: Enter
) -> None:
    page = enter(charlie).get("/projects/names/items/").text
    assert "There is nothing here" in page
    assert 'aria-label="Project"' not in page
    assert "Names" not in page
