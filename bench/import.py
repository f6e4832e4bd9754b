"""Import speed and memory: makes items of 1.5 KB each and imports them by the command, on the database in use.

.venv/bin/python bench/import.py 100000          SQLite in a folder of its own
.venv/bin/python bench/import.py 100000 --postgres    PostgreSQL from the development wheel
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("items", type=int)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--without-search", action="store_true", help="leave out making the items searchable")
    options = parser.parse_args()
    from tests.servers import postgres_url

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "items.jsonl"
        size = write_items(file, options.items)
        print(f"{options.items:,} items, {size / options.items:,.0f} bytes each")
        if not options.postgres:
            report(options, folder, file, "")
            return
        with postgres_url() as url:
            report(options, folder, file, url)


def write_items(file: Path, count: int) -> int:
    random = Random(7)  # noqa: S311 (the same items each time)
    words = [f"word{number}" for number in range(2000)]
    with file.open("w") as out:
        for number in range(count):
            body = " ".join(random.choices(words, k=110))
            item = {
                "key": f"item-{number}",
                "repository": f"org/project{number % 60}",
                "buggy_name": f"load{number}",
                "fixed_name": f"fetch{number}",
                "body_before": f"void load{number}() {{ {body} }}",
                "thread": [{"body": " ".join(random.choices(words, k=40)), "author": "reviewer", "linked": True}],
                "commit": f"{random.getrandbits(160):040x}",
                "path": f"src/main/java/org/example/Service{number % 500}.java",
            }
            out.write(json.dumps(item) + "\n")
    return file.stat().st_size


def report(options: argparse.Namespace, folder: str, file: Path, url: str) -> None:
    os.environ["BENCH_SEARCH"] = "" if options.without_search else "1"
    runs = [measure(folder, file, url, repeat) for repeat in range(options.repeats)]
    seconds = statistics.median(run["store"] for run in runs)
    print(f"store:  {seconds:.1f} s (median of {options.repeats}), {options.items / seconds:,.0f} items/s")
    busy = statistics.median(run["busy"] for run in runs)
    print(f"        {busy:.1f} s of it on the processor; on a busy machine the rest is waiting")
    if not options.without_search:
        print(f"search: {statistics.median(run['index'] for run in runs):.1f} s more until all are searchable")
    print(f"again:  {statistics.median(run['again'] for run in runs):.1f} s for the same file, nothing new")
    print(f"memory: {max(run['memory'] for run in runs) / 1024:.0f} MB at most")


def measure(folder: str, file: Path, url: str, repeat: int) -> dict[str, float]:
    """One import in a process of its own, into a new project."""
    environment = {**os.environ, "DATABASE_URL": url, "VAR_DIR": f"{folder}/var", "BENCH_REPEAT": str(repeat)}
    done = subprocess.run(
        [sys.executable, __file__, "--child", str(file)], env=environment, capture_output=True, text=True, check=True
    )
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def child(file: Path) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import transaction

    from labeling.corpus.importing import Options, import_rows
    from labeling.corpus.kinds import KINDS
    from labeling.corpus.projects import create_project
    from labeling.corpus.reading import read_rows
    from labeling.corpus.searching import index_words
    from labeling.people.models import User

    call_command("migrate", interactive=False, verbosity=0)
    user = User.objects.first() or User.objects.create_user("bench@example.org", name="Bench")
    project = create_project(name=f"Bench {os.environ['BENCH_REPEAT']}", by=user)

    def one_pass() -> tuple[float, float]:
        started, used = time.perf_counter(), time.process_time()
        with file.open("rb") as source:
            rows = read_rows(source, form="jsonl", kind=KINDS["review_rename"])
            import_rows(
                rows,
                project,
                Options(kind="review_rename"),
                step=lambda _: transaction.atomic(),
                done_with=lambda _outcome, _rejected: None,
            )
        return time.perf_counter() - started, time.process_time() - used

    (store, busy), (again, _) = one_pass(), one_pass()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    if os.environ["BENCH_SEARCH"]:
        index_words(project, step=lambda _: transaction.atomic())
    index = time.perf_counter() - started
    print(json.dumps({"store": store, "busy": busy, "again": again, "index": index, "memory": memory}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(Path(sys.argv[2]))
    else:
        main()
