from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling import tasks
from labeling.jobs import running
from labeling.jobs.models import State
from labeling.management.arguments import find_project
from labeling.refusals import Refusal
from labeling.release.choosing import choose
from labeling.release.making import Title, copy_out, create_release, require_empty, usual_title


class Command(BaseCommand):
    help = "Freezes a benchmark: makes the next release of a project and writes its files into a new folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument(
            "--out", type=Path, metavar="DIR", required=True, help="a folder that is empty or not there"
        )
        parser.add_argument("--name", help="of the benchmark; as the release before, or as the project, by default")
        parser.add_argument("--notes", help="what a reader should know")
        parser.add_argument("--author", action="append", metavar="NAME", help="for CITATION.cff; can be given again")
        parser.add_argument("--licence", help="as an SPDX identifier, such as CC-BY-4.0")
        parser.add_argument("--round", action="append", default=[], help="by name or number; all of them by default")
        parser.add_argument("--filter", action="append", default=[], metavar="QUESTION=OPTION",
                            help="only items with this final answer; can be given again")  # fmt: skip

    def handle(self, *, project: str, out: Path, **options: Any) -> None:
        found = find_project(project)
        try:
            require_empty(out)  # before a number is taken
            choice = choose(found, rounds=options["round"], filters=options["filter"])
            release, job = create_release(choice, self.title(found, options), by=None)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        running.run(job.pk, tasks.WORK)
        job.refresh_from_db()
        if job.state != State.FINISHED:
            raise CommandError(job.error or f"The release is {job.get_state_display().lower()}.")
        release.refresh_from_db()
        copy_out(release, out)
        self.stdout.write(
            json.dumps({"release": release.number, "digest": release.digest, **release.statistics["items"]})
        )

    def title(self, project: Any, options: dict[str, Any]) -> Title:
        usual = usual_title(project)
        authors = "\n".join(options["author"]) if options["author"] else usual.authors
        given = {name: usual_value if options[name] is None else options[name] for name, usual_value in
                 (("name", usual.name), ("notes", usual.notes), ("licence", usual.licence))}  # fmt: skip
        return Title(authors=authors, **given)
