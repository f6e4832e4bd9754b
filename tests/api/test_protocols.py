from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from labeling.annotation.protocols.files import built_in, read_codebook
from labeling.annotation.protocols.models import Protocol
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.annotation.protocols.samples import FULL, codebook, question
from tests.annotation.protocols.voting import cast_a_vote
from tests.api.test_projects import caller, problem

URL = "/api/v1/projects/names/protocols/"


@pytest.fixture
def made(project: Project, alice: User) -> dict[str, Any]:
    response = caller(alice).post(URL, {"content": FULL}, format="json")
    assert response.status_code == 201
    body: dict[str, Any] = response.json()
    return body


def test_protocol_is_made_listed_and_read(made: dict[str, Any], alice: User) -> None:
    client = caller(alice)
    assert made["content"] == FULL
    assert (made["version"], made["versions"][0]["votes"]) == (1, 0)
    listed = client.get(URL).json()["results"]
    assert [(row["id"], row["name"], row["version"]) for row in listed] == [(made["id"], "Does the name fit?", 1)]
    assert client.get(f"{URL}{made['id']}/").json() == made


def test_built_in_protocol(project: Project, alice: User) -> None:
    response = caller(alice).post(URL, {"built_in": "rename4j", "title": "Ours"}, format="json")
    assert response.status_code == 201
    assert Protocol.objects.get(name="Ours").latest.codebook.questions == built_in()["rename4j"].questions


def test_change_is_based_on_what_was_read(made: dict[str, Any], alice: User, bob: User) -> None:
    client = caller(alice)
    url = f"{URL}{made['id']}/"
    content = {**FULL, "guideline": "new"}
    changed = client.put(url, {"state": made["state"], "content": content}, format="json")
    assert changed.status_code == 200
    assert (changed.json()["version"], changed.json()["content"]) == (1, content)
    late = client.put(url, {"state": made["state"], "content": FULL}, format="json")
    assert late.status_code == 409
    assert "Alice saved version 1" in problem(late)["detail"]
    cast_a_vote(Protocol.objects.get().latest, by=bob)
    second = client.put(url, {"state": changed.json()["state"], "content": FULL}, format="json").json()
    assert second["version"] == 2
    assert [(row["number"], row["votes"]) for row in second["versions"]] == [(2, 0), (1, 1)]
    assert client.get(f"{url}?version=1").json()["content"] == content


def test_votes_of_a_version_are_counted_only_so_far(
    made: dict[str, Any], alice: User, bob: User, enter: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    cast_a_vote(Protocol.objects.get().latest, by=bob)
    pages = caller(alice), enter(alice)
    for most, votes, more, shown in [(1, 1, False, "1"), (0, 0, True, "0+")]:
        monkeypatch.setattr("labeling.annotation.protocols.models.MOST_VOTES", most)
        (version,) = pages[0].get(f"{URL}{made['id']}/").json()["versions"]
        assert (version["votes"], version["more_votes"]) == (votes, more)
        assert f'<td class="number">{shown}</td>' in pages[1].get(f"/projects/names/protocols/{made['id']}/").text


def test_file_can_be_imported_again(made: dict[str, Any], alice: User) -> None:
    response = caller(alice).get(f"{URL}{made['id']}/export/")
    assert response["Content-Type"] == "application/yaml"
    assert read_codebook(response.content).write() == FULL


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "content"),
        ({"content": FULL, "built_in": "rename4j"}, "content"),
        ({"built_in": "nothing"}, "built_in"),
        ({"content": codebook(question(level="set"))}, "content.questions[0].level"),
        ({"content": []}, "content"),
        ({"content": codebook(question(form="number", options=[], low=10**400))}, "content.questions[0].low"),
        ({"content": codebook(guideline="a\x00b")}, "content.guideline"),
        ({"content": FULL, "title": "x" * 121}, "title"),
        ({"content": FULL, "title": "a\x00b"}, "title"),
    ],
)
def test_bad_protocol_names_its_field(project: Project, alice: User, body: dict[str, Any], field: str) -> None:
    response = caller(alice).post(URL, body, format="json")
    assert response.status_code == 400
    assert [error["field"] for error in problem(response)["errors"]] == [field]
    assert not Protocol.objects.exists()


def test_taken_title_and_bad_version(made: dict[str, Any], alice: User) -> None:
    client = caller(alice)
    taken = client.post(URL, {"content": FULL}, format="json")
    assert taken.status_code == 422
    assert "already has a protocol" in problem(taken)["detail"]
    for number, status in {"x": 400, "9" * 40: 400, "7": 404, "-1": 400}.items():
        assert client.get(f"{URL}{made['id']}/?version={number}").status_code == status
    missing = client.put(f"{URL}{made['id']}/", {"content": FULL}, format="json")
    assert problem(missing)["errors"][0]["field"] == "state"


def test_viewer_reads_and_does_not_change(made: dict[str, Any], project: Project, alice: User, charlie: User) -> None:
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    client = caller(charlie)
    for url in (URL, f"{URL}{made['id']}/", f"{URL}{made['id']}/export/"):
        assert client.get(url).status_code == 200
    assert client.post(URL, {"built_in": "rename4j"}, format="json").status_code == 403
    assert client.put(f"{URL}{made['id']}/", {"state": "x", "content": FULL}, format="json").status_code == 403
