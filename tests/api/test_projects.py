from __future__ import annotations

from typing import Any

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.test import APIClient

from labeling.corpus.models import Project
from labeling.corpus.projects import create_project
from labeling.people.models import ApiToken, Role, User


def caller(user: User) -> APIClient:
    _, secret = ApiToken.issue(user=user, name="test")
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def problem(response: Any) -> dict[str, Any]:
    assert response["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["status"] == response.status_code
    assert body["type"] == "about:blank"
    assert body["title"]
    assert body["detail"]
    return body


def test_nobody_without_a_token(project: Project) -> None:
    response = APIClient().get("/api/v1/projects/")
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    problem(response)


@pytest.mark.parametrize("header", ["Bearer wrong", "Bearer ", "Bearer ü"])
def test_wrong_token_is_refused(project: Project, header: str) -> None:
    response = APIClient().get("/api/v1/me/", headers={"Authorization": header})
    assert response.status_code == 401
    assert "not valid" in problem(response)["detail"]


def test_token_of_an_inactive_account_is_refused(alice: User) -> None:
    client = caller(alice)
    User.objects.update(is_active=False)
    assert client.get("/api/v1/me/").status_code == 401


def test_session_works_and_is_guarded_against_forged_posts(project: Project, alice: User) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/api/v1/me/").status_code == 200
    assert client.post("/api/v1/projects/", {"name": "Forged"}).status_code == 403


def test_project_is_made_read_and_changed(alice: User) -> None:
    client = caller(alice)
    made = client.post("/api/v1/projects/", {"name": "Names in review"})
    assert made.status_code == 201
    assert made.json()["slug"] == "names-in-review"
    assert made.json()["roles"] == ["coordinator"]
    changed = client.patch("/api/v1/projects/names-in-review/", {"description": "why"})
    assert (changed.json()["name"], changed.json()["description"]) == ("Names in review", "why")
    assert client.get("/api/v1/projects/").json()["results"] == [changed.json()]


def test_fields_that_are_wrong_are_named(project: Project, alice: User) -> None:
    response = caller(alice).post("/api/v1/projects/", {"slug": "no blanks"})
    assert response.status_code == 400
    assert {error["field"] for error in problem(response)["errors"]} == {"name", "slug"}


def test_taken_address_is_refused(project: Project, alice: User) -> None:
    response = caller(alice).post("/api/v1/projects/", {"name": "Names", "slug": "names"})
    assert response.status_code == 422
    assert "already has the address" in problem(response)["detail"]


@pytest.mark.parametrize("body", ["{", "[1]", '"text"', "null"])
def test_body_that_is_no_object_is_refused(project: Project, alice: User, body: str) -> None:
    response = caller(alice).post("/api/v1/projects/", body, content_type="application/json")
    assert response.status_code == 400
    problem(response)


def test_account_without_the_right_starts_no_project(bob: User) -> None:
    response = caller(bob).post("/api/v1/projects/", {"name": "Mine"})
    assert response.status_code == 403
    assert "cannot start projects" in problem(response)["detail"]


def test_invitation_link_is_in_the_first_answer_only(project: Project, alice: User) -> None:
    client = caller(alice)
    made = client.post("/api/v1/projects/names/invitations/", {"email": "dora@example.org", "role": "viewer"})
    assert made.status_code == 201
    assert made.json()["link"].startswith("http://127.0.0.1:8000/join/")
    listed = client.get("/api/v1/projects/names/invitations/").json()["results"]
    assert [(row["email"], row["state"], "link" in row) for row in listed] == [("dora@example.org", "open", False)]
    revoked = client.post(f"/api/v1/projects/names/invitations/{listed[0]['id']}/revoke/")
    assert revoked.json()["state"] == "revoked"
    assert client.post(f"/api/v1/projects/names/invitations/{listed[0]['id']}/revoke/").status_code == 409


def test_member_is_listed_and_removed(project: Project, alice: User, bob: User) -> None:
    client = caller(alice)
    members = {row["email"]: row for row in client.get("/api/v1/projects/names/members/").json()["results"]}
    assert members["bob@example.org"]["role"] == Role.ANNOTATOR
    assert client.delete(f"/api/v1/projects/names/members/{members['bob@example.org']['id']}/").status_code == 204
    assert not bob.memberships.exists()
    refused = client.delete(f"/api/v1/projects/names/members/{members['alice@example.org']['id']}/")
    assert refused.status_code == 409


def test_archive_closes_and_restore_opens(project: Project, alice: User) -> None:
    client = caller(alice)
    assert client.post("/api/v1/projects/names/archive/").json()["archived_at"]
    assert client.patch("/api/v1/projects/names/", {"name": "Other"}).status_code == 409
    assert client.post("/api/v1/projects/names/restore/").json()["archived_at"] is None


def test_list_goes_page_by_page_newest_first(alice: User) -> None:
    for number in range(7):
        create_project(name=f"Project {number}", by=alice)
    client, url, seen = caller(alice), "/api/v1/projects/?page_size=3", []
    while url:
        page = client.get(url).json()
        seen += [row["name"] for row in page["results"]]
        url = page["next"]
    assert seen == [f"Project {number}" for number in reversed(range(7))]


@pytest.mark.parametrize("many", [1, 20])
def test_list_costs_the_same_for_few_and_many(
    alice: User, many: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(many):
        create_project(name=f"Project {number}", by=alice)
    client = caller(alice)
    client.get("/api/v1/me/")
    with django_assert_num_queries(3):
        client.get("/api/v1/projects/")
