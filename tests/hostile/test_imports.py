"""Whatever is in a file, an import refuses it in words or takes it whole: no fault of ours, nothing half stored."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from hypothesis import given, strategies as st

from labeling import tasks
from labeling.annotation.models import Protocol
from labeling.corpus.models import Item, Project, Upload
from labeling.jobs import running
from labeling.jobs.models import Job, State
from labeling.people.models import Activity, User
from labeling.release.packing import MANIFEST
from labeling.study.editing import create_study
from labeling.study.models import Method, Name
from tests.corpus.samples import review_rename
from tests.hostile.corrupting import TIMES, corrupted, tries
from tests.release.samples import archive_of, releasable, released
from tests.servers import ROOT
from tests.study.designs import SMALL, item, names

Enter = Callable[[User], Client]
BROKEN = "Something broke on our side"
pytestmark = pytest.mark.timeout(3600 if TIMES > 1 else 180)


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def sheet(rows: list[dict[str, Any]]) -> bytes:
    text = StringIO()
    writer = csv.DictWriter(text, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


FLAT = [{name: review_rename(number)[name] for name in ("buggy_name", "fixed_name", "body_before", "repository")}
        for number in range(1, 9)]  # fmt: skip
ITEMS = {"jsonl": jsonl([review_rename(number) for number in range(1, 9)]), "csv": sheet(FLAT)}


class Undone:
    """Whatever happens inside never was."""

    def __enter__(self) -> None:
        self.atomic = transaction.atomic()
        self.atomic.__enter__()

    def __exit__(self, *error: Any) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(*error)


@pytest.mark.parametrize("form", ITEMS)
@pytest.mark.parametrize("careful", [True, False])
def test_items(project: Project, alice: User, enter: Enter, form: str, careful: bool) -> None:
    client = enter(alice)

    @tries(25)
    @given(content=corrupted(ITEMS[form]))
    def bring(content: bytes) -> None:
        with Undone():
            file = SimpleUploadedFile(f"items.{form}", content)
            response = client.post("/projects/names/items/upload/", {"file": file})
            assert response.status_code in ({302} if content else {422})
            if content:
                imported(client, response["Location"], careful)

    bring()


def imported(client: Client, page: str, careful: bool) -> None:
    shown = client.get(page)
    assert shown.status_code == 200
    columns = {name: field.initial or "" for name, field in shown.context["form"].fields.items() if "column" in name}
    started = client.post(page, {**columns, "all_or_nothing": "on"} if careful else columns)
    assert started.status_code in {302, 422}
    job = Job.objects.filter(kind="import_items").order_by("-pk").first()
    if started.status_code == 422 or job is None:
        assert not Item.objects.exists()
        return
    running.run(job.pk, tasks.WORK)
    job.refresh_from_db()
    assert job.state in {State.FINISHED, State.FAILED}
    assert BROKEN not in job.error
    assert Item.objects.count() == job.result.get("outcome", {}).get("new", 0) * (
        job.state == State.FINISHED or not careful
    )
    for url in ("/projects/names/items/", f"/projects/names/jobs/{job.pk}/"):
        assert client.get(url).status_code == 200
    if found := Item.objects.first():
        assert client.get(f"/projects/names/items/{found.pk}/").status_code == 200


@tries(60)
@given(content=st.sampled_from(sorted((ROOT / "labeling/annotation/protocols/builtin").glob("*.yaml"))).flatmap(
    lambda path: corrupted(path.read_bytes())))  # fmt: skip
def bring_protocol(client: Client, content: bytes) -> None:
    with Undone():
        file = SimpleUploadedFile("protocol.yaml", content)
        response = client.post("/projects/names/protocols/new/", {"from": "file", "file": file})
        assert response.status_code in {302, 422}
        assert Protocol.objects.count() == (response.status_code == 302)
        if response.status_code == 302:
            assert client.get(response["Location"]).status_code == 200


def test_protocols(project: Project, alice: User, enter: Enter) -> None:
    bring_protocol(enter(alice))


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_names_of_a_study(project: Project, alice: User, enter: Enter, form: str) -> None:
    study = create_study(project, name="Names", design=SMALL, seed=7, by=alice)
    client = enter(alice)
    write = {"jsonl": jsonl, "csv": sheet}[form]
    methods = [item(number) for number in range(6)]
    whole = {"items": write(methods), "names": write([row for number in range(6) for row in names(number)])}
    lines = Activity.objects.count()

    @tries(25)
    @given(which=st.sampled_from(["items", "names"]), data=st.data())
    def bring(which: str, data: st.DataObject) -> None:
        files = {**whole, which: data.draw(corrupted(whole[which]))}
        with Undone():
            sent = {name: SimpleUploadedFile(f"{name}.{form}", content) for name, content in files.items()}
            origins = "buggy: Buggy\nfixed: Fixed\ncognac: Cognac\ngtnm: GTNM"
            response = client.post(
                f"/projects/names/studies/{study.pk}/material/", {"source": "file", "origins": origins, **sent}
            )
            assert response.status_code in {200, 302, 422}
            taken = response.status_code == 302
            assert Method.objects.exists() == taken
            assert taken or not Name.objects.exists()
            assert (Activity.objects.count() > lines) == taken
            if taken:
                assert client.get(response["Location"]).status_code == 200

    bring()


def kept_files() -> set[Path]:
    return set((Path(settings.MEDIA_ROOT) / "releases").glob("*"))


class Released:
    """Sends a release back, and sees that all of it came in or nothing."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.before = (Project.objects.count(), User.objects.count(), Upload.objects.count())
        self.files = kept_files()

    def send(self, content: bytes) -> int:
        with Undone():
            file = SimpleUploadedFile("release.zip", content)
            response = self.client.post("/import-release/", {"file": file, "slug": "again", "name": ""})
            assert response.status_code in {302, 409, 422}
            if response.status_code != 302:
                assert (Project.objects.count(), User.objects.count(), Upload.objects.count()) == self.before
                assert kept_files() == self.files
        for left in kept_files() - self.files:
            left.unlink()
        return response.status_code


