from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from labeling.annotation.protocols.files import write_codebook
from labeling.annotation.protocols.models import Protocol
from labeling.corpus.models import Project
from labeling.management.arguments import find_project


class Command(BaseCommand):
    help = "Prints a protocol as a YAML file, which can be imported again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("protocol", metavar="PROTOCOL", help="its number or its name")
        parser.add_argument("--number", type=int, metavar="VERSION", help="the latest version by default")

    def handle(self, *, project: str, protocol: str, number: int | None, **options: object) -> None:
        found = find_protocol(find_project(project), protocol)
        version = found.versions.filter(number=number).first() if number is not None else found.latest
        if version is None:
            raise CommandError(f"“{found}” has no version {number}; the latest is {found.latest.number}.")
        self.stdout.write(write_codebook(version.codebook), ending="")


def find_protocol(project: Project, wanted: str) -> Protocol:
    protocols = project.protocols.all()
    found = protocols.filter(name=wanted).first()
    if found is None and wanted.isascii() and wanted.isdigit() and len(wanted) <= 9:  # noqa: PLR2004 (fits a column)
        found = protocols.filter(pk=int(wanted)).first()
    if found is None:
        known = ", ".join(f"{protocol.pk} ({protocol})" for protocol in protocols[:20]) or "none yet"
        raise CommandError(f"There is no protocol “{wanted}”. Protocols: {known}.")
    return found
