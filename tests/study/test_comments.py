"""What participants write: who may read it, when, beside what, and how it goes away again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from labeling.corpus.models import Project
from labeling.jobs.files import made_file
from labeling.jobs.models import Job
from labeling.jobs.running import JobError
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from labeling.refusals import Refusal
from labeling.spreadsheets import restore
from labeling.study.freezing import unblind_study
from labeling.study.models import Study
from labeling.study.results import exporting
from labeling.study.results.comments import comments_of
from labeling.study.results.exporting import start_export
from labeling.study.results.gathering import gather_study
from labeling.study.taking.leaving import forget_expired, withdraw
from labeling.study.taking.models import Page
from tests.api.test_projects import caller, problem
from tests.study.finished import answered, closed, computed, leave

Enter = Callable[[User], Client]
RunJob = Callable[[Job], Path]
API = "/api/v1/projects/names/studies/"
WORDS = ["=2+2 is how fetch3 begins", "As Ada of Acme I say: no"]


def page_of(study: Study) -> str:
    return f"/projects/names/studies/{study.pk}/results/"


def comment(study: Study) -> None:
    """Two comments of the first participant, the later page's first in the alphabet; all wrote “No.” at the end."""
    pages = Page.objects.filter(participant__study=study, participant__number=1)
    for page, words in zip(pages.order_by("-position"), WORDS, strict=True):
        Page.objects.filter(pk=page.pk).update(comment=words)


def commented(project: Project, by: User | None = None) -> Study:
    study = closed(project, by)
    comment(study)
    computed(study)
    return study


