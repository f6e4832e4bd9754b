"""The loop next → vote over HTTP against our gunicorn, on rounds of growing size. Loopback only, bounded in time.

.venv/bin/python bench/annotation_load.py                          1,000 and 100,000 items, SQLite and PostgreSQL
.venv/bin/python bench/annotation_load.py --items 1000 --seconds 3 --engines postgres
.venv/bin/python bench/annotation_load.py --million                also 1,000,000 items
WEB_PROCESSES=4 .venv/bin/python bench/annotation_load.py          by four web processes instead of one for each core
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
PEOPLE = 32
VOTES = 3
ANSWERS = {"decision": "exclude", "reason": "unconnected"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--items", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--annotators", type=int, nargs="+", default=[1, 8, 32], help=f"at a time, at most {PEOPLE}")
    parser.add_argument("--engines", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"])
    parser.add_argument("--seconds", type=float, default=20, help="for each number of annotators")
    parser.add_argument("--most", type=int, default=20_000, help="rounds of the loop for each number of annotators")
    options = parser.parse_args()
    sizes = [*options.items, 1_000_000] if options.million else options.items
    for engine in options.engines:
        growth: dict[int, dict[str, list[float]]] = {}
        for size in sizes:
            with installation(engine, size) as place:
                for count in options.annotators:
                    p95 = report(engine, size, count, place, options)
                    for name, value in p95.items():
                        growth.setdefault(count, {}).setdefault(name, []).append(value)
                print(f"{engine}, {size:,} items: {json.dumps(child('check', place))}", flush=True)
        for count, calls in growth.items():
            for name, values in calls.items():
                grown = values[-1] / values[0]
                print(f"{engine}, {count} annotators, p95 of {name}: {grown:.2f}× from the first to the last size")


class Place:
    """Where a run has its database, its server and its people's tokens."""

    def __init__(self, environment: dict[str, str], url: str = "") -> None:
        self.environment, self.url = environment, url
        self.tokens: list[str] = []


@contextmanager
def installation(engine: str, size: int) -> Iterator[Place]:
    """A database with a planned round, and gunicorn and Redis before it."""
    from tests.servers import Background, free_port, postgres_url, redis_server

    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        database = stack.enter_context(postgres_url()) if engine == "postgres" else f"sqlite:///{folder}/bench.sqlite3"
        port = free_port()
        place = Place(
            {
                **os.environ,
                "DATABASE_URL": database,
                "VAR_DIR": f"{folder}/var",
                "PLAIN_HTTP": "1",
                "LOG_LEVEL": "ERROR",
                "REDIS_URL": stack.enter_context(redis_server()).url,
                "API_RATE_USER": "100000000",
                "HOST": "127.0.0.1",
                "PORT": str(port),
                "PROMETHEUS_MULTIPROC_DIR": f"{folder}/metrics",
            },
            f"http://127.0.0.1:{port}",
        )
        Path(f"{folder}/metrics").mkdir()
        built = child("build", place, str(size))
        place.tokens = built.pop("tokens")
        print(f"{engine}, {size:,} items: {json.dumps(built)}", flush=True)
        server = Background(["gunicorn", "-c", "python:annotator.gunicorn"], place.environment)
        stack.callback(server.stop)
        wait_for(place.url)
        yield place


