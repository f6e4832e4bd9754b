from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from labeling.management.arguments import find_project
from labeling.overview.exporting import start_activity_export


class Command(BaseCommand):
    help = "Starts the job that writes a project's activity log to a CSV file, and prints the job's number."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")

    def handle(self, *, project: str, **options: object) -> None:
        job = start_activity_export(find_project(project), by=None)
        self.stdout.write(str(job.pk))
