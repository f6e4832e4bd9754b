"""The archives of results that jobs wrote for coordinators. Whoever has their answers deleted is deleted there too."""

from __future__ import annotations

from labeling.jobs.files import folder, made_file
from labeling.jobs.models import Job, State
from labeling.study.models import Study

KIND = "export_study"
NAME = "study.zip"
LATEST = 3  # that a page names; the others are under Jobs


def latest_archives(study: Study, stage: str) -> list[Job]:
    """The jobs whose files can be taken away, the newest first."""
    made = Job.objects.filter(project=study.project_id, kind=KIND, arguments__study=study.pk, arguments__stage=stage)
    return [job for job in made.filter(state=State.FINISHED).order_by("-pk")[:LATEST] if made_file(job)]


def remove_archives(study: Study) -> None:
    """Also one that is only just finished: it is found by its place, not by what its job says."""
    for job in Job.objects.filter(project=study.project_id, kind=KIND, arguments__study=study.pk):
        (folder(job) / NAME).unlink(missing_ok=True)
