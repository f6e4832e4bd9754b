from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.management.arguments import find_project
from labeling.refusals import Refusal
from labeling.study.fieldwork.finding import find_study
from labeling.study.fieldwork.monitoring import study_status
from labeling.study.models import Stage


class Command(BaseCommand):
    help = "Prints who is where in a study. Says nothing of answers or origins."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("study", metavar="STUDY", help="its name")
        parser.add_argument("--stage", choices=Stage.values, default=Stage.MAIN.value)
        parser.add_argument("--format", choices=["text", "json"], default="text")

    def handle(self, *, project: str, study: str, stage: str, format: str, **options: object) -> None:  # noqa: A002
        try:
            status = study_status(find_study(find_project(project), study), stage=stage)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(json.dumps(status) if format == "json" else "\n".join(as_text(status)))


def as_text(status: dict[str, Any]) -> Iterator[str]:
    sheets = status["sheets"]
    yield f"{status['study']}: {status['state']}, {status['stage']}"
    yield f"sheets\t{sheets['finished']} of {sheets['total']} finished, {sheets['free']} free"
    if sheets["spares"]:
        yield f"spare\t{sheets['spares_finished']} of {sheets['spares']} finished, {sheets['spares_free']} free"
    for row in status["participants"]:
        flags = f"\t{' '.join(row['flags'])}" if row["flags"] else ""
        yield f"P{row['number']}\t{row['where']}\t{row['done']} of {row['pages']}{flags}"
