from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from labeling.corpus.models import Item, Project
from labeling.jobs.models import Job
from labeling.people.models import User
from tests.api.test_projects import caller, problem
from tests.corpus.samples import review_rename

URL = "/api/v1/projects/names/items/"


def test_items_are_brought_in_found_and_read(project: Project, alice: User) -> None:
    client = caller(alice)
    rows = [{"key": "a", **review_rename(1)}, {"key": "b", **review_rename(2)}]
    assert client.post(URL, {"items": rows}).json()["new"] == 2
    assert client.post(URL, {"items": rows}).json()["unchanged"] == 2
    found = client.get(f"{URL}?words=fetchconnection2").json()["results"]
    assert [row["key"] for row in found] == ["b"]
    assert "payload" not in found[0]
    assert client.get(f"{URL}{found[0]['id']}/").json()["payload"]["buggy_name"] == "load2"


def test_bad_rows_are_named_and_the_good_ones_stored(project: Project, alice: User) -> None:
    answer = caller(alice).post(URL, {"items": [review_rename(1), 7, {"buggy_name": "x y"}]}).json()
    assert (answer["new"], answer["bad"]) == (1, 2)
    assert [(bad["line"], bad["field"]) for bad in answer["first_bad"]] == [(2, ""), (3, "fixed_name")]


@pytest.mark.parametrize("option", ["all_or_nothing", "dry_run"])
def test_nothing_is_stored_when_asked(project: Project, alice: User, option: str) -> None:
    caller(alice).post(URL, {"items": [review_rename(1), 7], option: True})
    assert not Item.objects.exists()


def test_too_many_rows_or_none_are_refused(project: Project, alice: User) -> None:
    for rows in ([], [1] * 1001, "text"):
        response = caller(alice).post(URL, {"items": rows})
        assert response.status_code == 400
        assert problem(response)["errors"][0]["field"] == "items"


def test_export_is_a_job(project: Project, alice: User, run_job: Callable[[Job], Path]) -> None:
    client = caller(alice)
    client.post(URL, {"items": [review_rename(1)]})
    started = client.post(f"{URL}export/", {"form": "csv"})
    assert started.status_code == 202
    assert run_job(Job.objects.get()).read_text().startswith("key,buggy_name,fixed_name,body_before")
