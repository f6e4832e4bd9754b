from __future__ import annotations

from django.core.management.base import BaseCommand

from labeling.study.taking.leaving import forget_expired


class Command(BaseCommand):
    help = "Takes away what leads to participants whose retention date has passed. Run it once a day."

    def handle(self, **options: object) -> None:
        self.stdout.write(f"{forget_expired()} participants were forgotten.")
