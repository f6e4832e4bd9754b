from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from labeling.consensus.models import CaseState
from labeling.consensus.routing import BATCH, route_batch, share_out
from labeling.management.arguments import find_project


class Command(BaseCommand):
    help = "Derives the outcomes of all votes that have none yet; what they do not settle becomes a case."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")

    def handle(self, *, project: str, **options: object) -> None:
        for round in find_project(project).rounds.exclude(state="planning").order_by("pk"):
            routed = 0
            while (batch := route_batch(round)) == BATCH:
                routed += batch
            share_out(round)
            waiting = round.cases.filter(state=CaseState.OPEN).count()
            self.stdout.write(f"{round.name}\t{routed + batch:,} items routed\t{waiting:,} cases open")
