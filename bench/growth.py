"""Every page and every GET call of the API, on projects of growing size: a closed round with three votes on each item,
and the cases that came of them. On PostgreSQL, in the process, without HTTP.

.venv/bin/python bench/growth.py                       1,000 and 10,000 items
.venv/bin/python bench/growth.py 1000 10000 100000 1000000
"""

from __future__ import annotations

import argparse
import gc
import logging
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]
TIMES = 7
NOT_PAGES = {"download", "export", "file", "schema", "docs", "jsi18n"}  # what makes or sends files, or never grows
GROWS = 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("items", type=int, nargs="*", default=[1_000, 10_000])
    sizes = parser.parse_args().items
    found: dict[int, dict[str, tuple[float, int]]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, __file__, "--measure", str(size), f"{folder}/times"], check=True)
            lines = Path(f"{folder}/times").read_text().splitlines()
        found[size] = {name: (float(ms), int(count)) for name, ms, count in (line.split("\t") for line in lines)}
    show(sizes, found)


def show(sizes: list[int], found: dict[int, dict[str, tuple[float, int]]]) -> None:
    """A line for each route, those that grow most first."""
    nothing = (float("nan"), 0)
    rows = {name: [found[size].get(name, nothing) for size in sizes] for size in sizes for name in found[size]}
    growth = {name: grown([ms for ms, _ in cells]) for name, cells in rows.items()}
    print("| route | " + " | ".join(f"{size:,} items, ms (queries)" for size in sizes) + " | grows |")
    print("|---|" + "---|" * (len(sizes) + 1))
    for name in sorted(rows, key=lambda name: -growth[name]):
        cells = " | ".join("–" if math.isnan(ms) else f"{ms:.0f} ({count})" for ms, count in rows[name])
        print(f"| `{name}` | {cells} | {growth[name]:.1f}× |")
    print(f"{sum(value > GROWS for value in growth.values())} of {len(growth)} routes grow more than {GROWS:g} times.")


def grown(times: list[float]) -> float:
    """From the smallest to the largest size at which the route was there at all."""
    there = [ms for ms in times if not math.isnan(ms)]
    return there[-1] / there[0]


def measure(size: int, file: str) -> None:
    from agreement_database import build

    from tests.servers import postgres_url

    with tempfile.TemporaryDirectory() as folder, postgres_url() as url:
        os.environ |= {"DATABASE_URL": url, "VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "annotator.settings"}
        import django

        django.setup()
        logging.disable(logging.WARNING)
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        project, alice = build(size)
        started = time.perf_counter()
        settle(project)
        print(
            f"{size:,} items: routed and measured in {time.perf_counter() - started:.1f} s; load {load()}", flush=True
        )
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # what PostgreSQL itself does within a minute after so many changes
        with Path(file).open("w") as out:
            out.writelines(f"{name}\t{ms}\t{count}\n" for name, ms, count in timed_routes(project, alice))
        print(f"{size:,} items: done; load {load()}", flush=True)
        connection.close()


def settle(project: Any) -> None:
    """What the worker would have done: the figures, and the cases."""
    from labeling.agreement.choosing import measurable
    from labeling.agreement.keeping import measure_now
    from labeling.annotation.models import Round
    from labeling.consensus.routing import route_batch

    for round in Round.objects.filter(project=project):
        while route_batch(round):
            pass
    measure_now(measurable(project, {}))


def timed_routes(project: Any, alice: Any) -> Iterator[tuple[str, float, int]]:
    """Each route that answers a GET with 200 to a coordinator or, failing that, to an annotator."""
    from django.test import Client

    from labeling.people.models import Role, User

    people = [alice, User.objects.filter(memberships__role=Role.ANNOTATOR).order_by("pk")[0]]
    clients = []
    for user in people:
        clients.append(Client(headers={"host": "localhost"}))
        clients[-1].force_login(user)
    for name, addresses in routes(project):
        for client, address in ((client, address) for address in addresses for client in clients):
            response = client.get(address, secure=True)
            response.close()
            if response.status_code == 200:
                yield name, *timed(client, address)
                break


def timed(client: Any, address: str) -> tuple[float, int]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        client.get(address, secure=True).close()
    count = len(queries)  # now: the next request begins to count anew
    seconds = []
    gc.collect()
    for _ in range(TIMES):
        started = time.perf_counter()
        client.get(address, secure=True).close()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds) * 1000, count


def routes(project: Any) -> Iterator[tuple[str, list[str]]]:
    """Every named route of ours, with addresses to try: what a number in it means only its view knows."""
    from django.urls import NoReverseMatch, get_resolver, reverse

    from labeling.annotation.models import Assignment, ProtocolVersion, Round
    from labeling.consensus.models import Case
    from labeling.corpus.models import Item

    numbers = [model.objects.order_by("pk").values_list("pk", flat=True).last() for model in
               (Round, Case, Item, ProtocolVersion, Assignment)]  # fmt: skip
    for namespace, (_, resolver) in sorted(get_resolver().namespace_dict.items()):
        if namespace == "admin":
            continue
        for key in sorted(key for key in resolver.reverse_dict if isinstance(key, str)):
            if NOT_PAGES & set(key.split("_")):
                continue
            addresses = []
            for number in numbers if number_in(resolver, key) else [None]:
                given = {name: project.slug if name == "slug" else number for name in names_in(resolver, key)}
                try:
                    addresses.append(reverse(f"{namespace}:{key}", kwargs=given))
                except NoReverseMatch:
                    continue
            yield f"{namespace}:{key}", [address for address in addresses if "logout" not in address]


def names_in(resolver: Any, key: str) -> list[str]:
    ((_, names), *_), *_ = resolver.reverse_dict.getlist(key)[0]
    return list(names)


def number_in(resolver: Any, key: str) -> bool:
    return any(name != "slug" for name in names_in(resolver, key))


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(int(sys.argv[2]), sys.argv[3])
    else:
        main()
