"""The files that jobs make, one folder a job under MEDIA_ROOT."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import uuid4
from zipfile import ZIP_DEFLATED, ZipFile

from django.conf import settings

from labeling.jobs.models import Job


def folder(job: Job) -> Path:
    return Path(settings.MEDIA_ROOT) / "jobs" / str(job.pk)


@contextmanager
def new_file(job: Job, name: str) -> Iterator[IO[str]]:
    """A text file that appears under its name only when it is whole; a killed worker leaves no half of one."""
    folder(job).mkdir(parents=True, exist_ok=True)
    draft = folder(job) / f".{uuid4().hex}"
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            yield file
        draft.rename(folder(job) / name)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def new_archive(job: Job, name: str) -> Iterator[ZipFile]:
    """A ZIP file of several, which appears in the same way."""
    folder(job).mkdir(parents=True, exist_ok=True)
    draft = folder(job) / f".{uuid4().hex}"
    try:
        with ZipFile(draft, "w", ZIP_DEFLATED) as archive:
            yield archive
        draft.rename(folder(job) / name)
    finally:
        draft.unlink(missing_ok=True)


def made_file(job: Job) -> Path | None:
    """The file the job's result names, if it is there."""
    name = job.result.get("file", "")
    path = folder(job) / Path(name).name
    return path if name and path.is_file() else None