def archive_of(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows_of(content: str) -> list[dict[str, str]]:
    return [
        {key: restore(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(content, newline=""))
    ]


def test_comments_wait_until_the_study_is_closed(
    project: Project, alice: User, enter: Enter, capsys: pytest.CaptureFixture[str]
) -> None:
    study = answered(project, alice, finished=1)
    comment(study)
    computed(study)
    page = enter(alice).get(page_of(study)).text
    assert "can be read once the study is closed" in page
    assert "Make the files with comments" not in page
    assert not any(words in page for words in WORDS)
    response = caller(alice).get(f"{API}{study.pk}/results/comments/")
    assert response.status_code == 409
    assert "once the study is closed" in problem(response)["detail"]
    assert caller(alice).post(f"{API}{study.pk}/results/export/", {"with_comments": True}).status_code == 409
    assert enter(alice).post(f"{page_of(study)}export/", {"with_comments": "1"}).status_code == 409
    with pytest.raises(CommandError, match="once the study is closed"):
        call_command("study_results", str(study.pk), "--format", "comments")
    assert not Job.objects.filter(kind="export_study").exists()


def test_masked_comments_stand_beside_nothing_and_unblinded_ones_say_on_what(project: Project, alice: User) -> None:
    study = commented(project, alice)
    masked = comments_of(study)
    assert [one.text for one in masked] == ["No."] * 3 + sorted(WORDS)
    assert {(one.participant, one.page, one.method) for one in masked} == {("", None, "")}
    told = comments_of(unblind_study(study, by=alice))
    assert [(one.text, one.participant, one.page) for one in told] == [
        (WORDS[1], "P1", 1), (WORDS[0], "P1", 2), ("No.", "P1", None), ("No.", "P2", None), ("No.", "P3", None),
    ]  # fmt: skip
    keys = dict(Page.objects.filter(participant__number=1).values_list("position", "method__key"))
    assert [one.method for one in told[:2]] == [keys[1], keys[2]]


def test_page_api_and_command_tell_the_same_to_coordinators_alone(
    project: Project, alice: User, charlie: User, enter: Enter, capsys: pytest.CaptureFixture[str]
) -> None:
    study = commented(project, alice)
    unblind_study(study, by=alice)
    computed(study)
    page = enter(alice).get(page_of(study)).text
    assert "5 texts of those who count" in page
    assert "P1, method 2" in page
    assert "Could you guess where some of the names came from?" in page
    found = caller(alice).get(f"{API}{study.pk}/results/comments/").json()
    assert [one["comment"] for one in found if one["about"] == "method"] == WORDS[::-1]
    capsys.readouterr()
    call_command("study_results", str(study.pk), "--format", "comments")
    rows = rows_of(capsys.readouterr().out)
    assert [[row["participant"], row["page"], row["comment"]] for row in rows] == [
        [one["participant"], str(one["page"] or ""), one["comment"]] for one in found
    ]
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    seen = enter(charlie).get(page_of(study)).text
    assert "Yes and no by origin" in seen
    assert "In their own words" not in seen
    assert not any(words in seen for words in [*WORDS, "No."])
    assert caller(charlie).get(f"{API}{study.pk}/results/comments/").status_code == 403


def test_files_hold_comments_only_when_they_are_asked_for(project: Project, alice: User, run_job: RunJob) -> None:
    study = commented(project, alice)
    plain = archive_of(run_job(start_export(study, by=alice)))
    assert "comments.csv" not in plain
    assert not any(words.encode() in content for words in WORDS for content in plain.values())
    files = archive_of(run_job(start_export(study, with_comments=True, by=alice)))
    assert b"'=2+2" in files["comments.csv"]
    rows = rows_of(files["comments.csv"].decode())
    assert {(row["participant"], row["page"], row["method"]) for row in rows} == {("", "", "")}
    assert set(json.loads(files["codebook.json"])["files"]["comments.csv"]) == set(rows[0])
    assert b"comments.csv" in files["README.txt"]
    assert b"comments.csv" not in plain["README.txt"]
    others = {name: content for name, content in files.items() if name not in {"README.txt", "codebook.json"}}
    assert not any(
        words.encode() in content for words in WORDS for name, content in others.items() if name != "comments.csv"
    )


def test_who_does_not_count_is_not_quoted_and_who_withdrew_is_gone(project: Project, alice: User) -> None:
    study = closed(project, alice)
    comment(study)
    study.participants.filter(number=2).update(step="revoked")
    assert {one.participant for one in comments_of(unblind_study(study, by=alice))} == {"P1", "P3"}
    study.refresh_from_db()
    withdraw(study.participants.get(number=1), "delete")
    assert [one.participant for one in comments_of(study)] == ["P3"]


def test_comments_of_a_pilot_can_be_read_while_it_runs(project: Project, alice: User) -> None:
    from labeling.study.fieldwork.inviting import invite_many
    from labeling.study.freezing import start_pilot
    from tests.study.designs import planned
    from tests.study.driving import Opinionated
    from tests.study.finished import opinion

    study = planned(project, alice)
    with pytest.raises(Refusal, match="once there was a pilot"):
        comments_of(study, stage="pilot")
    start_pilot(study, by=alice)
    study.refresh_from_db()
    taker = Opinionated(study, invite_many(study, labels=[""], stage="pilot", by=alice)[0].link)
    taker.judge_pages(opinion(1))
    taker.finish()
    assert [one.text for one in comments_of(study, stage="pilot")] == ["No."]


@pytest.mark.django_db(transaction=True)
def test_files_that_were_made_before_go_with_whoever_is_deleted_or_forgotten(
    project: Project, alice: User, run_job: RunJob
) -> None:
    study = commented(project, alice)
    for forget in (lambda: withdraw(study.participants.get(number=1), "delete"), long_ago(study)):
        path = run_job(start_export(study, with_comments=True, by=alice))
        assert path.is_file()
        forget()
        assert not path.exists()
        assert made_file(Job.objects.filter(kind="export_study").latest("pk")) is None


def long_ago(study: Study) -> Callable[[], Any]:
    def forget() -> None:
        study.participants.filter(number=2).update(started_at=timezone.now() - timedelta(days=800))
        assert forget_expired() == 1

    return forget


def test_files_under_way_are_not_kept_when_somebody_is_deleted_meanwhile(project: Project, alice: User) -> None:
    study = answered(project, alice, finished=1)
    leave(study, "keep")
    gathered = gather_study(study)
    exporting.require_nobody_left(gathered)
    withdraw(study.participants.get(number=2), "delete")
    with pytest.raises(JobError, match="had their answers deleted while the files were made"):
        exporting.require_nobody_left(gathered)
