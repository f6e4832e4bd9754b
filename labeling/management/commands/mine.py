from __future__ import annotations

import json
from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling import tasks
from labeling.jobs import running
from labeling.jobs.models import State
from labeling.management.arguments import find_project
from labeling.mining import collecting


def iso_date(text: str) -> str:
    return date.fromisoformat(text).isoformat()


class Command(BaseCommand):
    help = "Mines review–rename candidates from a git repository and a file of its pull requests; prints the funnel."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--github", default="", metavar="OWNER/NAME", help="the token is read from GITHUB_TOKEN")
        parser.add_argument(
            "--since", type=iso_date, metavar="YYYY-MM-DD", help="only pull requests touched since this day"
        )
        parser.add_argument("--state", choices=collecting.STATES, default="merged", help="of GitHub's pull requests")
        parser.add_argument("--git", type=Path, metavar="PATH", help="a clone: needed without --github, faster with it")
        parser.add_argument("--reviews", type=Path, metavar="FILE", help="pull requests as JSONL, instead of --github")
        parser.add_argument("--retry-failed", action="store_true", help="look again into what failed before")

    def handle(self, *, project: str, retry_failed: bool, **options: Any) -> None:
        found = find_project(project)
        git, reviews, github = options["git"], options["reviews"], options["github"]
        if bool(github) == bool(reviews) or (reviews and not git):
            raise CommandError("Name a source: --github OWNER/NAME, or --git PATH with --reviews FILE.")
        if retry_failed:
            collecting.retry_failed(found)
        paths = {name: str(path.resolve()) for name, path in {"git": git, "reviews": reviews}.items() if path}
        hosted = {"github": github, "since": options["since"] or "", "state": options["state"]} if github else {}
        job = collecting.start_mining(found, by=None, **paths, **hosted)
        running.run(job.pk, tasks.WORK)
        job.refresh_from_db()
        if job.state != State.FINISHED:
            raise CommandError(job.error or f"The mining is {job.get_state_display().lower()}.")
        self.stdout.write(json.dumps(job.result["funnel"]))
