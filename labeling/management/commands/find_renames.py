from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.mining.renames.directories import pair_directories
from labeling.mining.renames.finding import Finder, Rename, find_in_repository, unique
from labeling.mining.renames.history import GitError, Repository

_USAGE = "Give either --git PATH with one of --range A..B and --commits FILE, or --before DIR with --after DIR."


class Command(BaseCommand):
    help = "Prints the methods whose name alone changed, one JSON object a line. Needs no database."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--git", metavar="PATH", type=Path, help="a git repository, with or without work tree")
        parser.add_argument("--range", metavar="A..B", dest="revisions", help="the commits to look at, as git says it")
        parser.add_argument("--commits", metavar="FILE", type=Path, help="a file with one commit a line")
        parser.add_argument("--before", metavar="DIR", type=Path, help="a directory with the old files")
        parser.add_argument("--after", metavar="DIR", type=Path, help="a directory with the new files")
        parser.add_argument("--format", choices=["jsonl"], default="jsonl")

    def handle(self, **options: Any) -> None:
        given = {name for name in ("git", "revisions", "commits", "before", "after") if options[name] is not None}
        if given not in ({"git", "revisions"}, {"git", "commits"}, {"before", "after"}):
            raise CommandError(_USAGE)
        find = self._in_git if "git" in given else self._in_directories
        try:
            for rename in unique(find(**options)):
                self.stdout.write(json.dumps(rename.as_row(), ensure_ascii=True))
        except GitError as error:
            raise CommandError(str(error)) from error
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _in_git(self, *, git: Path, revisions: str | None, commits: Path | None, **_: Any) -> Iterator[Rename]:
        repository = Repository(git)
        if revisions is not None:
            wanted = repository.commits_in(revisions)
        else:
            wanted = repository.commits_named(_read_names(commits), report=self._report)
        return find_in_repository(repository, wanted, report=self._report)

    def _in_directories(self, *, before: Path, after: Path, **_: Any) -> Iterator[Rename]:
        for directory in (before, after):
            if not directory.is_dir():
                raise CommandError(f"There is no directory {directory}.")
        return iter(Finder(self._report).find(pair_directories(before, after, report=self._report)))

    def _report(self, sentence: str) -> None:
        self.stderr.write(sentence)


def _read_names(path: Path | None) -> list[str]:
    try:
        text = (path or Path()).read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not a text file with one commit a line.") from error
    names = [line.strip() for line in text.splitlines()]
    return [name for name in names if name and not name.startswith("#")]
