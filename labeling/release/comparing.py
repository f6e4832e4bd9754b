"""What changed between two benchmarks, read from their files: items that came, went, or have other answers."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from labeling.release.cells import read_sheet

BENCHMARK = "benchmark.csv"
ANSWER = "answer."
CHANGE = ("item", "question", "before", "after")
Answers = dict[str, str]
Row = tuple[str, Answers]
FIRST: dict[str, Any] = {"previous": None, "added": [], "removed": [], "changed": []}


def compare(before: Path | str, after: Path | str) -> dict[str, Any]:
    """Both a folder or a ZIP; rows are in the order of their keys, so that both are read once."""
    found: dict[str, Any] = {"added": [], "removed": [], "changed": []}
    with ExitStack() as stack:
        old, new = rows_in(Path(before), stack), rows_in(Path(after), stack)
        left, right = next(old, None), next(new, None)
        while left or right:
            if right is None or (left and left[0] < right[0]):
                assert left  # noqa: S101 (one of the two is there)
                found["removed"].append(left[0])
                left = next(old, None)
            elif left is None or right[0] < left[0]:
                found["added"].append(right[0])
                right = next(new, None)
            else:
                found["changed"].extend(differences(left, right))
                left, right = next(old, None), next(new, None)
    return found


def in_order(changes: Mapping[str, Any]) -> dict[str, Any]:
    """As they are written: a database gives the names of an object back in an order of its own."""
    previous = changes["previous"]
    return {
        "previous": {name: previous[name] for name in ("number", "digest")} if previous else None,
        "added": list(changes["added"]),
        "removed": list(changes["removed"]),
        "changed": [{name: one[name] for name in CHANGE} for one in changes["changed"]],
    }


def differences(old: Row, new: Row) -> Iterator[dict[str, str]]:
    for question in sorted({*old[1], *new[1]}):
        before, after = old[1].get(question, ""), new[1].get(question, "")
        if before != after:
            yield {"item": new[0], "question": question, "before": before, "after": after}


def rows_in(source: Path, stack: ExitStack) -> Iterator[Row]:
    if source.is_dir():
        file = stack.enter_context((source / BENCHMARK).open(encoding="utf-8", newline=""))
    else:
        archive = stack.enter_context(ZipFile(source))
        file = io.TextIOWrapper(stack.enter_context(archive.open(BENCHMARK)), encoding="utf-8", newline="")
    for row in read_sheet(file):
        yield row["id"], {name.removeprefix(ANSWER): cell for name, cell in row.items() if name.startswith(ANSWER)}
