from __future__ import annotations

from argparse import ArgumentParser

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email

from labeling.people.links import password_link
from labeling.people.models import User


class Command(BaseCommand):
    help = "Makes an account that can start projects, and prints the link with which its owner sets the password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="", help="shown to others; the address by default")

    def handle(self, *, email: str, name: str, **options: object) -> None:
        email = email.strip().lower()
        try:
            validate_email(email)
        except ValidationError as error:
            raise CommandError(f"“{email}” is not an e-mail address.") from error
        user = User.objects.filter(email=email).first() or User.objects.create_user(email, name=name or email)
        if not user.can_create_projects:
            user.can_create_projects = True
            user.save(update_fields=["can_create_projects"])
        self.stdout.write(f"{email} can start projects. Set the password here, within a day:\n{password_link(user)}")
