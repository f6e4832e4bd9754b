"""How fast renames are found in a git history: python -m bench.mining PATH [--range A..B] [--pairs N] [--repeats N]."""

from __future__ import annotations

import argparse
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import javalang

from labeling.mining.renames import finding
from labeling.mining.renames.finding import FileVersions, Finder, Rename, find_in_repository
from labeling.mining.renames.history import Change, Repository
from labeling.mining.renames.java import Method, parse_methods
from labeling.mining.renames.lexing import BadSource
from labeling.mining.renames.prefilter import may_rename
from labeling.mining.renames.verifying import parse_method

NAIVE_FILES = 200
METHODS = 4_000


@dataclass(frozen=True)
class Row:
    what: str
    value: str
    goal: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--range", dest="revisions", default="HEAD")
    parser.add_argument("--pairs", type=int, default=20_000, help="the most changed files held in memory")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    repository = Repository(options.path)
    changes = take_changes(repository, revisions=options.revisions, pairs=options.pairs)
    rows = measure(repository, changes, repeats=options.repeats)
    width = max(len(row.what) for row in rows)
    for row in rows:
        print(f"{row.what:<{width}}  {row.value:>14}  {row.goal}")


def take_changes(repository: Repository, *, revisions: str, pairs: int) -> list[Change]:
    """The newest changes of the range, up to that many changed files."""
    commits = list(repository.commits_in(revisions))
    taken: list[Change] = []
    for change in repository.changes(reversed(commits)):
        taken.append(change)
        pairs -= len(change.pairs)
        if pairs <= 0:
            break
    return taken[::-1]


def measure(repository: Repository, changes: list[Change], *, repeats: int) -> list[Row]:
    commits = [change.commit for change in changes]
    files = [versions for change in read_changes(repository, changes) for versions in change]
    count = sum(len(change.pairs) for change in changes)
    size = sum(len(versions.after) for versions in files) / max(1, len(files))
    found, everything = set(find_all(repository, changes)), set(find_all(repository, changes, filtered=False))
    methods = take_methods(files)
    readable = sum(parse_method(method) is not None for method in methods)
    filtering = timed(lambda: (may_rename(f.before, f.after) for f in files), repeats)
    passed = sum(may_rename(f.before, f.after) for f in files)
    searching = timed(lambda: find_in_repository(repository, commits, report=ignore), repeats)
    verifying = timed(lambda: (parse_method(method) for method in methods), repeats)
    naive_files = files[:: max(1, len(files) // NAIVE_FILES)][:NAIVE_FILES]
    naive = timed(lambda: (parse_with_javalang(f) for f in naive_files), 1)
    kept = len(found & everything) / max(1, len(everything))
    return [
        Row("commits", f"{len(commits):,}"),
        Row("changed files", f"{count:,}", f"mean size {size / 1000:.1f} KB"),
        Row("renames found", f"{len(found):,}", f"{len(everything):,} without the prefilter"),
        Row("prefilter, changed files/s", filtering.rate(len(files)), f"{filtering.own_rate(len(files))}; goal 5,000"),
        Row("prefilter, files passed on", f"{passed / len(files):.1%}"),
        Row("prefilter, renames kept", f"{kept:.2%}", "goal 99 %"),
        Row(
            "end to end, changed files/s",
            searching.rate(count),
            f"{searching.own_rate(count)}; goal 500 on large-file projects",
        ),
        Row(
            "javalang verification, methods/s",
            verifying.rate(len(methods)),
            f"{verifying.own_rate(len(methods))}; goal 1,200",
        ),
        Row("javalang verification, methods read", f"{readable / len(methods):.2%}"),
        Row("javalang on every file, changed files/s", naive.rate(len(naive_files)), naive.own_rate(len(naive_files))),
    ]


def read_changes(repository: Repository, changes: Iterable[Change]) -> Iterable[list[FileVersions]]:
    with repository.blobs() as reader:
        for change in changes:
            contents = finding.read_contents(reader, [change])
            yield list(finding.read_versions(change, contents, ignore))


def find_all(repository: Repository, changes: list[Change], *, filtered: bool = True) -> list[Rename]:
    finder = Finder(ignore)
    with mock.patch.object(finding, "may_rename", may_rename if filtered else lambda *_: True):
        return [
            rename
            for change, files in zip(changes, read_changes(repository, changes), strict=True)
            for rename in finder.find(files, commit=change.commit)
        ]


def take_methods(files: list[FileVersions]) -> list[Method]:
    """Methods of files spread over the whole range."""
    spread = files[:: max(1, len(files) // 400)]
    return list(islice((method for versions in spread for method in read_methods(versions)), METHODS))


def read_methods(versions: FileVersions) -> list[Method]:
    try:
        return parse_methods(versions.after)[:20]
    except BadSource:
        return []


def parse_with_javalang(versions: FileVersions) -> int:
    """How many of both versions javalang can read."""
    return sum(is_readable(raw.decode("utf-8", "replace")) for raw in (versions.before, versions.after))


def is_readable(source: str) -> bool:
    try:
        javalang.parse.parse(source)
    except Exception:  # noqa: BLE001 (whatever it raises, the time was spent)
        return False
    return True


@dataclass(frozen=True)
class Seconds:
    """Medians of several runs: by the clock, and of this process on the processor, which others change less."""

    clock: float
    processor: float

    def rate(self, count: int) -> str:
        return f"{count / self.clock:,.0f}"

    def own_rate(self, count: int) -> str:
        return f"{count / self.processor:,.0f}/s of processor time"


def timed(act: Callable[[], Iterable[object]], repeats: int) -> Seconds:
    """Results are thrown away as they come, as in a real run."""
    runs = []
    for _ in range(repeats):
        start, used = perf_counter(), process_time()
        deque(act(), maxlen=0)
        runs.append((perf_counter() - start, process_time() - used))
    return Seconds(median(clock for clock, _ in runs), median(used for _, used in runs))


def ignore(sentence: str) -> None:
    if os.environ.get("BENCH_VERBOSE"):
        print(sentence, file=sys.stderr)


if __name__ == "__main__":
    main()