def wait_for(url: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            connection = HTTPConnection(urlsplit(url).netloc, timeout=2)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
        except OSError:
            time.sleep(0.05)
        else:
            return
    sys.exit("The server did not start.")


class Annotator(threading.Thread):
    """One person in the loop, until the time or the count is over or nothing is left."""

    def __init__(self, place: Place, token: str, deadline: float, most: int) -> None:
        super().__init__()
        self.connection = HTTPConnection(urlsplit(place.url).netloc, timeout=60)
        self.token, self.deadline, self.most = token, deadline, most
        self.times: dict[str, list[float]] = {"next": [], "vote": []}
        self.errors: list[str] = []

    def run(self) -> None:
        for _ in range(self.most):
            if time.perf_counter() > self.deadline:
                return
            handed = self.call("next", "projects/bench/next/", {})
            if not handed or not handed.get("assignment"):
                return
            body = {"submission": str(uuid4()), "answers": ANSWERS, "timing": {"wall": 9, "active": 8, "idle": 1}}
            self.call("vote", f"assignments/{handed['assignment']['id']}/vote/", body)

    def call(self, name: str, path: str, body: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        started = time.perf_counter()
        self.connection.request("POST", f"/api/v1/{path}", json.dumps(body), headers)
        answer = self.connection.getresponse()
        data = answer.read()
        self.times[name].append(time.perf_counter() - started)
        if answer.status != 200:
            self.errors.append(f"{answer.status} {data[:300]!r}")
            return None
        return json.loads(data)


def report(engine: str, size: int, count: int, place: Place, options: argparse.Namespace) -> dict[str, float]:
    """Runs the loop with so many annotators, prints a line of the table, and returns the p95 of each call."""
    started = time.perf_counter()
    people = [
        Annotator(place, token, started + options.seconds, options.most // count) for token in place.tokens[:count]
    ]
    for person in people:
        person.start()
    for person in people:
        person.join()
    seconds = time.perf_counter() - started
    times = {name: sorted(value for person in people for value in person.times[name]) for name in ("next", "vote")}
    cells = [f"{name} p50 {ms(times[name], 50)} ms, p95 {ms(times[name], 95)} ms" for name in times]
    errors = [error for person in people for error in person.errors]
    rate = len(times["vote"]) / seconds
    print(
        f"{engine} | {size:,} | {count} | {rate:,.0f} rounds/s | {' | '.join(cells)} | {len(errors)} errors", flush=True
    )
    if errors:
        print(f"  the first: {errors[0]}")
    return {name: percentile(values, 95) for name, values in times.items() if values}


def percentile(values: list[float], percent: int) -> float:
    return values[max(0, math.ceil(len(values) * percent / 100) - 1)]


def ms(values: list[float], percent: int) -> str:
    return f"{percentile(values, percent) * 1000:.1f}" if values else "–"


def child(act: str, place: Place, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, f"--{act}", *arguments],
        env=place.environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def build(size: int) -> None:
    """Items by one statement, the round by our own planning."""
    from django.core.management import call_command

    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    from labeling.annotation.protocols.editing import create_built_in
    from labeling.corpus.projects import create_project
    from labeling.people.invitations import add_member
    from labeling.people.models import ApiToken, Role, User

    alice = User.objects.create_user("alice@example.org", name="Alice", can_create_projects=True)
    project = create_project(name="Bench", slug="bench", by=alice)
    started = time.perf_counter()
    copy_items(project.pk, size)
    stored = time.perf_counter() - started
    tokens = []
    for number in range(PEOPLE):
        user = User.objects.create_user(f"rater{number}@example.org", name=f"Rater {number}")
        add_member(project, user=user, role=Role.ANNOTATOR, by=alice)
        tokens.append(ApiToken.issue(user=user, name="bench")[1])
    protocol = create_built_in(project, name="rename4j", by=alice)
    started = time.perf_counter()
    call_command("plan_round", "bench", name="Bench", protocol=protocol.name, votes=VOTES, seed=1, verbosity=0)
    planned = time.perf_counter() - started
    print(json.dumps({"stored": round(stored, 1), "planned": round(planned, 1), "tokens": tokens}))


def copy_items(project: int, size: int) -> None:
    """One item of 1.5 KB through all checks, then its like by the database itself."""
    from django.db import connection

    from labeling.corpus.importing import Options, import_list
    from labeling.corpus.models import Project

    body = " ".join(f"word{number}" for number in range(150))
    row = {
        "key": "item-0",
        "repository": "org/project",
        "buggy_name": "load",
        "fixed_name": "fetch",
        "commit": "a" * 40,
        "path": "src/main/java/org/example/Service.java",
        "body_before": f"void load() {{ {body} }}",
        "thread": [{"body": "Please call this fetch.", "author": "reviewer", "linked": True}],
    }
    import_list([row], Project.objects.get(pk=project), Options(kind="review_rename"))
    series = (
        "SELECT n FROM generate_series(1, %s) AS n"
        if connection.vendor == "postgresql"
        else "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < %s) SELECT n FROM c"
    )
    columns = 'project_id, kind, "group", title, payload, digest, sameness, imported_at'
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO labeling_item (key, {columns}) SELECT 'item-' || s.n, {columns} "  # noqa: S608 (our own words)
            f"FROM labeling_item CROSS JOIN ({series}) AS s WHERE key = 'item-0'",
            [size - 1],
        )
        cursor.execute("ANALYZE labeling_item" if connection.vendor == "postgresql" else "ANALYZE")


def check() -> None:
    """What must never be, more votes than wanted or two of one person on one item; and the monitor, as pages ask it."""
    from django.db.models import Count, F

    from labeling.annotation.models import Assignment, Round, RoundItem, Vote
    from labeling.annotation.rounds.listing import STATES, items_by_state
    from labeling.annotation.rounds.monitoring import round_status

    voted = Assignment.objects.filter(state="voted", repeat=0)
    over = (
        voted.values("round_item")
        .annotate(count=Count("pk"), wanted=F("round_item__wanted"))
        .filter(count__gt=F("wanted"))
    )
    twice = voted.values("round_item", "rater").annotate(count=Count("pk")).filter(count__gt=1)
    found = Round.objects.select_related("protocol__protocol").get()
    times = []
    for _ in range(20):
        started = time.perf_counter()
        round_status(found)
        times.append(time.perf_counter() - started)
    pages = {}
    for state in STATES:
        started = time.perf_counter()
        items_by_state(found, state)
        pages[state] = round((time.perf_counter() - started) * 1000, 1)
    answer = {
        "votes": Vote.objects.count(),
        "counted": sum(RoundItem.objects.filter(votes__gt=0).values_list("votes", flat=True)),
        "over-assignments": over.count() + twice.count(),
        "monitor p95 ms": float(ms(sorted(times), 95)),
        "lists ms": pages,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    if sys.argv[1:2] in (["--build"], ["--check"]):
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
        import django

        django.setup()
        build(int(sys.argv[2])) if sys.argv[1] == "--build" else check()
    else:
        main()
