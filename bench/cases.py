"""How long the pages of consensus take with many cases: about two thirds of the items are disputed, most are decided.

python bench/cases.py 15000
"""

from __future__ import annotations

import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BATCH = 1_000
PAGES = ("overview/", "", "?state=all", "?who=waiting", "alike/", "mine/")


def fill(count: int) -> None:
    from release import fill as fill_items

    from labeling.annotation.models import Round
    from labeling.consensus.routing import route_batch, set_rule

    fill_items(count)
    round = Round.objects.get()
    set_rule(round, way="discussion", others="discussion", names_shown=False, by=None)
    started = time.perf_counter()
    while route_batch(round):
        pass
    print(f"{count:,} items routed to {round.cases.count():,} cases in {time.perf_counter() - started:.0f} s")
    decide(round)


def decide(round: object) -> None:
    """Four of five by their voters, as the last confirmation would have it."""
    from uuid import uuid4

    from labeling.consensus.models import Case, CaseState, Decision, Proposal
    from labeling.people.models import User
    from tests.annotation.samples import INCLUDE

    voter = User.objects.earliest("pk")
    cases = [case for case in Case.objects.filter(round=round).order_by("pk") if case.pk % 5]
    for start in range(0, len(cases), BATCH):
        some = cases[start : start + BATCH]
        proposals = Proposal.objects.bulk_create(
            Proposal(case=case, author=voter, submission=uuid4(), answers=INCLUDE) for case in some
        )
        decisions = Decision.objects.bulk_create(
            Decision(case=case, answers=INCLUDE, proposal=proposal, made_by=voter, voted=case.voted)
            for case, proposal in zip(some, proposals, strict=True)
        )
        for case, decision in zip(some, decisions, strict=True):
            case.state, case.decision = CaseState.DECIDED, decision
        Case.objects.bulk_update(some, ["state", "decision"])


def look() -> None:
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from labeling.consensus.models import Case
    from labeling.people.invitations import add_member
    from labeling.people.models import Role, User

    call_command("collectstatic", interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    user = User.objects.earliest("pk")
    add_member(Case.objects.earliest("pk").round.project, user=user, role=Role.ANNOTATOR, by=user)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    for page in (*PAGES, f"{Case.objects.open().latest('pk').pk}/"):
        client.get(f"/projects/bench/cases/{page}", secure=True)
        started = time.perf_counter()
        with CaptureQueriesContext(connection) as queries:
            status = client.get(f"/projects/bench/cases/{page}", secure=True).status_code
        print(f"cases/{page}: {status}, {time.perf_counter() - started:.2f} s, {len(queries)} queries")


if __name__ == "__main__":
    from release import in_two_processes, migrated

    in_two_processes(__file__, {"fill": lambda: migrated(fill), "look": look}, usual="15000")
