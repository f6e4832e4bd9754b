from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from labeling import tasks
from labeling.annotation.models import Rater, Round, RoundItem, Vote
from labeling.corpus.models import Project
from labeling.jobs import running
from labeling.people.models import User
from tests.annotation.samples import annotators, assert_sound, items, judge, judge_all, opened_round, protocol
from tests.api.test_projects import caller, problem

URL = "/api/v1/projects/names/rounds/"


@pytest.fixture
def people(project: Project) -> list[User]:
    items(project, 4)
    return annotators(project, 3)


@pytest.fixture
def client(alice: User) -> APIClient:
    return caller(alice)


def test_round_is_planned_watched_and_closed(project: Project, people: list[User], client: APIClient) -> None:
    protocol(project)
    wanted = {
        "name": "First",
        "protocol": "Pairs",
        "annotators": [user.email for user in people],
        "votes": 2,
        "seed": 5,
    }
    made = client.post(URL, wanted)
    assert made.status_code == 202
    running.run(made.json()["job"]["id"], tasks.WORK)
    (listed,) = client.get(URL).json()["results"]
    assert (listed["state"], listed["item_count"], listed["votes_due"], listed["seed"]) == ("open", 4, 8, 5)
    url = f"{URL}{listed['id']}/"
    round = Round.objects.get()
    judge(people[0], round)
    status = client.get(f"{url}status/").json()
    assert (status["votes"]["cast"], status["annotators"][0]["votes"]) == (1, 1)
    page = client.get(f"{url}items/", {"state": "in_progress"}).json()
    assert [(row["votes"], row["wanted"]) for row in page["items"]] == [(1, 2)]
    assert client.get(f"{url}items/", {"state": "in_progress", "after": "9" * 30}).json()["items"] == []
    assert client.get(f"{url}items/", {"state": "no"}).status_code == 422
    assert client.post(f"{url}close/").json()["state"] == "closed"
    assert client.post(f"{url}reopen/").json()["closed_at"] is None


def test_round_is_changed_without_touching_a_vote(project: Project, people: list[User], client: APIClient) -> None:
    round = opened_round(project, people[:2], votes=1)
    url = f"{URL}{round.pk}/"
    judge(people[0], round)
    votes = set(Vote.objects.values_list("pk", flat=True))
    assert client.post(f"{url}raters/", {"email": people[2].email}).status_code == 200
    assert client.post(f"{url}top-up/", {"votes": 3}).json()["votes_due"] == 12
    assert client.post(f"{url}raters/remove/", {"email": people[1].email}).status_code == 200
    assert client.post(f"{url}return/", {"email": people[0].email}).json() == {"count": 0}
    protocol(project)
    assert client.post(f"{url}version/", {"version": 2}).json()["version"] == 2
    assert client.post(f"{url}ask-again/").json() == {"count": 1}
    assert votes == set(Vote.objects.values_list("pk", flat=True))
    assert client.post(f"{url}raters/", {"email": people[1].email.upper()}).status_code == 200
    judge_all(people, round)
    assert set(RoundItem.objects.values_list("votes", flat=True)) == {3}
    assert_sound(round)


@pytest.mark.parametrize(
    ("act", "body", "status", "said"),
    [
        ("top-up", {"votes": 9}, 422, "votes: First asks for 1"),
        ("top-up", {}, 400, "Some fields"),
        ("raters", {"email": "charlie@example.org"}, 422, "is not an annotator"),
        ("raters", {"email": "rater1@example.org"}, 409, "takes part in First already"),
        ("raters/remove", {"email": "charlie@example.org"}, 404, "No"),
        ("return", {"email": "no address"}, 400, "Some fields"),
        ("version", {"version": 9}, 422, "there is no “Pairs” with a version 9"),
    ],
)
def test_change_that_makes_no_sense_is_refused(
    project: Project, people: list[User], client: APIClient, act: str, body: dict[str, Any], status: int, said: str
) -> None:
    round = opened_round(project, people[:2], votes=1)
    response = client.post(f"{URL}{round.pk}/{act}/", body)
    assert response.status_code == status
    assert said in problem(response)["detail"]
    assert Rater.objects.active().count() == 2
    assert_sound(round)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"protocol": "Nothing"}, "protocol: there is no “Nothing”. Protocols: Pairs."),
        ({"annotators": ["alice@example.org"]}, "alice@example.org is not an annotator"),
        ({"annotators": []}, "annotators: choose at least one"),
        ({"votes": 7}, "votes: 7 votes an item need 7 annotators"),
        ({"sample": -1}, "sample: must be between 1"),
        ({"gold": {"nothing": {}}}, "gold: there is no item"),
    ],
)
def test_design_that_makes_no_sense_is_refused(
    project: Project, people: list[User], client: APIClient, body: dict[str, Any], said: str
) -> None:
    protocol(project)
    wanted = {"name": "First", "protocol": "Pairs", "annotators": ["rater1@example.org"], **body}
    response = client.post(URL, wanted)
    assert response.status_code == 422
    assert said in problem(response)["detail"]
    assert not Round.objects.exists()


def test_round_of_another_project_is_not_found(project: Project, people: list[User], client: APIClient) -> None:
    for act in ("close", "reopen", "ask-again"):
        assert client.post(f"{URL}999/{act}/").status_code == 404
