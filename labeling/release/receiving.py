"""A release that somebody uploads: checked at once; brought in at once where that is quick, else by a job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from labeling.corpus.models import Project
from labeling.corpus.projects import create_project
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.access import require_creator
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from labeling.release.importing import fill_project, require_whole, usual_name
from labeling.release.models import Forerunner
from labeling.release.storing import archive_folder, new_archive_name
from labeling.release.verifying import Verdict, opened

KIND = "import_release"
LARGEST = 200 * 1024**2
MOST_AT_ONCE = 5_000  # rows of items and votes
TOO_LARGE = f"file: is larger than {LARGEST // 1024**2} MB: use manage.py import_release."


def receive_release(file: UploadedFile[bytes], *, slug: str, name: str, by: User) -> tuple[Project, Job | None]:
    """Makes a project of it. What is not whole is refused before anything is made; with many rows a job goes on."""
    require_creator(by)
    if (file.size or 0) > LARGEST:
        raise Invalid(TOO_LARGE)
    archive = kept_upload(file)
    try:
        with opened(archive) as source, transaction.atomic():
            verdict = require_whole(source)
            project = create_project(name=name or usual_name(verdict), slug=slug, by=by)
            if is_small(verdict):
                fill_project(project, source, verdict, archive=archive, by=by)
                return project, None
            return project, enqueue(KIND, project=project, by=by, title=f"Import of {file.name}", archive=archive.name)
    except BaseException:
        archive.unlink(missing_ok=True)
        raise


def kept_upload(file: UploadedFile[bytes]) -> Path:
    archive_folder()
    path = Path(settings.MEDIA_ROOT) / new_archive_name()
    with path.open("wb") as kept:
        for chunk in file.chunks():
            kept.write(chunk)
    return path


def is_small(verdict: Verdict) -> bool:
    rows = {entry["path"]: entry["rows"] or 0 for entry in verdict.manifest["files"]}
    return sum(rows.get(name, 0) for name in ("items.jsonl", "votes.csv")) <= MOST_AT_ONCE


def require_empty(project: Project) -> None:
    if project.items.exists() or project.rounds.exists() or project.protocols.exists():
        raise Refusal("Meanwhile something else was put into the project, so the release cannot be brought into it.")


def bring_in(run: Run) -> dict[str, Any]:
    """The job. One step: all of it is there, or nothing."""
    project, by = run.job.project, run.job.created_by
    archive = archive_folder() / run.arguments["archive"]
    if by is None:
        raise JobError("Nobody is named who would coordinate the project.")
    run.expect(1, done=0)
    try:
        with opened(archive) as source, run.step(message="items, votes and cases are stored"):
            if not Forerunner.objects.filter(project=project).exists():  # else an attempt that was lost did it all
                require_empty(project)
                fill_project(project, source, require_whole(source), archive=archive, by=by)
    except Refusal as refusal:
        raise JobError(str(refusal)) from refusal
    counts = {"items": project.items.count(), "rounds": project.rounds.count(), "raters": project.pseudonyms.count()}
    return {"project": project.slug, **counts}
