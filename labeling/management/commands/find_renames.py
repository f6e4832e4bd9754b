from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.mining.directories import pair_directories
from labeling.mining.finding import Finder, Rename, find_in_repository, unique
from labeling.mining.history import GitError, Repository

_USAGE = "Give either --git PATH with --range A..B or --commits FILE, or --before DIR with --after DIR."


class Command(BaseCommand):
    help = "Prints the methods whose name alone changed, one JSON object a line. Needs no database."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--git", metavar="PATH", type=Path, help="a git repository, with or without work tree")
        parser.add_argument("--range", metavar="A..B", dest="revisions", help="the commits to look at, as git says it")
        parser.add_argument("--commits", metavar="FILE", type=Path, help="a file with one commit a line")
        parser.add_argument("--before", metavar="DIR", type=Path, help="a directory with the old files")
        parser.add_argument("--after", metavar="DIR", type=Path, help="a directory with the new files")
        parser.add_argument("--format", choices=["jsonl"], default="jsonl")

    def handle(self, **options: Any) -> None:
        try:
            for rename in unique(self._find(**options)):
                self.stdout.write(json.dumps(rename.as_row(), ensure_ascii=False))
        except GitError as error:
            raise CommandError(str(error)) from error
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            self.stdout._out = None

    def _find(
        self, *, git: Path | None, revisions: str | None, commits: Path | None, before: Path | None, after: Path | None, **_: Any
    ) -> Iterator[Rename]:
        directories = before is not None and after is not None
        if directories == (git is not None) or (git is not None and (revisions is None) == (commits is None)):
            raise CommandError(_USAGE)
        return iter(())

    def _warn(self, sentence: str) -> None:
        self.stderr.write(sentence)
