"""The figures of the agreement page from a database: a closed round of many items with three votes each, on PostgreSQL.

.venv/bin/python bench/agreement_database.py 1000000

Votes are written by SQL, which no person could do; they are read, measured and shown by the code of the page.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
RATERS, GROUPS, DAYS = 3, 60, 30
PAGES = 40
ITEMS = f"""
    INSERT INTO labeling_item (id, project_id, kind, key, "group", title, payload, digest, sameness, imported_at)
    SELECT n, %(project)s, 'review_rename', 'item-' || n, 'org/project' || n %% {GROUPS}, 'load' || n, %(payload)s, '',
           md5(n::text), now() FROM generate_series(1, %(items)s) AS n"""  # noqa: S608 (our own numbers)
PLACES = f"""
    INSERT INTO labeling_rounditem (id, round_id, item_id, position, wanted, votes)
    SELECT n, %(round)s, n, n - 1, {RATERS}, {RATERS} FROM generate_series(1, %(items)s) AS n"""  # noqa: S608 (our own numbers)
SLOTS = f"""
    INSERT INTO labeling_assignment
           (id, round_id, round_item_id, slot, repeat, rater_id, state, position, held_at, vote_id, voted_at)
    SELECT {RATERS} * (n - 1) + s, %(round)s, n, s, 0, (%(raters)s::int[])[s], 'voted', n - 1, now(),
           {RATERS} * (n - 1) + s, now() FROM generate_series(1, %(items)s) AS n, generate_series(1, {RATERS}) AS s"""  # noqa: S608 (our own numbers)
PAYLOAD = {
    "repository": "org/project",
    "buggy_name": "load",
    "fixed_name": "fetch",
    "commit": "a" * 40,
    "path": "src/main/java/org/example/Service.java",
    "body_before": "void load() { open(); }",
    "thread": [{"body": "Please call this fetch.", "author": "reviewer", "linked": True}],
}
# Six of ten items are right to include; each rater errs on one of eight, each on others.
VOTES = f"""
    INSERT INTO labeling_vote
           (id, assignment_id, rater_id, revision, submission, protocol_id, answers, note, flag, cast_at)
    SELECT {RATERS} * (n - 1) + s, {RATERS} * (n - 1) + s, (%(raters)s::int[])[s], 1, gen_random_uuid(), %(protocol)s,
           CASE WHEN (hashint8(n) & 255 < 154) <> (hashint8(-{RATERS} * n - s) & 7 = 0)
                THEN '{{"include": "yes", "criteria": ["suggested"]}}'::jsonb ELSE '{{"include": "no"}}'::jsonb END,
           '', '', now() - n %% {DAYS} * interval '1 day'
    FROM generate_series(1, %(items)s) AS n, generate_series(1, {RATERS}) AS s"""  # noqa: S608 (our own numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("items", type=int)
    options = parser.parse_args()
    from tests.servers import postgres_url

    with tempfile.TemporaryDirectory() as folder, postgres_url() as url:
        os.environ |= {"DATABASE_URL": url, "VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "annotator.settings"}
        import django

        django.setup()
        measure(options.items)


def measure(items: int) -> None:
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    from labeling.agreement.choosing import measurable
    from labeling.agreement.keeping import measure_now
    from labeling.agreement.votes import grouped_rows
    from labeling.annotation.models import Round

    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    project, alice = build(items)
    print(f"{items:,} items × {RATERS} votes, {GROUPS} groups, {DAYS} days; load {load()}", flush=True)
    for times in ("first", "again"):
        rows = timed(f"grouped query, {times}", lambda: grouped_rows(measurable(project, {})))
        print(f"  {len(rows):,} rows")
    measured = timed("all figures of a question", lambda: measure_now(measurable(project, {})))
    alpha = measured.figures["agreement"]["krippendorff_alpha"]
    print(f"  α {alpha['value']:.4f} [{alpha['low']:.4f}, {alpha['high']:.4f}] from {measured.votes:,} votes")
    print(f"  memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    client = Client(headers={"host": "localhost"})
    client.force_login(alice)
    show_page(client, f"/projects/{project.slug}/agreement/", "page, figures kept")
    Round.objects.update(state="open", closed_at=None)  # the kept figures are out of date now
    show_page(client, f"/projects/{project.slug}/agreement/", "page, while newer figures are on their way")
    connection.close()


def build(items: int) -> tuple[Any, Any]:
    """A project whose votes are all in, and its coordinator."""
    from django.db import connection
    from django.utils import timezone

    from labeling.annotation.models import Rater, Round
    from labeling.corpus.projects import create_project
    from labeling.people.models import User
    from tests.annotation.samples import annotators, protocol

    alice = User.objects.create_user("bench@example.org", name="Bench")
    project = create_project(name="Bench", by=alice)
    version = protocol(project)
    round = Round.objects.create(
        project=project, name="First", protocol=version, state="closed", closed_at=timezone.now(), seed=7,
        votes_wanted=RATERS, item_count=items, votes_due=RATERS * items,
    )  # fmt: skip
    raters = [
        Rater.objects.create(round=round, user=user, number=at + 1, tally=[*[0] * at, items],
                             completions=items if at + 1 == RATERS else 0)
        for at, user in enumerate(annotators(project, RATERS))
    ]  # fmt: skip
    given = {"project": project.pk, "round": round.pk, "protocol": version.pk, "items": items,
             "raters": [rater.pk for rater in raters], "payload": json.dumps(PAYLOAD)}  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # no check of each reference: they are right
        for statement in (ITEMS, PLACES, SLOTS, VOTES):
            cursor.execute(statement, given)
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("ANALYZE")
    return project, alice


def timed(name: str, act: Callable[[], Any]) -> Any:
    started, used = time.perf_counter(), time.process_time()
    found = act()
    busy = time.process_time() - used
    print(
        f"{name}: {time.perf_counter() - started:.2f} s, {busy:.2f} s of it on the processor; load {load()}", flush=True
    )
    return found


def show_page(client: Any, url: str, name: str) -> None:
    seconds = []
    for _ in range(PAGES):
        started = time.perf_counter()
        response = client.get(url, secure=True)
        seconds.append(time.perf_counter() - started)
        if response.status_code != 200:
            raise SystemExit(f"{url} answered {response.status_code}.")
    p95 = statistics.quantiles(seconds, n=20)[-1]
    print(f"{name}: {1000 * statistics.median(seconds):.0f} ms, {1000 * p95:.0f} ms at p95; load {load()}", flush=True)


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()
