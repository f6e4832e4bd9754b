"""A release that was changed, cut short or made to harm is told from one that is whole."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.core.management import CommandError, call_command

from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.refusals import Invalid
from labeling.release import verifying
from labeling.release.importing import import_release
from labeling.release.verifying import verify
from tests.release.samples import archive_of, releasable, released

pytestmark = pytest.mark.django_db


@pytest.fixture
def archive(project: Project, tmp_path: Path) -> Path:
    releasable(project)
    return Path(shutil.copyfile(archive_of(released(project)), tmp_path / "release.zip"))


def repacked(archive: Path, change: Callable[[dict[str, bytes]], object], compression: int = 0) -> Path:
    """The same with other files in it, as a ZIP that is whole."""
    with ZipFile(archive) as source:
        files = {name: source.read(name) for name in source.namelist()}
    change(files)
    with ZipFile(archive, "w", compression) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return archive


def test_release_that_is_whole_is_told_so(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("verify_release", str(archive))
    assert "files are as they were made" in capsys.readouterr().out
    with ZipFile(archive) as source:
        source.extractall(tmp_path / "folder")
    call_command("verify_release", str(tmp_path / "folder"))


def changed(files: dict[str, bytes]) -> None:
    files["votes.csv"] = files["votes.csv"].replace(b"yes", b"yea", 1)


def longer(files: dict[str, bytes]) -> None:
    files["votes.csv"] += b"x"


def without(files: dict[str, bytes]) -> None:
    del files["votes.csv"]


def with_more(files: dict[str, bytes]) -> None:
    files["evil.exe"] = b"x"


def other_rows(files: dict[str, bytes]) -> None:
    manifest = json.loads(files["manifest.json"])
    next(entry for entry in manifest["files"] if entry["path"] == "votes.csv")["rows"] = 5
    files["manifest.json"] = json.dumps(manifest).encode()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed, "votes.csv: was changed"),
        (longer, "votes.csv: has .* bytes, the manifest says"),
        (without, "votes.csv: is missing"),
        (with_more, "evil.exe: is not in the manifest"),
        (other_rows, "votes.csv: has 24 rows, the manifest says 5"),
    ],
)
def test_tampered_release_is_refused_by_name(
    archive: Path, alice: User, change: Callable[[dict[str, bytes]], None], said: str
) -> None:
    repacked(archive, change)
    with pytest.raises(CommandError, match=said):
        call_command("verify_release", str(archive))
    with pytest.raises(Invalid, match=said):
        import_release(archive, slug="copy", by=alice)
    assert not Project.objects.filter(slug="copy").exists()


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/passwd", "a/../../b", "C:\\x", "..\\x", "a\x07b"])
def test_name_that_points_out_is_refused_before_anything_is_read(archive: Path, alice: User, name: str) -> None:
    with ZipFile(archive, "a") as target:
        target.writestr(name, "x")
    for act in (lambda: verify(archive), lambda: import_release(archive, slug="copy", by=alice)):
        with pytest.raises(Invalid, match="points out of the release"):
            act()
    assert not Project.objects.filter(slug="copy").exists()


def test_manifest_that_points_out_is_refused(archive: Path) -> None:
    def pointing(files: dict[str, bytes]) -> None:
        manifest = json.loads(files["manifest.json"])
        manifest["files"][0]["path"] = "../../etc/passwd"
        files["manifest.json"] = json.dumps(manifest).encode()

    with pytest.raises(Invalid, match="points out of the release"):
        verify(repacked(archive, pointing))


@pytest.mark.parametrize("kept", [0, 10, 3_000, -30])
def test_zip_that_is_cut_short_is_said_to_be(archive: Path, kept: int) -> None:
    archive.write_bytes(archive.read_bytes()[:kept])
    with pytest.raises(CommandError, match="cut short or damaged"):
        call_command("verify_release", str(archive))


def test_bomb_is_not_unpacked(archive: Path) -> None:
    def bomb(files: dict[str, bytes]) -> None:
        files["votes.csv"] = b"0" * 50_000_000

    with pytest.raises(Invalid, match="could be a bomb"):
        verify(repacked(archive, bomb, ZIP_DEFLATED))


def test_damaged_contents_are_told(archive: Path) -> None:
    repacked(archive, dict[str, bytes].copy, ZIP_DEFLATED)
    data = bytearray(archive.read_bytes())
    at = data.index(b"votes.csv") + len(b"votes.csv") + 20
    data[at : at + 20] = b"\xff" * 20
    archive.write_bytes(data)
    with pytest.raises(Invalid, match="cut short or damaged"):
        verify(archive)
    assert zlib.error in verifying.UNREADABLE


def test_too_much_of_anything_is_refused(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, said in (
        ("MOST_FILES", "files; at most"),
        ("LARGEST", "unpacks to more"),
        ("LARGEST_WHOLE", "is larger"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(verifying, limit, 3)
            with pytest.raises(Invalid, match=said):
                verify(archive)


def test_same_name_twice_is_refused(archive: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"), ZipFile(archive, "a") as target:
        target.writestr("votes.csv", "x")
    with pytest.raises(Invalid, match="twice"):
        verify(archive)


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (b"{", "cannot be read"),
        (b"[]", "cannot be read"),
        (b'{"format": "other"}', "its format is “other”"),
        (b'{"format": "concord-release", "format_version": 99}', "version 99"),
        (b'{"format": "concord-release", "format_version": 1, "files": [{}]}', "cannot be read"),
    ],
)
def test_manifest_that_is_none_is_refused(archive: Path, manifest: bytes, said: str) -> None:
    with pytest.raises(Invalid, match=said):
        verify(repacked(archive, lambda files: files.update({"manifest.json": manifest})))


def test_what_is_no_release_is_refused(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "none", "no file or folder"), (tmp_path, "no manifest.json")):
        with pytest.raises(CommandError, match=said):
            call_command("verify_release", str(path))


def test_link_in_a_folder_is_refused(archive: Path, tmp_path: Path) -> None:
    with ZipFile(archive) as source:
        source.extractall(tmp_path / "folder")
    (tmp_path / "folder" / "votes.csv").unlink()
    (tmp_path / "folder" / "votes.csv").symlink_to("/etc/passwd")
    with pytest.raises(Invalid, match="is a link"):
        verify(tmp_path / "folder")
