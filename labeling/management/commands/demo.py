from __future__ import annotations

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from labeling.overview.demo import DEMO_PEOPLE, build_demo
from labeling.refusals import Refusal


class Command(BaseCommand):
    help = "Fills in a demo project with its people; run again, it adds what is missing and nothing twice."

    def handle(self, **options: object) -> None:
        try:
            password = build_demo(settings.DEMO_PASSWORD)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write("Demo logins:")
        for email in DEMO_PEOPLE:
            self.stdout.write(f"  {email}")
        if password:
            self.stdout.write(f"Password of each: {password}")
        else:
            self.stdout.write("Password of each: printed when the demo was made; DEMO_PASSWORD sets a new one.")
