from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from labeling.corpus.picking import pick_comment
from labeling.management.arguments import find_project
from labeling.refusals import Refusal


class Command(BaseCommand):
    help = "Links an item to another comment of its thread, counted from 0."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("key", help="the item's key")
        parser.add_argument("comment", type=int)

    def handle(self, *, project: str, key: str, comment: int, **options: object) -> None:
        item = find_project(project).items.filter(key=key).first()
        if item is None:
            raise CommandError(f"There is no item with the key “{key}” in {project}.")
        try:
            pick_comment(item, comment=comment, by=None)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
