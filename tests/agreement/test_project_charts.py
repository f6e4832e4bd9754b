"""Charts: the same specification as a picture and as files, with the finding, the intervals and n in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from labeling.agreement.charts import CHARTS, apart
from labeling.agreement.models import Measurement
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.agreement.projects import NO, SPLIT, YES, judged_project, judged_round
from tests.annotation.samples import annotators, items, protocol

Enter = Callable[[User], Client]
URL = "/projects/names/agreement/charts/"
BEGINS = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG", "json": b"{"}


@pytest.fixture
def judged(project: Project) -> Project:
    """Two rounds in two groups: every chart but those by day and by version has something to show."""
    items(project, 4, groups=2)
    people = annotators(project, 2)
    version = protocol(project)
    judged_round(project, people, SPLIT, protocol=version)
    again = [[YES, NO], [YES, YES], [NO, YES], [NO, NO]]
    judged_round(project, people, again, protocol=version, name="Second")
    return project


@pytest.mark.parametrize("name", ["coefficients", "pairs", "use", "round", "group"])
@pytest.mark.parametrize("form", BEGINS)
def test_chart_comes_in_every_form(judged: Project, alice: User, enter: Enter, name: str, form: str) -> None:
    response = enter(alice).get(f"{URL}{name}.{form}")
    assert response.status_code == 200
    assert response.content.startswith(BEGINS[form])


def test_long_name_leaves_room_for_its_number_of_items(judged: Project, alice: User, enter: Enter) -> None:
    judged.items.filter(group="acme/rockets1").update(group="A" + "M" * 80)
    assert enter(alice).get(f"{URL}group.svg").text.count("(n = 4)</text>") == 2


def test_picture_needs_no_style_that_the_policy_forbids(judged: Project, alice: User, enter: Enter) -> None:
    for name in ("coefficients", "pairs", "use", "round"):
        picture = enter(alice).get(f"{URL}{name}.svg", {"theme": "dark"}).text
        assert "style=" not in picture
        assert "<style" not in picture
        assert "<script" not in picture


def test_specification_says_the_finding_and_holds_the_intervals(judged: Project, alice: User, enter: Enter) -> None:
    spec: dict[str, Any] = enter(alice).get(f"{URL}coefficients.json").json()
    assert spec["title"]["text"].startswith("α is 0.2")
    assert spec["title"]["subtitle"] == "n = 8 items, 16 ratings by 2 raters"
    (rows,) = spec["datasets"].values() if "datasets" in spec else [spec["data"]["values"]]
    alpha = rows[0]
    assert alpha["low"] < alpha["value"] < alpha["high"]
    assert "vega-lite" in spec["$schema"]


def test_viewer_downloads_pseudonyms(judged: Project, alice: User, charlie: User, enter: Enter) -> None:
    User.objects.filter(email="rater1@example.org").update(name="Zenobia")
    add_member(judged, user=charlie, role=Role.VIEWER, by=alice)
    assert "Zenobia" in json.dumps(enter(alice).get(f"{URL}pairs.json").json())
    assert "Zenobia" not in json.dumps(enter(charlie).get(f"{URL}pairs.json").json())


def test_chart_is_drawn_without_redis(judged: Project, alice: User, enter: Enter, settings: Settings) -> None:
    client = enter(alice)
    nowhere = {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {"default": nowhere}
    assert client.get(f"{URL}pairs.svg").status_code == 200


@pytest.mark.parametrize(
    "place", ["nothing.svg", "pairs.exe", "time.svg", "version.svg", "pairs.svg?theme=pink"]
)  # all votes fell on one day, under one version
def test_chart_that_is_not_there_is_not_found(judged: Project, alice: User, enter: Enter, place: str) -> None:
    assert enter(alice).get(URL + place).status_code == 404


def test_charts_are_for_those_who_may_see_the_page(judged: Project, bob: User, charlie: User, enter: Enter) -> None:
    assert enter(bob).get(f"{URL}pairs.svg").status_code == 403
    assert enter(charlie).get(f"{URL}pairs.svg").status_code == 404


@pytest.mark.parametrize("rows", [[[YES, None]], [[YES, YES]], [[None, None]]])
def test_page_offers_no_chart_that_cannot_be_drawn(
    project: Project, alice: User, enter: Enter, rows: list[list[dict[str, Any] | None]]
) -> None:
    judged_project(project, rows)
    page = enter(alice).get("/projects/names/agreement/").text
    offered = [name for name in CHARTS if f"charts/{name}.svg" in page]
    for name in CHARTS:
        assert enter(alice).get(f"{URL}{name}.svg").status_code == (200 if name in offered else 404), name


def test_names_that_begin_alike_stay_apart() -> None:
    assert apart(["a" * 50, "a" * 60, "b"]) == ["a" * 33 + "…", "a" * 33 + "… (2)", "b"]


def test_newer_figures_ask_for_newer_pictures(judged: Project, alice: User, enter: Enter) -> None:
    client, picture = enter(alice), re.compile(r'(?:src|srcset)="([^"]*charts/coefficients\.svg[^"]*)"')
    first = set(picture.findall(client.get("/projects/names/agreement/").text))
    assert first == set(picture.findall(client.get("/projects/names/agreement/").text))
    Measurement.objects.update(measured_at=timezone.now() + timedelta(seconds=1))
    second = set(picture.findall(client.get("/projects/names/agreement/").text))
    assert len(first) == len(second) == 2
    assert not first & second
    assert [client.get(address.replace("&amp;", "&")).status_code for address in second] == [200, 200]
