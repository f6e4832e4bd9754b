"""How long a release takes and how much memory it needs: items with three votes each, made and frozen.

python bench/release.py 100000
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BATCH = 5_000


def fill(count: int) -> None:
    """Items and votes straight into the tables: making them by hand is not what is measured."""
    from uuid import UUID

    from django.db.models import OuterRef, Subquery
    from django.utils import timezone

    from labeling.annotation.models import Assignment, Protocol, ProtocolVersion, Rater, Round, RoundItem, Vote
    from labeling.annotation.rounds.counting import recount
    from labeling.consensus.models import Rule
    from labeling.corpus.importing import new_entry
    from labeling.corpus.models import Item
    from labeling.corpus.projects import create_project
    from labeling.corpus.storing import insert_entries
    from labeling.people.models import User
    from tests.annotation.samples import CODEBOOK, EXCLUDE, INCLUDE

    people = [User.objects.create_user(f"r{number}@example.org", name=f"Rater {number}") for number in range(3)]
    project = create_project(name="Bench", slug="bench", by=people[0])
    protocol = Protocol.objects.create(project=project, name="Pairs")
    version = ProtocolVersion.objects.create(protocol=protocol, content=CODEBOOK)
    round = Round.objects.create(project=project, name="Main", protocol=version, state="closed", seed=7,
                                 closed_at=timezone.now())  # fmt: skip
    Rule.objects.create(round=round, way="majority", others="union")
    raters = [Rater.objects.create(round=round, user=user, number=number) for number, user in enumerate(people, 1)]
    for start in range(0, count, BATCH):
        numbers = range(start, min(start + BATCH, count))
        insert_entries(
            [new_entry("review_rename", row(number), key=f"item-{number:07}") for number in numbers], project
        )
        ids = list(
            Item.objects.filter(project=project).order_by("pk").values_list("pk", flat=True)[start : start + BATCH]
        )
        items = RoundItem.objects.bulk_create(
            [RoundItem(round=round, item_id=pk, position=start + at, wanted=3) for at, pk in enumerate(ids)]
        )
        slots = Assignment.objects.bulk_create(
            [Assignment(round=round, round_item=item, slot=place + 1, rater=rater, state="skipped", position=0)
             for item in items for place, rater in enumerate(raters)]
        )  # fmt: skip
        Vote.objects.bulk_create(
            [Vote(assignment=slot, rater_id=slot.rater_id, submission=UUID(int=slot.pk), protocol=version,
                  answers=EXCLUDE if (slot.pk * 7 + slot.slot) % 11 < 3 else INCLUDE, active_seconds=9.5,
                  wall_seconds=10, idle_seconds=0.5) for slot in slots]
        )  # fmt: skip
    cast = Vote.objects.filter(assignment=OuterRef("pk")).values("pk")
    Assignment.objects.filter(round=round).update(vote=Subquery(cast), state="voted", voted_at=timezone.now())
    recount(round)


def row(number: int) -> dict[str, object]:
    body = "\n".join(f"    step{number}_{line}.run(pool, {line});" for line in range(12))
    return {
        "buggy_name": f"load{number}x",
        "fixed_name": f"fetchConnectionOf{number}",
        "body_before": f"void load{number}x(Pool pool) {{\n{body}\n}}",
        "repository": f"acme/rockets{number % 66}",
        "pull_request": {"number": number, "title": "Speed up start", "state": "merged"},
        "thread": [{"body": "What does it load? Please name it after the result.", "linked": True}],
        "commit": f"{number:040x}",
        "path": "src/main/java/acme/Rockets.java",
    }


def release() -> None:
    from labeling import tasks
    from labeling.corpus.models import Project
    from labeling.jobs import running
    from labeling.release.choosing import choose
    from labeling.release.making import Title, create_release

    project = Project.objects.get(slug="bench")
    made, job = create_release(choose(project, filters=["include=yes"]), Title("Bench"), by=None)
    started = time.perf_counter()
    running.run(job.pk, tasks.WORK)
    seconds = time.perf_counter() - started
    job.refresh_from_db()
    made.refresh_from_db()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = Path(made.archive.path).stat().st_size / 1e6 if made.archive else 0
    print(f"{job.state} {job.error}: {seconds:.0f} s, at most {peak:.0f} MB of memory, a ZIP of {size:.0f} MB")


def in_two_processes(file: str, steps: dict[str, Callable[[], None]], *, usual: str) -> None:
    """Fills a database with as many items as asked for in one process, and measures in another, by itself."""
    if len(sys.argv) > 2:
        import django

        django.setup()
        steps[sys.argv[2]]()
        return
    count = sys.argv[1] if len(sys.argv) > 1 else usual
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "annotator.settings", "VAR_DIR": folder,
                       "PYTHONPATH": str(ROOT), "SECRET_KEY": "bench"}  # fmt: skip
        for step in steps:
            subprocess.run([sys.executable, file, count, step], env=environment, check=True, cwd=ROOT)


def migrated(fill: Callable[[int], None]) -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    fill(int(sys.argv[1]))


if __name__ == "__main__":
    in_two_processes(__file__, {"fill": lambda: migrated(fill), "release": release}, usual="10000")
