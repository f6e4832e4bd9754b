from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from labeling.corpus.projects import create_project
from labeling.management.arguments import find_user
from labeling.refusals import Refusal


class Command(BaseCommand):
    help = "Starts a project and prints its address."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--coordinator", required=True, metavar="EMAIL")
        parser.add_argument("--slug", default="", help="made from the name by default")
        parser.add_argument("--description", default="")

    def handle(self, *, name: str, coordinator: str, slug: str, description: str, **options: object) -> None:
        try:
            project = create_project(name=name, slug=slug, description=description, by=find_user(coordinator))
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(project.slug)
