from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from labeling.management.arguments import find_project
from labeling.refusals import Refusal

if TYPE_CHECKING:
    from labeling.agreement.statistics.resampling import Resampling
    from labeling.agreement.statistics.results import Agreement

LEVELS = ("nominal", "ordinal", "interval", "ratio", "set")
MOST_RESAMPLES = 1_000_000


class Command(BaseCommand):
    help = (
        "Prints how far raters agree: from a long CSV item,annotator,value[,question][,group], "
        "which needs no database, or from the votes of a project."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.csv", nargs="?")
        parser.add_argument("--project", metavar="SLUG", help="its votes on items whose independent phase is over")
        parser.add_argument("--question", default="", help="of the project's protocol; all of them when none is named")
        parser.add_argument("--round", default="", help="by its name or number; all rounds when none is named")
        parser.add_argument("--level", choices=LEVELS, default="nominal", help="of measurement; set: values as a|b|c")
        parser.add_argument("--distance", choices=["masi", "jaccard"], default="masi", help="between sets")
        parser.add_argument(
            "--categories", metavar="A,B,C", default="", help="all categories, from the least to the most"
        )
        parser.add_argument("--bootstrap", type=int, default=1000, metavar="N", help="resamples; 0 for no intervals")
        parser.add_argument("--interval", choices=["percentile", "bca"], default="percentile")
        parser.add_argument("--cluster", action="store_true", help="resample groups (column group) and not items")
        parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same intervals")
        parser.add_argument("--format", choices=["json", "text", "latex"], default="json")

    def handle(self, *, file: Path | None, format: str, **options: Any) -> None:  # noqa: A002 (named by the option)
        if (file is None) == (options["project"] is None):
            raise CommandError("Name a file or --project, one of the two.")
        if file is not None and (options["question"] or options["round"]):
            raise CommandError("--question and --round go with --project.")
        if not 0 <= options["bootstrap"] <= MOST_RESAMPLES:
            raise CommandError(f"--bootstrap takes a number of resamples from 0 to {MOST_RESAMPLES:,}.")
        if options["seed"] < 0:
            raise CommandError("--seed takes a number of zero or more.")
        try:
            # Nothing is printed before all of it is right.
            agreements = list(self.measure(file, **options) if file else self.measure_project(**options))
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        self.print_all(agreements, format)

    def measure(self, file: Path, **options: Any) -> Iterator[Agreement]:
        from labeling.agreement.reading import read_ratings
        from labeling.agreement.statistics.measuring import measure
        from labeling.agreement.statistics.scales import Distance, Level
        from labeling.agreement.values import Wanted

        names = tuple(name.strip() for name in options["categories"].split(",") if name.strip())
        wanted = Wanted(Level(options["level"]), Distance(options["distance"]), names)
        how = resampling(options)
        with file.open("rb") as source:
            for question, ratings in read_ratings(source, wanted, grouped=how.clustered):
                yield measure(ratings, question=question, how=how)

    def measure_project(self, **options: Any) -> Iterator[Agreement]:
        from labeling.agreement.choosing import measurable
        from labeling.agreement.statistics.measuring import measure
        from labeling.agreement.votes import gather

        wanted = {name: options[name] for name in ("question", "round")}
        selection = measurable(find_project(options["project"]), wanted)
        how = resampling(options)
        for question in [selection.question] if options["question"] else selection.questions:
            yield measure(gather(selection.asking(question)).ratings, question=question.key, how=how)

    def print_all(self, agreements: list[Agreement], form: str) -> None:
        from labeling.agreement.exporting import software
        from labeling.agreement.reporting import as_latex, as_text

        try:
            if form == "latex":
                self.stdout.write(as_latex(agreements, software()), ending="")
                return
            for agreement in agreements:
                text = as_text(agreement) if form == "text" else json.dumps(agreement.as_dict(), allow_nan=False)
                self.stdout.write(text)
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def resampling(options: dict[str, Any]) -> Resampling:
    from labeling.agreement.statistics.resampling import Resampling

    return Resampling(
        resamples=options["bootstrap"],
        seed=options["seed"],
        method=options["interval"],
        clustered=options["cluster"],
    )
