from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from labeling.management.arguments import find_user
from labeling.refusals import Refusal
from labeling.release.importing import import_release


class Command(BaseCommand):
    help = "Makes a project of a released benchmark; a release made there is the same again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="ZIP")
        parser.add_argument("--project", required=True, metavar="SLUG", help="address of the new project")
        parser.add_argument("--name", default="", help="of the new project; as the release by default")
        parser.add_argument("--coordinator", required=True, metavar="E-MAIL")

    def handle(self, *, path: Path, project: str, name: str, coordinator: str, **options: object) -> None:
        try:
            made = import_release(path, slug=project, name=name, by=find_user(coordinator))
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        counts = {"items": made.items.count(), "rounds": made.rounds.count(), "raters": made.pseudonyms.count()}
        self.stdout.write(json.dumps({"project": made.slug, **counts}))
