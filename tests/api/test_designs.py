"""A study is designed by calls alone, and what pages refuse the API refuses."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from labeling.study.material import PRESETS
from labeling.study.models import Study
from tests.api.test_projects import caller, problem
from tests.study.designs import SMALL, item, names, planned

URL = "/api/v1/projects/names/studies/"


@pytest.fixture
def client(alice: User) -> APIClient:
    return caller(alice)


def rows(count: int = 12) -> dict[str, Any]:
    given = [row for number in range(count) for row in names(number)]
    return {"origins": PRESETS["four_names"], "items": [item(number) for number in range(count)], "names": given}


def test_study_goes_from_the_draft_to_the_unblinding(project: Project, client: APIClient) -> None:
    made = client.post(URL, {"name": "First", "design": SMALL, "seed": 5})
    assert (made.status_code, made.json()["state"]) == (201, "draft")
    url = f"{URL}{made.json()['id']}/"
    assert client.patch(url, {"design": {"spares": 2}, "name": "Renamed"}).json()["name"] == "Renamed"
    assert client.post(f"{url}material/", rows(), format="json").json()["methods"] == 12
    page = client.get(f"{url}material/").json()
    assert (len(page["methods"]), page["next_after"], len(page["methods"][0]["names"])) == (12, None, 4)
    assert client.get(f"{url}leaks/").json() == {"leaks": [], "unruled": 0}
    plan = client.post(f"{url}plan/").json()
    assert [row["replaces"] for row in plan["sheets"] if row["stage"] == "main"] == [None] * 4 + [1, 2]
    assert client.get(f"{url}plan/").json() == plan
    texts = client.get(f"{url}texts/").json()
    assert client.post(f"{url}texts/", {"content": texts["content"]}, format="json").json()["version"] == 2
    assert client.post(f"{url}pilot/").json()["state"] == "piloting"
    frozen = client.post(f"{url}freeze/", {"name": "Renamed"}).json()
    assert (frozen["state"], len(frozen["digest"])) == ("frozen", 64)
    assert client.get(url).json()["standing"]["next"] == "open"
    assert client.post(f"{url}open/").json()["state"] == "open"
    assert client.post(f"{url}deviations/", {"what": "More time."}).status_code == 201
    assert [row["what"] for row in client.get(f"{url}deviations/").json()] == ["More time."]
    assert client.post(f"{url}close/", {"name": "Renamed"}).json()["state"] == "closed"
    refused = client.get(f"{url}frozen/")
    assert (refused.status_code, "once the study is unblinded" in problem(refused)["detail"]) == (409, True)
    assert client.post(f"{url}unblind/", {"name": "Renamed"}).json()["state"] == "unblinded"
    assert client.get(f"{url}frozen/").json()["sha256"] == frozen["digest"]
    copied = client.post(f"{url}copy/", {"name": "Second"})
    assert (copied.status_code, copied.json()["state"]) == (201, "draft")
    assert [row["name"] for row in client.get(URL).json()["results"]] == ["Second", "Renamed"]


def test_leak_is_ruled_by_a_call(project: Project, client: APIClient) -> None:
    url = f"{URL}{client.post(URL, {'name': 'First'}).json()['id']}/"
    material = {**rows(1), "names": names(0, gtnm="Find_it")}
    assert client.post(f"{url}material/", material, format="json").json()["unruled"] == 2
    (first, _) = client.get(f"{url}leaks/").json()["leaks"]
    assert (first["name"], first["act"]) == ("Find_it", None)
    verdict = {"kind": "casing", "act": "normalise", "method": "m000", "name": "Find_it"}
    assert client.post(f"{url}leaks/", verdict).json()["unruled"] == 1
    assert client.post(f"{url}leaks/", {"kind": "underscores", "act": "normalise"}).json()["unruled"] == 0
    assert "findIt" in client.get(f"{url}material/").json()["methods"][0]["names"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "said"),
    [
        ("post", "", {"name": "Study 1"}, 422, "there is a study “Study 1” already"),
        ("post", "", {"name": "x", "design": {"sheets": 0}}, 422, "sheets: must be between 1"),
        ("patch", "{pk}/", {"design": {"colour": 1}}, 422, "colour: is not a field"),
        ("post", "{pk}/material/", {"origins": {"a": "A"}, "items": [{"key": "x"}]}, 422, "items, line 1: body"),
        ("post", "{pk}/material/", {"origins": {"a": "A"}}, 422, "there is no method in it"),
        ("post", "{pk}/material/", {}, 400, "Some fields"),
        ("post", "{pk}/leaks/", {"kind": "gossip", "act": "mask"}, 422, "kind: must be one of"),
        ("post", "{pk}/texts/", {"content": {"title": "x"}}, 422, "is missing"),
        ("post", "{pk}/freeze/", {"name": "wrong"}, 422, "send the name of the study as it stands: Study 1"),
        ("post", "{pk}/open/", {}, 409, "is not frozen yet"),
        ("post", "{pk}/close/", {"name": "Study 1"}, 409, "was never opened"),
        ("post", "{pk}/unblind/", {"name": "Study 1"}, 409, "is not closed"),
        ("post", "{pk}/deviations/", {"what": "x"}, 409, "no plan yet to deviate from"),
        ("post", "999/plan/", {}, 404, "No"),
        ("post", "simulate/", {"rates": {"a": 0.5}, "sheets": 4, "methods_per_sheet": 3}, 422, "two origins"),
        ("post", "simulate/", {"rates": {"a": 0.5, "b": 0.6}, "sheets": 99999, "methods_per_sheet": 99}, 422, "times"),
    ],
)
def test_what_makes_no_sense_is_refused(
    project: Project, client: APIClient, method: str, path: str, body: dict[str, Any], status: int, said: str
) -> None:
    study = planned(project)
    before = Study.objects.values().get()
    response = getattr(client, method)(f"{URL}{path.format(pk=study.pk)}", body, format="json")
    assert response.status_code == status
    assert said in problem(response)["detail"]
    assert (Study.objects.values().get(), study.sheets.count()) == (before, 7)


def test_calculators_answer(project: Project, client: APIClient) -> None:
    assert client.get(f"{URL}sample-size/", {"population": 400}).json()["needed"] == 197
    wanted = {"rates": {"a": 0.2, "b": 0.9}, "sheets": 6, "methods_per_sheet": 5, "repetitions": 20}
    assert client.post(f"{URL}simulate/", wanted, format="json").json()["any_pair"]["value"] > 0.5


def test_viewer_reads_where_a_study_stands_and_no_material(project: Project, alice: User, charlie: User) -> None:
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    study = planned(project)
    viewer = caller(charlie)
    assert viewer.get(f"{URL}{study.pk}/").json()["standing"]["sheets"] == 4
    assert viewer.get(f"{URL}{study.pk}/plan/").status_code == 200
    for path in ("material/", "leaks/", "texts/"):
        assert viewer.get(f"{URL}{study.pk}/{path}").status_code == 403
    assert viewer.post(f"{URL}{study.pk}/plan/").status_code == 403
