"""Where the archives of releases lie. Each release knows the name of its archive from the start, so that what a killed
worker left behind can be told from what is kept; whoever makes a release next takes it away."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from labeling.release.models import Release, ReleaseState
from labeling.release.packing import Folder

FOLDER = "releases"
WORKING = ".making-"
DRAFT = "archive.zip"


def new_archive_name() -> str:
    return f"{FOLDER}/{uuid4().hex}.zip"


def archive_folder() -> Path:
    base = Path(settings.MEDIA_ROOT) / FOLDER
    base.mkdir(parents=True, exist_ok=True)
    return base


@contextmanager
def working_folder(release: Release) -> Iterator[Path]:
    """Gone when the work is, unless its worker is killed."""
    with TemporaryDirectory(dir=archive_folder(), prefix=f"{WORKING}{release.pk}-") as path:
        yield Path(path)


def draft_archive(folder: Folder) -> Path:
    """The whole archive, still beside the files that it was packed from."""
    draft = folder.path / DRAFT
    folder.pack(draft)
    draft.chmod(0o444)
    return draft


def place_archive(release: Release, draft: Path) -> None:
    """Under its name. The caller has locked the release and knows that it is not frozen."""
    draft.replace(release.archive.path)


def clear_left_over(release: Release) -> None:
    """What killed attempts left: of this release, and of those that nobody makes any more."""
    folders = list(archive_folder().glob(f"{WORKING}*"))  # before the rows: a folder is never older than its release
    attempts = Release.objects.filter(state=ReleaseState.MAKING).select_related("job")
    abandoned = {one.pk for one in attempts if one.pk == release.pk or not one.is_being_made}
    for pk in abandoned:
        clear_archive(pk)
    at_work = {f"{one.pk}" for one in attempts if one.pk not in abandoned}
    for path in folders:
        if path.name.removeprefix(WORKING).partition("-")[0] not in at_work:
            shutil.rmtree(path, ignore_errors=True)


@transaction.atomic
def clear_archive(pk: int) -> None:
    """Of an attempt. Under lock, so that it is not frozen in this very moment."""
    found = Release.objects.select_for_update().filter(pk=pk, state=ReleaseState.MAKING).exclude(archive="").first()
    if found:
        Path(found.archive.path).unlink(missing_ok=True)
