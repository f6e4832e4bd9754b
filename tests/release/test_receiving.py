"""A release that is uploaded, by page or API: at once when it is small, by a job when it is large, or refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from labeling.corpus.models import Project
from labeling.jobs.models import State
from labeling.people.models import User
from labeling.release import receiving
from tests.api.test_projects import caller, problem
from tests.release.forging import forged
from tests.release.samples import archive_of, releasable, released, rocket, run_job

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]
HERE = "/api/v1/import-release/"


def upload(project: Project) -> SimpleUploadedFile:
    releasable(project)
    return SimpleUploadedFile("rockets.zip", archive_of(released(project)).read_bytes())


def send(client: APIClient, file: SimpleUploadedFile, **more: str) -> Any:
    file.seek(0)
    return client.post(HERE, {"file": file, "slug": "copy", **more}, format="multipart")


def test_release_is_brought_in_by_its_page(project: Project, alice: User, bob: User, enter: Enter) -> None:
    releasable(project)
    data = archive_of(released(project)).read_bytes()
    client = enter(alice)
    file = SimpleUploadedFile("r.zip", data)
    response = client.post(reverse("release:import"), {"file": file, "slug": "copy"})
    assert response["Location"] == "/projects/copy/"
    assert Project.objects.get(slug="copy").name == "Rockets"
    broken = client.post(reverse("release:import"), {"file": SimpleUploadedFile("r.zip", data[:900]), "slug": "other"})
    assert broken.status_code == 422
    assert "cut short or damaged" in broken.text
    assert not Project.objects.filter(slug="other").exists()
    assert enter(bob).get(reverse("release:import")).status_code == 403
    taken = client.post(reverse("release:import"), {"file": SimpleUploadedFile("r.zip", data), "slug": "copy"})
    assert "already has the address" in taken.text


def test_file_that_is_too_large_is_sent_to_the_command(
    project: Project, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "LARGEST", 3)
    response = send(caller(alice), upload(project))
    assert "manage.py import_release" in problem(response)["detail"]
    assert not Project.objects.filter(slug="copy").exists()


def test_script_brings_in_a_small_release_at_once(project: Project, alice: User) -> None:
    response = send(caller(alice), upload(project), name="A copy")
    assert (response.status_code, response.json()) == (201, {"project": "copy", "job": None})
    assert Project.objects.get(slug="copy").items.count() == 8


def test_large_release_is_brought_in_by_a_job(
    project: Project, alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "MOST_AT_ONCE", 3)
    file = upload(project)
    response = send(caller(alice), file)
    assert (response.status_code, response.json()["job"]["state"]) == (202, "queued")
    copy = Project.objects.get(slug="copy")
    assert not copy.items.exists()
    job = run_job(copy.jobs.get())
    assert (job.state, job.result) == (State.FINISHED, {"project": "copy", "items": 8, "rounds": 1, "raters": 4})
    assert archive_of(released(copy)).read_bytes() == archive_of(project.releases.get()).read_bytes()
    file.seek(0)
    page = enter(alice).post(reverse("release:import"), {"file": file, "slug": "third"})
    assert page["Location"].startswith("/projects/third/jobs/")


def test_job_that_cannot_read_it_leaves_an_empty_project_and_says_why(
    project: Project, alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "MOST_AT_ONCE", 3)
    upload(project)
    path = forged(archive_of(project.releases.get()), tmp_path, "cases.csv", lambda text: text.replace("why", "how"))
    send(caller(alice), SimpleUploadedFile("r.zip", path.read_bytes()))
    copy = Project.objects.get(slug="copy")
    job = run_job(copy.jobs.get())
    assert (job.state, job.error) == (State.FAILED, "This release cannot be read: KeyError, 'why'.")
    assert not copy.items.exists()
    assert not copy.rounds.exists()


def test_project_that_was_filled_meanwhile_is_left_as_it_is(
    project: Project, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "MOST_AT_ONCE", 3)
    send(caller(alice), upload(project))
    copy = Project.objects.get(slug="copy")
    rocket(copy, 1).save()
    job = run_job(copy.jobs.get())
    assert "something else was put into the project" in job.error
    assert copy.items.count() == 1


def test_upload_that_is_refused_leaves_no_project_and_no_file(project: Project, alice: User, bob: User) -> None:
    file = upload(project)
    kept = sorted(archive_of(project.releases.get()).parent.iterdir())
    broken = SimpleUploadedFile("r.zip", file.read()[:900])
    for client, sent, said in (
        (caller(alice), {"file": broken}, "cut short or damaged"),
        (caller(alice), {}, "file"),
        (caller(alice), {"file": file, "slug": "a b"}, "slug"),
        (caller(alice), {"file": file, "slug": "names"}, "already has the address"),
        (caller(bob), {"file": file}, "cannot start projects"),
    ):
        broken.seek(0)
        file.seek(0)
        response = client.post(HERE, {"slug": "copy", **sent}, format="multipart")
        assert response.status_code in {400, 403, 422}
        assert said in problem(response)["detail"] + str(response.json())
    assert not Project.objects.filter(slug="copy").exists()
    assert sorted(archive_of(project.releases.get()).parent.iterdir()) == kept
