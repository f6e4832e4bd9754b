from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand

from labeling.consensus.listing import STATES
from labeling.consensus.models import Case
from labeling.corpus.models import Project
from labeling.management.arguments import find_project


class Command(BaseCommand):
    help = "Lists the cases of a project, oldest first. Nobody is named."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--state", choices=list(STATES), default="all")
        parser.add_argument("--format", choices=["text", "json"], default="text", help="json: one object a line")

    def handle(self, *, project: str, state: str, format: str, **options: object) -> None:  # noqa: A002
        for case in rows(find_project(project), state):
            words = [str(case["id"]), case["state"], case["how"] or case["way"], case["title"], case["pattern"]]
            self.stdout.write(json.dumps(case, ensure_ascii=False) if format == "json" else "\t".join(words))


def rows(project: Project, state: str) -> Iterator[dict[str, Any]]:
    """Only of items whose independent phase is over, as everywhere."""
    cases = Case.objects.filter(round__project=project).shown()
    cases = cases if state == "all" else cases.filter(state=state)
    chain = ("round", "round_item__item", "decision")
    for case in cases.select_related(*chain).defer("round_item__item__payload").iterator(chunk_size=500):
        yield {
            "id": case.pk,
            "round": case.round.name,
            "key": case.round_item.item.key,
            "title": case.round_item.item.title,
            "state": case.state,
            "way": case.way,
            "why": case.why,
            "questions": case.questions,
            "pattern": case.pattern,
            "opened_at": case.opened_at.isoformat(),
            "how": ("rejected" if case.decision.rejected else case.decision.how) if case.decision else "",
            "answers": case.decision.answers if case.decision else None,
            "rationale": case.decision.rationale if case.decision else "",
            "unclear": case.decision.unclear if case.decision else "",
        }
