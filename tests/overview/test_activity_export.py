from __future__ import annotations

import csv
from collections.abc import Callable

import pytest
from django.test import Client

from labeling import tasks
from labeling.corpus.models import Project
from labeling.jobs import running
from labeling.jobs.files import made_file
from labeling.jobs.models import Job
from labeling.overview import exporting
from labeling.people.activity import record
from labeling.people.models import User
from labeling.spreadsheets import neutralise, restore


def test_export_gives_every_line_once_oldest_first(
    project: Project, alice: User, enter: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "BATCH", 3)
    for number in range(10):
        record(project, by=alice, verb="tested", subject=f"=cmd {number}", number=number)
    response = enter(alice).post("/projects/names/activity/export/")
    job = Job.objects.get()
    assert response["Location"] == f"/projects/names/jobs/{job.pk}/"
    running.run(job.pk, tasks.WORK)
    job.refresh_from_db()
    path = made_file(job)
    assert path is not None
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    ids = [int(row["id"]) for row in rows]
    assert ids == sorted(set(ids))
    assert [restore(row["subject"]) for row in rows if row["verb"] == "tested"] == [f"=cmd {n}" for n in range(10)]
    assert job.result == {"file": "activity.csv", "rows": len(rows)}


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "'quoted", "''twice", "plain", ""])
def test_cell_that_could_run_is_neutralised_and_comes_back(cell: str) -> None:
    assert neutralise(cell)[:1] not in {"=", "+", "-", "@", "\t", "\r"}
    assert restore(neutralise(cell)) == cell
