"""The documentation as text and tables, for the tests that hold it to the code."""

from __future__ import annotations

import re
from pathlib import Path

from tests.servers import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
NAME = re.compile(r"`([^`]+)`")


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def part(text: str, start: str, end: str = "\n## ") -> str:
    """What stands between a line that begins with `start` and the next that begins with `end`."""
    _, found, after = f"\n{text}".partition(f"\n{start}")
    assert found, f"no line begins with {start!r}"
    return after.partition(end)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of every row of the tables in the text, heads and rules left out."""
    lines = re.findall(r"^\|(.+)\|$", text, re.MULTILINE)
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [row for row in cells if NAME.search("".join(row[:2]))]


def first_table(text: str) -> str:
    found = re.search(r"(?:^\|.*\|\n?)+", text, re.MULTILINE)
    assert found, "there is no table"
    return found[0]


def names_in(cell: str) -> list[str]:
    return NAME.findall(cell)


def columns_after(text: str, start: str) -> list[str]:
    """The names in the first cells of the first table after a line that begins so."""
    after = f"\n{text}".partition(f"\n{start}")[2]
    assert after, f"no line begins with {start!r}"
    return [name for row in rows(first_table(after)) for name in names_in(row[0])]


def place_of(page: Path) -> str:
    return str(page.relative_to(ROOT))
