from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.annotation.rounds.finding import find_round
from labeling.annotation.rounds.monitoring import round_status
from labeling.management.arguments import find_project
from labeling.refusals import Refusal


class Command(BaseCommand):
    help = "Prints how a round stands."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("round", metavar="ROUND", help="its name")
        parser.add_argument("--format", choices=["text", "json"], default="text")

    def handle(self, *, project: str, round: str, format: str, **options: object) -> None:  # noqa: A002
        try:
            status = round_status(find_round(find_project(project), round))
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(json.dumps(status) if format == "json" else "\n".join(as_text(status)))


def as_text(status: dict[str, Any]) -> Iterator[str]:
    items, votes = status["items"], status["votes"]
    yield f"{status['name']}: {status['state']}, seed {status['seed']}"
    yield f"items\t{items['complete']:,} of {items['total']:,} complete"
    yield f"votes\t{votes['cast']:,} of {votes['wanted']:,}, {votes['last_hour']:,} in the last hour"
    yield f"left\t{duration(status['time_left'])}"
    for person in status["annotators"]:
        seen = person["last_seen"] or "never"
        yield f"{person['email']}\t{person['votes']:,} votes\tlast seen {seen}\tleft {duration(person['time_left'])}"
    for name in ("skipped", "flagged"):
        yield f"{name}\t{status[name]['total']:,}"
    yield f"picked\t{status['picked']:,} votes for another comment than the linked one"
    yield f"stale\t{status['stale_leases']:,} leases, {status['stale_votes']:,} votes"
    yield from status["warnings"]


def duration(estimate: dict[str, Any]) -> str:
    if estimate["seconds"] is None:
        return f"– ({estimate['reason']})"
    return f"{estimate['seconds'] / 3600:.1f} hours of work"
