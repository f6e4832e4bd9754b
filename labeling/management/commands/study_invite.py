from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from labeling.management.arguments import find_project
from labeling.refusals import Refusal
from labeling.study.fieldwork import inviting
from labeling.study.fieldwork.finding import find_study
from labeling.study.models import Stage, Study


class Command(BaseCommand):
    help = "Makes links for participants of a study and prints them as CSV; or the one open link."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("study", metavar="STUDY", help="its name")
        how = parser.add_mutually_exclusive_group(required=True)
        how.add_argument("--count", type=int, help="so many links")
        how.add_argument("--label", action="append", help="a link for this person; can be given again")
        how.add_argument("--open", action="store_true", help="one link for many, for a recruiting service")
        parser.add_argument("--stage", choices=Stage.values, default=Stage.MAIN.value)

    def handle(self, *, project: str, study: str, stage: str, **options: object) -> None:
        try:
            self.stdout.write(made(find_study(find_project(project), study), stage, options), ending="")
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal


def made(study: Study, stage: str, options: dict[str, object]) -> str:
    if options["open"]:
        return f"{inviting.open_to_all(study, stage=stage, by=None)}\n"
    given, count = options["label"], options["count"]
    labels = [str(one) for one in given] if isinstance(given, list) else [""] * int(str(count or 0))
    return inviting.as_csv(inviting.invite_many(study, labels=labels, stage=stage, by=None))
