"""What bench/peers.py does inside our own app because it is not what is measured: accounts, votes straight into the
tables, counts. Run as a script of its own, with the settings of the installation in the environment."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
PEOPLE = 8
PASSWORD = "bench-only-4711"  # noqa: S105 (of an installation that lives for minutes)
BATCH = 5_000


def people() -> dict[str, object]:
    from labeling.people.models import ApiToken, User

    boss = User.objects.create_user("coordinator@example.org", PASSWORD, name="Cora", can_create_projects=True)
    raters = [User.objects.create_user(f"rater{number}@example.org", name=f"R {number}") for number in range(PEOPLE)]
    return {
        "coordinator": ApiToken.issue(user=boss, name="bench")[1],
        "annotators": [ApiToken.issue(user=user, name="bench")[1] for user in raters],
        "emails": [user.email for user in raters],
        "password": PASSWORD,
    }


def members(slug: str) -> int:
    from labeling.corpus.models import Project
    from labeling.people.invitations import add_member
    from labeling.people.models import Role, User

    project = Project.objects.get(slug=slug)
    raters = User.objects.filter(email__startswith="rater")
    for user in raters:
        add_member(project, user=user, role=Role.ANNOTATOR, by=None)
    return len(raters)


def judge(slug: str) -> int:
    """One vote on every item of the round, as casting it would have left it."""
    from uuid import UUID

    from django.db.models import OuterRef, Subquery
    from django.utils import timezone

    from labeling.annotation.models import Assignment, Rater, Round, Vote
    from labeling.annotation.rounds.counting import recount

    found = Round.objects.select_related("protocol").get(project__slug=slug)
    raters = list(Rater.objects.filter(round=found).order_by("number"))
    slots = Assignment.objects.filter(round=found).order_by("pk")
    last = 0
    while batch := list(slots.filter(pk__gt=last)[:BATCH]):
        for slot in batch:
            slot.rater, slot.state, slot.position = raters[slot.pk % len(raters)], "skipped", 0
        Assignment.objects.bulk_update(batch, ["rater", "state", "position"])
        Vote.objects.bulk_create(
            Vote(assignment=slot, rater=slot.rater, submission=UUID(int=slot.pk), protocol=found.protocol,
                 answers={"about": "yes" if slot.pk % 3 else "no"}, active_seconds=8, wall_seconds=9, idle_seconds=1)
            for slot in batch
        )  # fmt: skip
        last = batch[-1].pk
    cast = Vote.objects.filter(assignment=OuterRef("pk")).values("pk")
    slots.update(vote=Subquery(cast), state="voted", voted_at=timezone.now())
    recount(found)
    return Vote.objects.filter(assignment__round=found).count()


def over(slug: str) -> int:
    from django.db.models import Count, F

    from labeling.annotation.models import Assignment

    voted = Assignment.objects.filter(round__project__slug=slug, vote__isnull=False).values("round_item")
    return voted.annotate(count=Count("pk"), goal=F("round_item__wanted")).filter(count__gt=F("goal")).count()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    import django

    django.setup()
    acts = {"people": people, "members": members, "judge": judge, "over": over}
    print(json.dumps(acts[sys.argv[1]](*sys.argv[2:])))  # type: ignore[operator]
