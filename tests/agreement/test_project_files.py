"""The same figures by API, by command and as files: what a paper needs, and what makes them again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from labeling.agreement.reading import read_ratings
from labeling.agreement.statistics.measuring import measure
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.scales import Level
from labeling.agreement.values import Wanted
from labeling.annotation.models import Assignment
from labeling.annotation.rounds.changing import close_round
from labeling.corpus.models import Project
from labeling.jobs.models import Job
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.agreement.projects import NO, SPLIT, YES, judged_project, judged_round
from tests.annotation.samples import annotators, items, vote_on
from tests.api.test_projects import caller, problem

Enter = Callable[[User], Client]
API = "/api/v1/projects/names/agreement/"


def test_api_answers_what_the_page_shows(project: Project, alice: User, charlie: User) -> None:
    round = judged_project(project, SPLIT)
    found = caller(alice).get(API, {"question": "include", "round": str(round.pk)}).json()
    assert found["krippendorff_alpha"]["value"] == pytest.approx(8 / 15)
    assert (found["question"], found["items_used"], found["as_of"]["votes"]) == ("include", 4, 8)
    assert found["interval"]["seed"] == 7
    assert found["who"] == {"Rater 1": "rater1@example.org", "Rater 2": "rater2@example.org"}
    (dearest,) = found["disagreements"]
    assert dearest["said"] == {"Rater 1": "Include", "Rater 2": "Exclude"}
    assert dearest["cost"] == pytest.approx(7 / 15)
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    assert "who" not in caller(charlie).get(API).json()


def test_api_keeps_out_who_may_not_look(project: Project, bob: User, charlie: User) -> None:
    judged_project(project, SPLIT)
    assert caller(bob).get(API).status_code == 403
    assert caller(charlie).get(API).status_code == 404
    assert caller(bob).post(f"{API}export/").status_code == 403


def test_api_says_what_cannot_be_chosen_or_not_yet(project: Project, alice: User) -> None:
    client = caller(alice)
    assert client.get(API).status_code == 409
    items(project, 19)
    people = annotators(project, 2)
    judged_round(project, people, [[YES, YES]] * 19, closed=False)
    early = client.get(API)
    assert early.status_code == 409
    problem(early)
    judged_round(project, people, [[YES, NO]] * 19, name="Closed")
    late = client.get(API).json()
    assert late["withheld"] == [{"round": "First", "complete_items": 19}]
    assert late["unanimous"]["value"] == 0
    wrong = client.get(API, {"question": "colour"})
    assert wrong.status_code == 422
    problem(wrong)


def exported(run_job: Callable[[Job], Path]) -> dict[str, str]:
    with ZipFile(run_job(Job.objects.get(kind="export_agreement"))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_export_holds_what_a_paper_needs(
    project: Project, alice: User, enter: Enter, run_job: Callable[[Job], Path]
) -> None:
    judged_project(project, SPLIT)
    response = enter(alice).post("/projects/names/agreement/export/", {"question": "include"})
    assert response.status_code == 302
    files = exported(run_job)
    tables = {"agreement.csv", "ratings.csv", "confusion.csv", "picks.csv"}
    assert set(files) == {"agreement.json", "agreement.tex", *tables}
    include, criteria = json.loads(files["agreement.json"])["questions"]
    assert include["krippendorff_alpha"]["value"] == pytest.approx(8 / 15)
    assert (criteria["level"], criteria["items_used"]) == ("set", 1)
    confusion = list(csv.DictReader(io.StringIO(files["confusion.csv"])))
    assert {(row["value_a"], row["value_b"]): row["items"] for row in confusion if row["question"] == "include"} == {
        ("yes", "yes"): "1", ("yes", "no"): "1", ("no", "no"): "2",
    }  # fmt: skip
    for words in (
        "$\\alpha$ (nominal for ``include'', MASI distance for ``criteria''; Krippendorff, 2004)",
        "Gwet's AC1 and AC2",
        "Weighted forms use 1 $-$ masi distance weights.",
        "Scott's $\\pi$ (Scott, 1955) is over the items that both raters rated.",
        "Wilson for the share of unanimous items",
        "seed 7",
        "Missing ratings were not imputed",
        "numpy",
        "Votes of the independent",
    ):
        assert words in files["agreement.tex"]
    assert not any("rater1@example.org" in text for text in files.values())


def test_exported_ratings_make_the_same_figures_again(
    project: Project, alice: User, run_job: Callable[[Job], Path]
) -> None:
    items(project, 4)
    people = annotators(project, 2)
    judged_round(project, people, SPLIT)
    judged_round(project, people, [[NO, YES], [YES, YES], [NO, None], [YES, YES]], name="Second")
    assert caller(alice).post(f"{API}export/", {}).status_code == 202
    files = exported(run_job)
    wanted = Wanted(Level.NOMINAL, categories=())
    read = dict(read_ratings(io.BytesIO(files["ratings.csv"].encode()), wanted))
    again = measure(read["include"], how=Resampling(resamples=0))
    first = json.loads(files["agreement.json"])["questions"][0]
    assert again.as_dict()["krippendorff_alpha"]["value"] == pytest.approx(first["krippendorff_alpha"]["value"])
    assert (again.items_used, again.ratings) == (first["items_used"], first["ratings"]) == (7, 15)


def test_export_lists_the_comments_that_raters_picked(
    project: Project, alice: User, run_job: Callable[[Job], Path]
) -> None:
    round = judged_project(project, [[YES, None], [YES, YES]], closed=False)
    slot = Assignment.objects.filter(round=round, rater__user__email="rater2@example.org", vote=None).get()
    vote_on(User.objects.get(email="rater2@example.org"), slot, NO, picked=1)
    close_round(round, by=None)
    caller(alice).post(f"{API}export/", {})
    (pick,) = csv.DictReader(io.StringIO(exported(run_job)["picks.csv"]))
    assert (pick["annotator"], pick["comment"], pick["round"]) == ("Rater 2", "1", "First")
    assert pick["item"] == slot.round_item.item.key
    Job.objects.all().delete()
    caller(alice).post(f"{API}export/", {"until": "2020-01-01"})
    assert list(csv.DictReader(io.StringIO(exported(run_job)["picks.csv"]))) == []


def test_export_by_api_takes_a_round(project: Project, alice: User, run_job: Callable[[Job], Path]) -> None:
    items(project, 4)
    people = annotators(project, 2)
    judged_round(project, people, SPLIT)
    judged_round(project, people, [[YES, YES]] * 4, name="Second")
    caller(alice).post(f"{API}export/", {"round": "Second"})
    assert json.loads(exported(run_job)["agreement.json"])["questions"][0]["items"] == 4
    assert caller(alice).post(f"{API}export/", {"round": "Third"}).status_code == 422
    for nonsense in ([1], {"round": ["Second"]}, {"round": None}):
        assert caller(alice).post(f"{API}export/", nonsense).status_code == 400


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    call_command("agreement", *arguments)
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_command_measures_a_project(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    judged_project(project, SPLIT)
    both = printed(capsys, "--project", "names", "--bootstrap", "0")
    assert [one["question"] for one in both] == ["include", "criteria"]
    (one,) = printed(capsys, "--project", "names", "--question", "include", "--round", "First", "--bootstrap", "0")
    assert one["krippendorff_alpha"]["value"] == pytest.approx(8 / 15)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Name a file or --project"),
        (["ratings.csv", "--project", "names"], "Name a file or --project"),
        (["ratings.csv", "--round", "First"], "go with --project"),
        (["--project", "nothing"], "There is no project “nothing”"),
        (["--project", "names"], "Nothing can be measured yet"),
    ],
)
def test_command_says_what_is_wrong(project: Project, arguments: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("agreement", *arguments)
