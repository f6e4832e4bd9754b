from __future__ import annotations

import json
from argparse import ArgumentParser
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import IO

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from labeling.corpus.importing import Options, Outcome, Rejected, import_rows, rejected_line
from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Project
from labeling.corpus.reading import FORMATS, format_of, read_rows
from labeling.corpus.searching import index_words
from labeling.management.arguments import find_project
from labeling.people.activity import record
from labeling.refusals import Refusal


class Command(BaseCommand):
    help = "Imports items from a JSONL or CSV file. Again imports nothing twice; bad rows are kept aside in a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--kind", choices=list(KINDS), default="review_rename")
        parser.add_argument("--format", choices=FORMATS, default="", help="by the file's name by default")
        parser.add_argument("--dry-run", action="store_true", help="only look: store nothing")
        parser.add_argument("--replace", action="store_true", help="replace items whose content changed")
        parser.add_argument("--all-or-nothing", action="store_true", help="store nothing when one row is bad")
        parser.add_argument("--rejected", type=Path, help="where bad rows go; FILE.rejected.jsonl by default")

    def handle(self, *, project: str, file: Path, **options: object) -> None:
        chosen = Options(
            kind=str(options["kind"]),
            dry_run=bool(options["dry_run"]),
            replace=bool(options["replace"]),
            all_or_nothing=bool(options["all_or_nothing"]),
        )
        rejected = options["rejected"] if isinstance(options["rejected"], Path) else Path(f"{file}.rejected.jsonl")
        try:
            form = str(options["format"]) or format_of(file.name)
            outcome = self.import_file(find_project(project), file, form, chosen, rejected)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        self.stdout.write(json.dumps({**outcome.as_dict(), "dry_run": chosen.dry_run}))
        if outcome.bad:
            stored = " Nothing was imported." if chosen.all_or_nothing else ""
            raise CommandError(f"{outcome.bad:,} of {outcome.rows:,} rows are bad; {rejected} has them.{stored}")

    def import_file(self, project: Project, file: Path, form: str, options: Options, rejected: Path) -> Outcome:
        if options.all_or_nothing:
            outcome = self.one_pass(project, file, form, replace(options, dry_run=True), rejected)
            if outcome.bad or options.dry_run:
                return outcome
        outcome = self.one_pass(project, file, form, options, rejected)
        if not options.dry_run:
            record(project, by=None, verb="imported", subject=f"{outcome.new} items from {file.name}")
            index_words(project, step=lambda _: transaction.atomic())
        return outcome

    def one_pass(self, project: Project, file: Path, form: str, options: Options, rejected: Path) -> Outcome:
        def step(_: int) -> AbstractContextManager[object]:
            return nullcontext() if options.dry_run else transaction.atomic()

        with file.open("rb") as source, Aside(rejected) as aside:
            rows = read_rows(source, form=form, kind=KINDS[options.kind])
            return import_rows(rows, project, options, step=step, done_with=aside.keep)


class Aside:
    """The file of bad rows, which is made only when there is one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file: IO[str] | None = None

    def __enter__(self) -> Aside:
        self.path.unlink(missing_ok=True)
        return self

    def keep(self, _: Outcome, rejected: Rejected) -> None:
        if rejected and self.file is None:
            self.file = self.path.open("w")
        for row, error in rejected:
            if self.file is not None:
                self.file.write(rejected_line(row, error))

    def __exit__(self, *_: object) -> None:
        if self.file is not None:
            self.file.close()
