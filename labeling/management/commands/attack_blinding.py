from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.management.arguments import find_project
from labeling.refusals import Refusal
from labeling.study.blindness.attacking import MOST_SESSIONS, attack
from labeling.study.fieldwork.finding import find_study


class Command(BaseCommand):
    help = "Attacks the blinding of a study and prints what was found; fails when something was."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("study", metavar="STUDY", help="its name")
        parser.add_argument("--sessions", type=int, default=MOST_SESSIONS, help="at most; one a sheet")
        parser.add_argument("--seed", type=int, default=1, help="draws the sheets where there are more than sessions")
        parser.add_argument("--format", choices=["text", "json"], default="text")

    def handle(self, *, project: str, study: str, sessions: int, seed: int, **options: str) -> None:
        if sessions < 1:
            raise CommandError("--sessions must be 1 or more.")
        try:
            report = attack(find_study(find_project(project), study), sessions=sessions, seed=seed)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(json.dumps(report) if options["format"] == "json" else "\n".join(as_text(report)))
        if report["found"]:
            raise CommandError("Something tells where names come from.")


def as_text(report: dict[str, Any]) -> Iterator[str]:
    walked = f"{report['sessions']} of {report['sheets']:,} sheets"
    yield f"{walked}, {report['responses']:,} answers of the server, {report['names']:,} names"
    for check in report["checks"]:
        yield f"{check['title']}\t{check['count']:,} found"
        for hit in check["hits"]:
            yield f"\t{hit['what']}\t{hit['path']}\t{hit['excerpt']}"
    for kind in ("channel", "content"):
        guess = report[kind]
        said = guess["reason"] or f"right {guess['accuracy']:.1%}, by chance {guess['chance']:.1%}, p = {guess['p']}"
        yield f"classifier, {kind}\t{said}"
