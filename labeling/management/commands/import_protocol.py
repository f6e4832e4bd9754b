from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from labeling.annotation.protocols.editing import create_built_in, create_protocol
from labeling.annotation.protocols.files import BUILT_IN_NAMES, LARGEST_FILE, read_codebook
from labeling.annotation.protocols.models import Protocol
from labeling.corpus.models import Project
from labeling.management.arguments import find_project
from labeling.people.access import require_current
from labeling.refusals import Refusal


class Command(BaseCommand):
    help = "Starts a protocol from a YAML file or from one that is built in, and prints its number."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("source", metavar="FILE|BUILTIN", help=f"built in: {', '.join(BUILT_IN_NAMES)}")
        parser.add_argument("--title", default="", help="instead of the one in the file")

    def handle(self, *, project: str, source: str, title: str, **options: object) -> None:
        try:
            made = self.make(find_project(project), source, title)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}. Built in: {', '.join(BUILT_IN_NAMES)}.") from error
        self.stdout.write(str(made.pk))

    def make(self, project: Project, source: str, title: str) -> Protocol:
        require_current(project)
        if source in BUILT_IN_NAMES:
            return create_built_in(project, name=source, by=None, title=title)
        with Path(source).open("rb") as file:
            codebook = read_codebook(file.read(LARGEST_FILE + 1))
        return create_protocol(project, codebook=codebook, by=None, title=title)
