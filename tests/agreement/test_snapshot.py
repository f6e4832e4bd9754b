"""Votes that come in while an export is being written are in all of its files or in none."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.db import DatabaseError, connection

from labeling.agreement import exporting
from labeling.agreement.exporting import start_export
from labeling.agreement.snapshots import snapshot
from labeling.agreement.votes import grouped_rows
from labeling.annotation.models import Assignment, Vote
from labeling.corpus.models import Project
from labeling.jobs.models import Job
from labeling.people.models import User
from tests.agreement.projects import NO, YES, judged_project, selected
from tests.annotation.samples import vote_on


def in_a_thread(act: Callable[[], object]) -> None:
    def apart() -> None:
        with closing(connection):
            act()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(apart).result(30)


def test_export_is_of_one_moment(
    transactional_db: None, project: Project, run_job: Callable[[Job], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    round = judged_project(project, [*[[YES, YES]] * 20, [YES, None]], closed=False)
    last = Assignment.objects.get(round=round, vote=None)
    second = User.objects.get(email="rater2@example.org")

    def read_and_let_somebody_vote(*given: Any) -> Any:
        found = grouped_rows(*given)
        if Vote.objects.count() < 42 and not cast:
            cast.append(True)
            in_a_thread(lambda: vote_on(second, last, NO))
        return found

    cast: list[bool] = []
    monkeypatch.setattr(exporting, "grouped_rows", read_and_let_somebody_vote)
    job = start_export(selected(project), by=None)
    with ZipFile(run_job(job)) as archive:
        figures = json.loads(archive.read("agreement.json"))["questions"]
        ratings = list(csv.DictReader(io.StringIO(archive.read("ratings.csv").decode())))
    assert cast
    assert Vote.objects.count() == 42
    assert [one["items"] for one in figures] == [20, 20]
    assert len({row["item"] for row in ratings}) == 20
    assert selected(project).items_over == 21


def test_nothing_is_seen_inside_that_came_after_the_first_look(transactional_db: None, project: Project) -> None:
    def rename() -> None:
        Project.objects.filter(pk=project.pk).update(name="Other")

    with snapshot():
        before = Project.objects.get().name
        in_a_thread(rename)
        assert Project.objects.get().name == before
    assert Project.objects.get().name == "Other"


def test_nothing_is_written_inside_on_postgresql(transactional_db: None, project: Project) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no such transactions")
    with pytest.raises(DatabaseError, match="read-only"), snapshot():
        Project.objects.update(name="Other")
