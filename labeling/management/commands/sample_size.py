from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.refusals import Refusal
from labeling.study.design.sizes import design_effect, sample_size


class Command(BaseCommand):
    help = "Prints how many judgements a share needs to be known within a margin; needs no database."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--population", type=int, required=True, help="how many methods there are in all")
        parser.add_argument("--confidence", type=float, default=0.95)
        parser.add_argument("--margin", type=float, default=0.05, help="half the width of the interval")
        parser.add_argument("--proportion", type=float, default=0.5, help="the share expected; 0.5 needs the most")
        parser.add_argument("--design-effect", type=float, help="by how much clustering multiplies the variance")
        parser.add_argument("--cluster-size", type=float, help="judgements a participant; with --icc")
        parser.add_argument("--icc", type=float, help="how far the answers of a participant correlate")

    def handle(self, **options: Any) -> None:
        wanted = {name: options[name] for name in ("population", "confidence", "margin", "proportion")}
        try:
            size = sample_size(**wanted, design_effect=clustering(options))
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(str(size.needed))
        if size.note:
            self.stderr.write(size.note)


def clustering(options: dict[str, Any]) -> float:
    effect, cluster_size, icc = (options[name] for name in ("design_effect", "cluster_size", "icc"))
    if (cluster_size is None) != (icc is None):
        raise CommandError("--cluster-size and --icc go together.")
    if effect is not None and icc is not None:
        raise CommandError("Name --design-effect, or --cluster-size and --icc, not both.")
    if icc is not None:
        return design_effect(cluster_size, icc)
    return 1.0 if effect is None else float(effect)
