"""The sample size and the simulator, for coordinators who plan a study."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from labeling.corpus.models import Project
from labeling.people.models import User

Enter = Callable[[User], Client]
URL = "/projects/names/studies/"


@pytest.fixture
def client(enter: Enter, alice: User) -> Client:
    return enter(alice)


def test_sample_size_of_the_paper(project: Project, client: Client) -> None:
    wanted: dict[str, Any] = {
        "population": 400,
        "confidence": 0.95,
        "margin": 0.05,
        "proportion": 0.5,
        "cluster_size": 1,
        "icc": 0,
    }
    assert ">197</strong> judgements" in client.get(f"{URL}sample-size/", wanted).text
    clustered = client.get(f"{URL}sample-size/", {**wanted, "cluster_size": 20, "icc": 0.05}).text
    assert ">383</strong> judgements" in clustered
    refused = client.get(f"{URL}sample-size/", {**wanted, "margin": 2})
    assert (refused.status_code, "The margin must lie between 0 and 1" in refused.text) == (422, True)


SIMULATED: dict[str, Any] = {
    "sheets": 6, "methods_per_sheet": 5, "shared": 0, "shared_by": 2, "rates": "a 0.2, b 0.9", "participant_sd": 0.3,
    "preference_sd": 0.2, "method_sd": 0.3, "name_sd": 0.3, "alpha": 0.05, "repetitions": 40, "seed": 3,
}  # fmt: skip


def test_simulator_says_power_widths_and_false_positives(project: Project, client: Client) -> None:
    page = client.get(f"{URL}simulator/", SIMULATED).text
    assert "a and b told apart" in page
    assert "False positives of the primary test" in page
    again = client.get(f"{URL}simulator/", SIMULATED).text
    assert page.split("<h2")[1:] == again.split("<h2")[1:]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"repetitions": 10_000_000}, "A study of this size can be repeated 83,333 times here"),
        ({"rates": "a 0.2"}, "A simulation needs two origins or more"),
        ({"rates": "a 2, b 0.1"}, "must lie between 0 and 1"),
        ({"rates": "a, b"}, "is not a word and a number"),
        ({"rates": "a 0.1, a 0.2"}, "is there twice"),
        ({"shared": 99}, "need 198 places"),
        ({"name_sd": 99}, "name_sd must lie between 0 and 10"),
    ],
)
def test_simulator_refuses_what_takes_too_long_or_makes_no_sense(
    project: Project, client: Client, change: dict[str, Any], said: str
) -> None:
    response = client.get(f"{URL}simulator/", {**SIMULATED, **change})
    assert (response.status_code, said in response.text) == (422, True)
