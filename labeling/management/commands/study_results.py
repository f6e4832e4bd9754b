from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.refusals import Refusal
from labeling.study.models import Stage, Study

MOST_RESAMPLES = 100_000


class Command(BaseCommand):
    help = (
        "Prints the results of a study: all figures, the main tables, or comments as CSV. Masked until it is unblinded."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its number or its name")
        parser.add_argument("--project", metavar="SLUG", help="where two studies have the same name")
        parser.add_argument("--stage", choices=Stage.values, default=Stage.MAIN)
        parser.add_argument("--bootstrap", type=int, default=2000, metavar="N", help="resamples; 0 for no intervals")
        parser.add_argument("--format", choices=["json", "text", "latex", "comments"], default="json")

    def handle(self, *, study: str, project: str | None, stage: str, bootstrap: int, **options: Any) -> None:
        from labeling.study.results.analysing import analyse_study
        from labeling.study.results.comments import COLUMNS, comment_rows, comments_of
        from labeling.study.results.exporting import describe_results, software
        from labeling.study.results.files import as_csv
        from labeling.study.results.gathering import gather_study
        from labeling.study.results.keeping import require_begun
        from labeling.study.results.reporting import as_latex, as_text
        from labeling.study.results.revealing import origin_names, reveal

        if not 0 <= bootstrap <= MOST_RESAMPLES:
            raise CommandError(f"--bootstrap takes a number of resamples from 0 to {MOST_RESAMPLES:,}.")
        found = find_study(study, project)
        try:
            require_begun(found, stage)
            if options["format"] == "comments":
                self.stdout.write(as_csv(list(COLUMNS), comment_rows(comments_of(found, stage=stage))), ending="")
                return
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        marked = analyse_study(gather_study(found, stage=stage), resamples=bootstrap)
        figures = reveal(marked, origin_names(found, stage))
        if options["format"] == "json":
            text = json.dumps(describe_results(found, figures), ensure_ascii=False, allow_nan=False) + "\n"
        elif options["format"] == "latex":
            text = as_latex(figures, digest=found.digest, software=software())
        else:
            text = as_text(figures)
        self.stdout.write(text, ending="")


def find_study(wanted: str, project: str | None) -> Study:
    """By its number, or by a name that only one study has."""
    studies = Study.objects.select_related("project").order_by("pk")
    if project:
        studies = studies.filter(project__slug=project)
    named = list(studies.filter(name=wanted)[:2])
    if not named and wanted.isascii() and wanted.isdigit() and len(wanted) < 10:  # noqa: PLR2004 (of digits)
        named = list(studies.filter(pk=int(wanted)))
    if len(named) > 1:
        raise CommandError(f"Several studies are called “{wanted}”; name the --project or the number.")
    if not named:
        known = ", ".join(f"{one.pk} “{one.name}”" for one in studies[:20]) or "none"
        raise CommandError(f"There is no study “{wanted}”. Studies: {known}.")
    return named[0]