def mended(files: dict[str, bytes], changed: str) -> dict[str, bytes]:
    """With a manifest that fits the file that was changed."""
    if changed == MANIFEST:
        return files
    manifest = json.loads(files[MANIFEST])
    for entry in manifest["files"]:
        data = files[entry["path"]]
        entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {**files, MANIFEST: json.dumps(manifest).encode()}


def packed(files: dict[str, bytes]) -> bytes:
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


def test_releases(project: Project, alice: User, enter: Enter) -> None:
    """Harmed as a file, and harmed inside with a manifest that was mended to fit."""
    releasable(project)
    archive = archive_of(released(project))
    sender = Released(enter(alice))
    assert sender.send(archive.read_bytes()) == 302
    with ZipFile(archive) as whole:
        inside = {name: whole.read(name) for name in whole.namelist()}
    tables = sorted(name for name in inside if name.endswith((".csv", ".json", ".jsonl", ".yaml")))

    @tries(30)
    @given(content=corrupted(archive.read_bytes()))
    def bring(content: bytes) -> None:
        sender.send(content)

    @tries(60)
    @given(name=st.sampled_from(tables), data=st.data())
    def bring_forged(name: str, data: st.DataObject) -> None:
        sender.send(packed(mended({**inside, name: data.draw(corrupted(inside[name]))}, name)))

    bring()
    bring_forged()


def test_archive_of_anything(project: Project, alice: User, enter: Enter) -> None:
    """A ZIP with any names and contents, as somebody would make it who knows only that it is a ZIP."""
    sender = Released(enter(alice))
    entry = st.tuples(st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=30), st.binary(max_size=50))

    @tries(25)
    @given(entries=st.lists(entry, max_size=4))
    def bring(entries: list[tuple[str, bytes]]) -> None:
        files = {name.encode("utf-8", "replace").decode(): data for name, data in entries}
        assert sender.send(packed(files)) == 422

    bring()


def test_votes_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ratings.csv"
    whole = b"item,annotator,value\n" + b"".join(
        f"{number},{name},{'xy'[number % 2]}\n".encode() for number in range(9) for name in ("ann", "bob")
    )

    @tries(80)
    @given(content=corrupted(whole), level=st.sampled_from(["nominal", "ordinal", "interval", "ratio", "set"]))
    def measure(content: bytes, level: str) -> None:
        file.write_bytes(content)
        try:
            call_command("agreement", str(file), "--bootstrap", "0", "--level", level)
        except CommandError:
            return
        for line in capsys.readouterr().out.splitlines():
            json.loads(line, parse_constant=pytest.fail)

    measure()
