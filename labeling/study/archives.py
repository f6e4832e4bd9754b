"""The archives of results that jobs wrote for coordinators. Whoever has their answers deleted is deleted there too."""

from __future__ import annotations

from labeling.jobs.files import folder
from labeling.jobs.models import Job
from labeling.study.models import Study

KIND = "export_study"
NAME = "study.zip"


def remove_archives(study: Study) -> None:
    """Also one that is only just finished: it is found by its place, not by what its job says."""
    for job in Job.objects.filter(project=study.project_id, kind=KIND, arguments__study=study.pk):
        (folder(job) / NAME).unlink(missing_ok=True)
