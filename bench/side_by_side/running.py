"""One program measured once: every measure in a cell of its own, which says in words what did not work."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.side_by_side.adapters import ANNOTATORS, Adapter, texts
from bench.side_by_side.client import TROUBLE
from bench.side_by_side.installing import installed
from bench.side_by_side.measuring import run_loop
from bench.side_by_side.processes import load_average

PAGES = 7
TOO_QUICK = 0.02
OVERLAPS = (1, 3)
PEOPLE = (1, ANNOTATORS)


@dataclass(frozen=True)
class Size:
    """How much is done: items to judge, judged items, seconds and rounds at most for each number of annotators."""

    items: int
    judged: tuple[int, ...]
    seconds: float
    most: int


Cells = dict[str, Any]


def measure(kind: type[Adapter], *, size: Size, peers: Path | None, port: int, say: Callable[[str], None]) -> Cells:
    """All measures of one start of a program, in a folder that is gone afterwards."""
    cells: Cells = {"loads": {}}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        adapter = kind(folder=Path(folder), peers=peers, port=port)
        run = Run(adapter, size, cells, say)
        try:
            if run.cell("first_page", lambda: clock(adapter.start)):
                run.everything()
        finally:
            run.step("stop", adapter.stop)
    add_install(cells, installed(peers, kind.package))
    return cells


def add_install(cells: Cells, written: dict[str, Any]) -> None:
    cells["packages"] = written.get("packages", "not installed here")
    cells["install"] = written.get("seconds", "not timed")
    both = isinstance(cells["install"], float) and isinstance(cells["first_page"], float)
    cells["install_to_page"] = cells["install"] + cells["first_page"] if both else "not timed"


@dataclass
class Run:
    adapter: Adapter
    size: Size
    cells: Cells
    say: Callable[[str], None]

    def everything(self) -> None:
        for overlap in OVERLAPS:
            self.judging(overlap)
        self.cell("memory", self.adapter.memory)
        for count in self.size.judged:
            self.judged(count)

    def judging(self, overlap: int) -> None:
        """Import, then rounds by one and by eight people in the same project."""
        if reason := self.adapter.why_not.get(overlap):
            self.cells |= {f"rounds_{people}_{overlap}": reason for people in PEOPLE}
            return
        items = texts(self.size.items)
        project = self.step(f"rounds_1_{overlap}", lambda: self.new_project(overlap, items))
        if project is None:
            return
        for people in PEOPLE:
            self.rounds(project, people, overlap)
        self.cell(f"over_{overlap}", lambda: self.adapter.over_assigned(project, overlap=overlap))

    def new_project(self, overlap: int, items: list[str]) -> int | str:
        project = self.adapter.new_project(f"Overlap {overlap}", overlap=overlap)
        loads = load_average()
        seconds = self.adapter.import_items(project, items)
        opening = clock(lambda: self.adapter.open_project(project, overlap=overlap))
        if overlap == OVERLAPS[0]:
            self.put("import", len(items) / seconds if seconds > TOO_QUICK else "too quick to tell", loads)
            self.put("ready", seconds + opening, loads)
        self.adapter.settle(project)
        return project

    def rounds(self, project: int | str, people: int, overlap: int) -> None:
        loads = load_average()

        def loop() -> dict[str, float | str]:
            annotators = [self.adapter.annotator(project, number) for number in range(people)]
            return run_loop(annotators, seconds=self.size.seconds, most=self.size.most)

        found = self.step(f"rounds_{people}_{overlap}", loop)
        if found is None:
            return
        place = f"{people}_{overlap}"
        self.put(f"rounds_{place}", found.pop("rounds_per_s"), loads)
        self.cells |= {f"{name}_{place}": value for name, value in found.items()}

    def judged(self, count: int) -> None:
        project = self.step(f"page_{count}", lambda: self.adapter.judged_project(f"Judged {count}", texts(count)))
        if project is None:
            return
        self.step(f"page_{count}", lambda: self.adapter.open_page(project), ())  # the first one warms up
        self.cell(f"page_{count}", lambda: statistics.median(self.pages(project)))
        if count == self.size.judged[0]:
            self.cell("export", lambda: clock(lambda: self.adapter.export(project)))

    def pages(self, project: int | str) -> list[float]:
        return [clock(lambda: self.adapter.open_page(project)) for _ in range(PAGES)]

    def cell(self, name: str, act: Callable[[], Any]) -> bool:
        """Fills a cell with what the act gives, or with why it gave nothing."""
        loads = load_average()
        value = self.step(name, act)
        if value is None:
            return False
        self.put(name, value, loads)
        return True

    def step(self, name: str, act: Callable[[], Any], otherwise: Any = None) -> Any:
        try:
            return act()
        except TROUBLE as error:
            self.cells[name] = f"failed: {str(error) or type(error).__name__}"[:300]
            self.say(f"  {name}: {self.cells[name]}")
            return otherwise

    def put(self, name: str, value: Any, load: float) -> None:
        self.cells[name] = value
        self.cells["loads"][name] = load
        shown = f"{value:,.3f}" if isinstance(value, float) else value
        self.say(f"  {name}: {shown} (load {load})")


def clock(act: Callable[[], Any]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started
