"""The medians of all repeats as one Markdown table."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from bench.side_by_side.measuring import TIMED


def median_of(values: Sequence[Any]) -> Any:
    """Of the numbers; where there is none, the first reason in words. Nothing was measured: None."""
    numbers = [value for value in values if isinstance(value, int | float)]
    if numbers:
        return statistics.median(numbers)
    return next((value for value in values if isinstance(value, str)), None)


def whole(value: float) -> str:
    return f"{value:,.0f}"


def tenth(value: float) -> str:
    return f"{value:,.1f}"


def ms(value: float) -> str:
    return f"{value * 1000:,.0f} ms"


def seconds(value: float) -> str:
    return f"{value:,.2f} s" if value < 10 else f"{value:,.0f} s"


def megabytes(value: float) -> str:
    return f"{value:,.0f} MB"


Row = tuple[str, list[str], Callable[[float], str]]


def rows(judged: Sequence[int]) -> list[Row]:
    """Title, the cells that go into it, how each is written."""
    found: list[Row] = [
        ("import, items/s", ["import"], whole),
        ("from import to the first item", ["ready"], seconds),
    ]
    for overlap in (1, 3):
        for people in (1, 8):
            place, who = f"{people}_{overlap}", f"{people} at overlap {overlap}"
            found += [
                (f"rounds/s, {who}", [f"rounds_{place}"], tenth),
                *((f"{name} p50 / p95, {who}", [f"{name}_p50_{place}", f"{name}_p95_{place}"], ms) for name in TIMED),
                (f"failed requests, {who}", [f"failed_{place}"], whole),
            ]
        found.append((f"over-assigned at overlap {overlap}", [f"over_{overlap}"], whole))
    found += [(f"project page, {count:,} judged", [f"page_{count}"], ms) for count in judged]
    found += [
        (f"export of {judged[0]:,} judged", ["export"], seconds),
        ("memory", ["memory"], megabytes),
        ("install", ["install"], seconds),
        ("start to first page", ["first_page"], seconds),
        ("install to first page", ["install_to_page"], seconds),
        ("packages", ["packages"], whole),
    ]
    return found


def markdown(results: dict[str, list[dict[str, Any]]], judged: Sequence[int]) -> str:
    """A line a measure, a column a program: the cells of one measure stand side by side."""
    names = list(results)
    lines = [f"| median of {repeats(results)} | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for title, cells, written in rows(judged):
        shown = [cell_text(results[name], cells, written) for name in names]
        lines.append(f"| {title} | {' | '.join(shown)} |")
    loads = [load_range(results[name]) for name in names]
    lines.append(f"| load before each measure | {' | '.join(loads)} |")
    return "\n".join(lines)


def repeats(results: dict[str, list[dict[str, Any]]]) -> int:
    return max((len(runs) for runs in results.values()), default=0)


def cell_text(runs: list[dict[str, Any]], cells: list[str], written: Callable[[float], str]) -> str:
    found = [median_of([run.get(cell) for run in runs]) for cell in cells]
    texts = [written(value) if isinstance(value, int | float) else value or "–" for value in found]
    return " / ".join(dict.fromkeys(texts) if "–" in texts else texts).replace("|", "/").replace("\n", " ")


def load_range(runs: list[dict[str, Any]]) -> str:
    loads = [load for run in runs for load in run["loads"].values()]
    return f"{min(loads)}–{max(loads)}" if loads else "–"
