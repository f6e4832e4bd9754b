from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from labeling.refusals import Refusal
from labeling.release.verifying import verify

SHOWN = 20


class Command(BaseCommand):
    help = "Compares every file of a release, in a folder or a ZIP, with its manifest; ends with 1 when one differs."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="DIR|ZIP")

    def handle(self, *, path: Path, **options: object) -> None:
        try:
            verdict = verify(path)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        if verdict.faults:
            more = [f"… and {len(verdict.faults) - SHOWN} more"] if len(verdict.faults) > SHOWN else []
            raise CommandError("\n".join([*verdict.faults[:SHOWN], *more]))
        release, files = verdict.manifest["release"], len(verdict.manifest["files"])
        self.stdout.write(f"{release['name']}, release {release['number']}: {files} files are as they were made.")
        self.stdout.write(f"SHA-256 of the manifest: {verdict.digest}")
