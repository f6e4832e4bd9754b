"""`bin/backup` and `bin/restore`, as an operator runs them, on the engine of the pass."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from django.db import connection

from annotator.archive import ArchiveError, Manifest, checked, writing
from tests.running.conftest import Install, Installation
from tests.servers import ROOT

SOMETHING = """
from labeling.models import Project, User
from labeling.people.invitations import add_member
from tests.annotation.samples import items, opened_round
from tests.release.samples import releasable, released
project = Project.objects.create(name="Names", slug="names")
releasable(project)
released(project)
judging = Project.objects.create(name="Judging", slug="judging")
items(judging, 300)
rater = User.objects.get(email="rater1@example.org")
add_member(judging, user=rater, role="annotator", by=None)
opened_round(judging, [rater], votes=1)
"""
SOUND = """
from labeling.models import Round, Vote
from tests.annotation.samples import assert_sound
round = Round.objects.get(project__slug="judging")
assert_sound(round)
print(Vote.objects.filter(assignment__round=round).count())
"""


@pytest.fixture(scope="module")
def filled(install: Install) -> Installation:
    made = install("filled")
    made.manage("migrate", "--verbosity=0")
    made.manage("shell", "-v0", "-c", SOMETHING)
    (made.var / "files" / "some").mkdir(parents=True, exist_ok=True)
    (made.var / "files" / "some" / "upload.csv").write_bytes(b"item,name\r\n\x00\xff")
    return made


def test_a_restored_installation_is_the_one_that_was_backed_up(
    filled: Installation, install: Install, tmp_path: Path
) -> None:
    archive = tmp_path / "all.backup"
    done = filled.backup(archive)
    assert done.returncode == 0, done.stderr
    assert archive.stat().st_mode & 0o077 == 0
    assert not list(tmp_path.glob("*.partial"))

    second = install("second")
    done = second.restore(archive)
    assert done.returncode == 0, done.stderr
    assert second.content() == filled.content()
    assert (second.var / "files" / "some" / "upload.csv").read_bytes() == b"item,name\r\n\x00\xff"
    assert (second.var / "secret_key").read_text() == (filled.var / "secret_key").read_text()
    second.manage("makemigrations", "--check", "--dry-run")
    assert released_again(second, tmp_path / "there") == released_again(filled, tmp_path / "here")
    # New rows get ids that nobody has.
    second.manage("shell", "-c", "from labeling.models import User; User.objects.create_user('new@example.org')")

    for refused, sentence in [(second.restore(archive), "there is an installation here already"),
                              (filled.backup(archive), "exists. Choose another name")]:  # fmt: skip
        assert refused.returncode != 0
        assert sentence in refused.stderr
        assert "Traceback" not in refused.stderr


def released_again(installation: Installation, folder: Path) -> dict[str, bytes]:
    """Every byte of the next release, and of the archives of all releases."""
    installation.manage("release", "names", "--out", str(folder))
    written = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    archives = sorted(path.read_bytes() for path in (installation.var / "files" / "releases").glob("*.zip"))
    assert len(archives) == 2
    return {**written, **{f"archive {place}": content for place, content in enumerate(archives)}}


def test_a_backup_of_another_engine_is_refused(filled: Installation, tmp_path: Path) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("there is no PostgreSQL in this pass")
    archive = tmp_path / "all.backup"
    assert filled.backup(archive).returncode == 0
    other = Installation(tmp_path / "other", f"sqlite:///{tmp_path / 'other' / 'db.sqlite3'}")
    other.var.mkdir()
    done = other.restore(archive)
    assert done.returncode != 0
    assert "this backup is of PostgreSQL, and the database here is SQLite" in done.stderr


def test_a_backup_sees_one_instant_while_others_write(filled: Installation, install: Install, tmp_path: Path) -> None:
    writer = """
