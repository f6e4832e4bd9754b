from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from labeling.management.arguments import find_user
from labeling.people.links import password_link


class Command(BaseCommand):
    help = "Prints a link with which a person sets a new password: for installations that send no mail."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *, email: str, **options: object) -> None:
        self.stdout.write(password_link(find_user(email)))
