"""bench/peers.py compares us with others: its own parts must be right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.side_by_side.adapters import BYTES, Adapter, Annotator, texts
from bench.side_by_side.client import Client, Failed, wait_until
from bench.side_by_side.measuring import MOST_FAILURES_IN_A_ROW, percentile, run_loop
from bench.side_by_side.processes import memory_of, tree
from bench.side_by_side.running import Size, measure
from bench.side_by_side.table import markdown, median_of
from tests.servers import ROOT


class Clerk(Annotator):
    """Judges what is on the pile, and stumbles over items that say so."""

    def __init__(self, pile: list[str]) -> None:
        self.pile = pile

    def next(self) -> str | None:
        return self.pile.pop() if self.pile else None

    def submit(self, item: str) -> None:
        if item == "bad":
            raise Failed("400")


def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed() -> None:
    assert percentile(range(1, 101), 95) == 95
    assert percentile(range(1, 101), 50) == 50
    assert percentile([3.0, 1.0, 2.0], 50) == 2.0
    assert percentile([7.0], 95) == 7.0


def test_items_are_of_the_size_that_was_agreed_and_all_different() -> None:
    made = texts(50)
    assert len(set(made)) == 50
    assert {len(text) for text in made} == {BYTES}
    assert texts(50) == made


def test_the_loop_counts_rounds_and_failures_apart() -> None:
    found = run_loop([Clerk(["a", "bad", "b"]), Clerk(["c"])], seconds=5, most=100)
    assert (found["count"], found["failed"], found["first_failure"]) == (3, 1, "400")
    assert found["next_p95"]


def test_the_loop_ends_by_count_and_when_nothing_works_any_more() -> None:
    assert run_loop([Clerk(["a"] * 50)], seconds=5, most=10)["count"] == 10
    assert run_loop([Clerk(["bad"] * 50)], seconds=60, most=100)["failed"] == MOST_FAILURES_IN_A_ROW


def test_a_median_leaves_out_runs_that_failed_and_says_why_when_all_did() -> None:
    assert median_of([3.0, "failed: it", 1.0]) == 2.0
    assert median_of(["failed: it", None]) == "failed: it"
    assert median_of([None]) is None


def test_the_table_has_a_column_for_each_program_and_words_where_a_number_is_missing() -> None:
    runs = [{"loads": {"import": load}, "import": rate, "page_10": 0.2} for load, rate in ((1.5, 900.0), (0.5, 1100.0))]
    table = markdown({"Ours": runs, "Other": [{"loads": {}, "import": "failed: a | b"}]}, (10,))
    lines = table.splitlines()
    assert lines[0] == "| median of 2 | Ours | Other |"
    assert "| import, items/s | 1,000 | failed: a / b |" in lines
    assert "| project page, 10 judged | 200 ms | – |" in lines
    assert "| load before each measure | 0.5–1.5 | – |" in lines
    assert {line.count("|") for line in lines} == {4}


def test_the_client_speaks_to_the_loopback_only() -> None:
    with pytest.raises(Failed, match="loopback"):
        Client("http://192.0.2.1:80")


def test_memory_is_that_of_the_whole_tree() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'], check=True)"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    try:
        wait_until(lambda: len(tree(process.pid)) == 2, 20, "The child of the child")
        assert memory_of([process.pid]) > 1
    finally:
        process.communicate(b"\n")
    assert memory_of([process.pid]) == 0


class Paper(Adapter):
    """A program without a server: a pile for each project, and no export."""

    name = "Paper"
    why_not = {3: "one pile only"}

    def start(self) -> None:
        self.piles: list[list[str]] = []

    def new_project(self, name: str, *, overlap: int) -> int:
        self.piles.append([])
        return len(self.piles) - 1

    def import_items(self, project: int | str, items: list[str]) -> float:
        self.piles[int(project)].extend(items)
        return 0.5

    def annotator(self, project: int | str, number: int) -> Annotator:
        return Clerk(self.piles[int(project)])

    def over_assigned(self, project: int | str, *, overlap: int) -> int:
        return 2

    def judged_project(self, name: str, items: list[str]) -> int:
        return self.new_project(name, overlap=1)

    def open_page(self, project: int | str) -> None:
        pass

    def export(self, project: int | str) -> int:
        raise Failed("paper cannot be exported")


def test_every_measure_has_its_own_cell_and_a_failure_leaves_the_others_alone() -> None:
    said: list[str] = []
    size = Size(items=40, judged=(10, 20), seconds=5, most=12)
    cells = measure(Paper, size=size, peers=None, port=1, say=said.append)
    assert (cells["import"], cells["count_1_1"], cells["count_8_1"], cells["over_1"]) == (80, 12, 16, 2)
    assert f"  rounds_8_1: {cells['rounds_8_1']:,.3f} (load {cells['loads']['rounds_8_1']})" in said
    assert cells["rounds_1_3"] == cells["rounds_8_3"] == "one pile only"
    assert cells["export"] == "failed: paper cannot be exported"
    assert cells["page_10"] < 1
    assert cells["page_20"] < 1


def test_a_program_that_is_not_installed_has_cells_that_say_so(tmp_path: Path) -> None:
    command = [sys.executable, "bench/peers.py", "--only", "potato", "--quick", "--peers", str(tmp_path), "--out"]
    done = subprocess.run([*command, str(tmp_path / "out")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "| start to first page | failed: not installed |" in done.stdout
    written = json.loads((tmp_path / "out" / "peers.json").read_text())
    assert written["results"]["Potato, one process"][0]["first_page"] == "failed: not installed"
