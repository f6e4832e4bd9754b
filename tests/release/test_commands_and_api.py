"""Releases for scripts: by command and by API."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from labeling.corpus.models import Item, Project
from labeling.people.models import User
from labeling.release.models import Release
from tests.api.test_projects import caller, problem
from tests.release.samples import archive_of, releasable, released, run_job

pytestmark = pytest.mark.django_db
HERE = "/api/v1/projects/names/releases/"


def test_command_writes_a_folder_that_verifies(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    releasable(project)
    out = tmp_path / "out"
    options = {"filter": ["include=yes"], "name": "Rockets", "author": ["A. Author"], "round": ["First"]}
    call_command("release", "names", out=out, **options)
    printed = json.loads(capsys.readouterr().out)
    assert (printed["release"], printed["released"], printed["digest"]) == (1, 6, Release.objects.get().digest)
    assert "A. Author" in (out / "CITATION.cff").read_text()
    call_command("verify_release", str(out))
    with pytest.raises(CommandError, match="already and not empty"):
        call_command("release", "names", out=out)
    assert Release.objects.count() == 1


def test_next_release_is_called_as_the_one_before(project: Project, tmp_path: Path) -> None:
    releasable(project)
    released(project, name="Rockets", authors="A. Author")
    call_command("release", "names", out=tmp_path / "out")
    assert Release.objects.get(number=2).name == "Rockets"
    assert "A. Author" in (tmp_path / "out/CITATION.cff").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"project": "nothing"}, "no project"),
        ({"filter": ["include"]}, "has no option"),
        ({"round": ["Third"]}, "no round “Third”"),
        ({"name": ""}, "name: is empty"),
    ],
)
def test_command_refuses_in_words(project: Project, tmp_path: Path, options: dict[str, str], said: str) -> None:
    releasable(project)
    with pytest.raises(CommandError, match=said):
        call_command("release", options.pop("project", "names"), out=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_command_fails_while_a_finding_waits(project: Project, tmp_path: Path) -> None:
    releasable(project)
    item = project.items.get(key="rocket-000")
    Item.objects.filter(pk=item.pk).update(payload={**item.payload, "body_before": "void load0() { load0(); }"})
    with pytest.raises(CommandError, match="1 findings wait for an answer"):
        call_command("release", "names", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_script_looks_answers_releases_and_downloads(project: Project, alice: User) -> None:
    releasable(project)
    item = project.items.get(key="rocket-000")
    Item.objects.filter(pk=item.pk).update(payload={**item.payload, "body_before": "void load0() { load0(); }"})
    client = caller(alice)
    found = client.get(f"{HERE}guards/?filter=include%3Dyes").json()
    assert (found["items"]["released"], found["found"]) == (6, 1)
    about = {"guard": "name_in_body", "item": "rocket-000", "about": "load0 still in the body", "answer": None}
    assert found["findings"] == [about]
    sent = {"guard": "name_in_body", "reason": "It calls itself."}
    assert client.post(f"{HERE}guards/answer/", sent).json() == {"answered": 1}
    client.post(f"{HERE}guards/withdraw/", {"guard": "name_in_body", "item": "rocket-000"})
    client.post(f"{HERE}guards/answer/", {**sent, "items": ["rocket-000"], "leave_out": True})
    made = client.post(HERE, {"filters": ["include=yes"], "name": "Rockets"})
    assert (made.status_code, made.json()["release"], made.json()["state"]) == (202, 1, "queued")
    assert client.get(f"{HERE}1/download/").status_code == 409
    run_job(project.jobs.get(pk=made.json()["id"]))
    assert [one["number"] for one in client.get(HERE).json()["results"]] == [1]
    whole = client.get(f"{HERE}1/").json()
    assert whole["statistics"]["items"]["released"] == 5
    assert whole["manifest"]["waivers"][0]["leave_out"]
    got = client.get(f"{HERE}1/download/")
    assert b"".join(got.streaming_content) == archive_of(Release.objects.get()).read_bytes()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("", {"filters": ["colour=red"]}),
        ("", {"rounds": ["Third"]}),
        ("", {"name": "x" * 201}),
        ("guards/answer/", {"guard": "colour", "reason": "x"}),
        ("guards/answer/", {"guard": "typo", "reason": "x"}),
        ("guards/answer/", {"guard": "typo", "items": ["nothing"], "reason": "x"}),
    ],
)
def test_bad_calls_are_refused_in_words(project: Project, alice: User, path: str, sent: dict[str, object]) -> None:
    releasable(project)
    response = caller(alice).post(HERE + path, sent)
    assert response.status_code in {400, 422}
    problem(response)
    assert not Release.objects.exists()


def test_annotator_reads_no_release(project: Project, bob: User) -> None:
    releasable(project)
    released(project)
    for path in ("", "1/", "1/download/", "guards/"):
        assert caller(bob).get(HERE + path).status_code == 403
