from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling import tasks
from labeling.annotation.models import Handing, Order
from labeling.annotation.rounds.finding import find_annotators, find_version
from labeling.annotation.rounds.planning import Design, create_round
from labeling.jobs import running
from labeling.jobs.models import State
from labeling.management.arguments import find_project
from labeling.people.models import Role
from labeling.refusals import Refusal

TAKEN = [
    "name", "votes", "handing", "order", "seed", "calibration", "repeat_every", "repeat_distance", "words", "group",
    "sample", "fresh",
]  # fmt: skip


class Command(BaseCommand):
    help = "Plans a round and opens it; prints its number, its size and its seed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--name", required=True)
        parser.add_argument("--protocol", required=True, metavar="NAME")
        parser.add_argument("--version-number", type=int, metavar="N", help="of the protocol; the latest by default")
        parser.add_argument(
            "--annotators", nargs="*", default=[], metavar="E-MAIL", help="all of the project by default"
        )
        parser.add_argument("--votes", type=int, help="an item; without it everybody judges everything")
        parser.add_argument("--handing", choices=Handing.values, default=Handing.CLAIMED)
        parser.add_argument("--order", choices=Order.values, default=Order.SHUFFLED)
        parser.add_argument("--seed", type=int, help="made up, and printed, by default")
        parser.add_argument("--calibration", type=int, default=0, metavar="M", help="everybody gets the same first M")
        parser.add_argument("--repeat-every", type=int, default=0, metavar="N", help="one hidden repeat after N votes")
        parser.add_argument("--repeat-distance", type=int, default=20, metavar="R", help="at least R others in between")
        parser.add_argument(
            "--gold", type=Path, metavar="FILE", help='JSON: {"key of an item": {"question": "answer"}}'
        )
        parser.add_argument("--words", default="", help="only items in which these words occur")
        parser.add_argument("--group", default="", help="only items of this group")
        parser.add_argument("--sample", type=int, metavar="N", help="only N of them, drawn by the seed")
        parser.add_argument("--fresh", action="store_true", help="only items that are in no round yet")

    def handle(self, *, project: str, **options: Any) -> None:
        found = find_project(project)
        try:
            emails = options["annotators"] or list(
                found.memberships.filter(role=Role.ANNOTATOR).order_by("user").values_list("user__email", flat=True)
            )
            design = Design(
                protocol=find_version(found, options["protocol"], options["version_number"]),
                annotators=find_annotators(found, emails),
                gold=read_gold(options["gold"]) if options["gold"] else {},
                **{name: options[name] for name in TAKEN},
            )
            round, job = create_round(found, design, by=None)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        running.run(job.pk, tasks.WORK)
        job.refresh_from_db()
        if job.state != State.FINISHED:
            raise CommandError(job.error or f"The planning is {job.get_state_display().lower()}.")
        self.stdout.write(json.dumps({"round": round.pk, "seed": round.seed, **job.result}))


def read_gold(file: Path) -> dict[str, Any]:
    try:
        gold = json.loads(file.read_text())
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}.") from error
    except ValueError as error:
        raise CommandError(f"{file}: is not JSON ({error}).") from error
    if not isinstance(gold, dict):
        raise CommandError(f"{file}: must be an object with the answers by the key of their item.")
    return gold