import sys, time
from django.db import transaction
from labeling.models import Activity, Project, Round, Upload, User
from tests.annotation.samples import judge
project, user = Project.objects.first(), User.objects.get(email="rater1@example.org")
round = Round.objects.get(project__slug="judging")
judge(user, round)
print("writing", flush=True)
while True:
    judge(user, round)
    with transaction.atomic():
        Activity.objects.create(project=project, verb="pair")
        Upload.objects.create(project=project, uploaded_by=user, name="pair", file="x")
"""
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", writer]
    with subprocess.Popen(command, env=filled.settings(), cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "writing\n"
        done = filled.backup(tmp_path / "busy.backup")
        assert process.poll() is None
        process.kill()
    assert done.returncode == 0, done.stderr
    second = install("third")
    assert second.restore(tmp_path / "busy.backup").returncode == 0
    content = second.content()
    pairs = sum("'pair'" in row for row in content["labeling_activity"])
    assert pairs == sum("'pair'" in row for row in content["labeling_upload"])
    assert pairs > 0
    assert int(second.manage("shell", "-v0", "-c", SOUND)) > 0


def test_a_damaged_archive_is_refused_and_nothing_restored(
    filled: Installation, install: Install, tmp_path: Path
) -> None:
    whole = tmp_path / "whole.backup"
    assert filled.backup(whole).returncode == 0
    content = whole.read_bytes()
    second = install("fourth")
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 0xFF
    odd = tmp_path / "odd.backup"
    with tarfile.open(odd, "w") as tar:
        tar.add(whole, "../escaped")
    broken = {
        "flipped": (bytes(flipped), "damaged"),
        "cut": (content[: len(content) * 2 // 3], "damaged"),
        "empty": (b"", "damaged or no backup"),
        "zip": (b"PK\x03\x04 nonsense", "damaged or no backup"),
        "odd": (odd.read_bytes(), "it contains “../escaped”"),
    }
    for name, (data, sentence) in broken.items():
        path = tmp_path / f"{name}.bad"
        path.write_bytes(data)
        done = second.restore(path)
        assert done.returncode != 0
        assert sentence in done.stderr, name
        assert "Traceback" not in done.stderr
    assert second.restore(tmp_path / "nowhere").stderr.startswith("annotator: cannot read")
    assert not (tmp_path / "escaped").exists()
    assert second.restore(whole).returncode == 0


def test_a_restore_that_cannot_write_leaves_nothing_behind(
    filled: Installation, install: Install, tmp_path: Path
) -> None:
    archive = tmp_path / "all.backup"
    assert filled.backup(archive).returncode == 0
    second = install("fifth")
    (second.var / "secret_key").mkdir()  # where a file should go, after all others
    done = second.run("env", f"SECRET_KEY={'x' * 50}", str(ROOT / "bin" / "restore"), str(archive))
    assert done.returncode != 0
    assert done.stderr.startswith("annotator: cannot write")
    assert not (second.var / "files").exists()
    (second.var / "secret_key").rmdir()
    done = second.restore(archive)
    assert done.returncode == 0, done.stderr
    assert second.content() == filled.content()


def test_of_two_backups_under_one_name_the_first_to_be_whole_stays(tmp_path: Path) -> None:
    path, note = tmp_path / "daily.backup", tmp_path / "note"
    note.write_text("words" * 10_000)
    slow, quick = (Manifest(engine="sqlite", migrations=[], rows={}) for _ in range(2))
    with pytest.raises(ArchiveError, match="exists"):
        write_around(path, note, slow, quick)
    assert checked(path).members == quick.members
    assert sorted(tmp_path.iterdir()) == [path, note]


def write_around(path: Path, note: Path, slow: Manifest, quick: Manifest) -> None:
    """One begins before the other and ends after it."""
    with writing(path, slow) as one:
        with writing(path, quick) as two, note.open("rb") as source:
            two.add("files/note", source)
        with note.open("rb") as source:
            one.add("files/other", source)
