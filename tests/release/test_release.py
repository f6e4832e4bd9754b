"""What is in a release, and that it stays as it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.release.importing import import_release
from labeling.release.verifying import verify
from tests.release.samples import archive_of, contents, releasable, released

pytestmark = pytest.mark.django_db


def test_release_is_whole_and_recomputes_and_comes_again_from_its_import(
    project: Project, alice: User, tmp_path: Path
) -> None:
    releasable(project)
    release = released(project)
    assert verify(archive_of(release)).faults == []
    ZipFile(archive_of(release)).extractall(tmp_path / "out")
    done = subprocess.run([sys.executable, str(tmp_path / "out/recompute.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    copy = import_release(archive_of(release), slug="copy", by=alice)
    again = released(copy)
    assert contents(archive_of(again)) == contents(archive_of(release))
    assert archive_of(again).read_bytes() == archive_of(release).read_bytes()
