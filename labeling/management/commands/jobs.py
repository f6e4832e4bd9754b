from __future__ import annotations

import json
from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from labeling.jobs.models import Job, State
from labeling.management.arguments import find_project


class Command(BaseCommand):
    help = "Lists jobs, newest first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", default="")
        parser.add_argument("--state", choices=State.values, default="")
        parser.add_argument("--format", choices=["text", "json"], default="text")

    def handle(self, *, project: str, state: str, format: str, **options: object) -> None:  # noqa: A002
        jobs = Job.objects.select_related("project")
        jobs = jobs.filter(project=find_project(project)) if project else jobs
        jobs = jobs.filter(state=state) if state else jobs
        for job in jobs[:200]:
            self.stdout.write(json.dumps(as_json(job)) if format == "json" else as_text(job))


def as_json(job: Job) -> dict[str, object]:
    fields = ["id", "kind", "title", "state", "done", "total", "error", "result"]
    return {"project": job.project.slug, **{field: getattr(job, field) for field in fields}}


def as_text(job: Job) -> str:
    total = "?" if job.total is None else job.total
    return f"{job.pk}\t{job.project.slug}\t{job.state}\t{job.done}/{total}\t{job.title}\t{job.error}".rstrip()
