from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from labeling.management.arguments import find_project
from labeling.people.invitations import invite
from labeling.people.links import invitation_link
from labeling.people.models import Role
from labeling.refusals import Refusal


class Command(BaseCommand):
    help = "Invites a person into a project and prints their personal link."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("email")
        parser.add_argument("--role", choices=Role.values, default=Role.ANNOTATOR.value)

    def handle(self, *, project: str, email: str, role: str, **options: object) -> None:
        try:
            _, token = invite(find_project(project), email=email, role=Role(role), by=None)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(invitation_link(token))
