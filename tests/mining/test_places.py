"""Where a comment sits, by the line of a version or by the end of its hunk."""

from __future__ import annotations

from typing import Any

import pytest

from labeling.mining.links.places import read_hunk
from tests.mining.review_helpers import COMMITS, NEW_FILE, PATH, RENAME, comment, link_one, seated, signs_of, text_of

PARENT = RENAME.parent


def test_comment_on_the_line_of_the_declaration() -> None:
    found = link_one(seated())
    assert signs_of(found) == {"same_file": 0.5, "on_declaration": 3.0}
    assert text_of(found, "on_declaration") == "line 40"


def test_line_of_an_earlier_commit_of_the_change_counts() -> None:
    assert "on_declaration" in signs_of(link_one(seated(version=COMMITS[0].sha)))


def test_line_of_an_earlier_commit_may_have_moved_when_the_hunk_shows_another() -> None:
    found = link_one(seated(version=COMMITS[0].sha, hunk=NEW_FILE + "+  int total;"))
    assert signs_of(found) == {"same_file": 0.5, "near_declaration": 1.25}


@pytest.mark.parametrize("fields", [{"version": "elsewhere"}, {"version": ""}, {"line": None}])
def test_line_of_an_unknown_version_says_nothing(fields: dict[str, Any]) -> None:
    assert signs_of(link_one(seated(**fields))) == {"same_file": 0.5}


def test_rename_without_a_line_has_no_place() -> None:
    assert signs_of(link_one(seated(), rename={"line_before": None})) == {"same_file": 0.5}


@pytest.mark.parametrize(("line", "weight"), [(41, 1.25), (37, 0.75), (45, 0.25), (46, None), (34, None)])
def test_nearer_lines_weigh_more(line: int, weight: float | None) -> None:
    assert signs_of(link_one(seated(line))).get("near_declaration") == weight


@pytest.mark.parametrize(
    "tail",
    [
        "+  private Entry loadEntry(int row) {",
        "   List<Entry> loadEntry (int row)",
        "+  <T> Map<String, List<T>> loadEntry(int row) {",
        "+  int[] loadEntry(",
        "+  @Row(3) Entry loadEntry(int row);\n\\ No newline at end of file",
    ],
)
def test_hunk_that_ends_with_the_declaration(tail: str) -> None:
    found = link_one(seated(None, "", NEW_FILE + tail))
    assert signs_of(found) == {"same_file": 0.5, "on_declaration": 3.0}
    assert "loadEntry" in text_of(found, "on_declaration")


@pytest.mark.parametrize(
    "tail",
    ["+  return loadEntry(row);", "+  books.loadEntry(row);", "+  if (a > loadEntry(row)) {", "+  use(loadEntry(row));",
     "+  // loadEntry is slow", "+  else loadEntry(row);"],
)  # fmt: skip
def test_hunk_that_ends_with_a_use_of_the_old_name(tail: str) -> None:
    assert signs_of(link_one(seated(None, "", NEW_FILE + tail))) == {"same_file": 0.5, "on_old_name": 1.0}


def test_declaration_further_up_in_the_hunk_is_near() -> None:
    tail = "+  Entry loadEntry(int row) {\n+    check(row);\n-    gone();\n+    return rows[row];"
    found = link_one(seated(None, "", NEW_FILE + tail))
    assert signs_of(found) == {"same_file": 0.5, "near_declaration": 1.0}
    assert text_of(found, "near_declaration") == "return rows[row];"


def test_removed_line_is_no_place() -> None:
    hunk = NEW_FILE + "-  Entry loadEntry(int row) {"
    assert signs_of(link_one(seated(40, PARENT, hunk))) == {"same_file": 0.5}


def test_declaration_of_that_name_in_another_file_is_only_its_like() -> None:
    hunk = NEW_FILE + "+  Entry loadEntry(int row) {"
    assert signs_of(link_one(seated(40, PARENT, hunk, path="src/Shelves.java"))) == {"on_old_name": 1.0}


def test_file_is_known_by_its_path_before_the_move() -> None:
    rename = {"path": "lib/Books.java", "path_before": PATH}
    assert "on_declaration" in signs_of(link_one(seated(), rename=rename))
    assert signs_of(link_one(seated(), rename={"path": "lib/Books.java"})) == {}


def test_answer_without_a_place_sits_where_its_thread_sits() -> None:
    found = link_one(seated(id="1"), comment(id="2", reply_to="1"))
    assert signs_of(found, 1) == {"same_file": 0.5, "on_declaration": 3.0}


@pytest.mark.parametrize("hunk", ["", "\n", "@@ -1 +1 @@", "@@ -1 +1 @@\n\\ No newline at end of file"])
def test_empty_hunk_is_no_place(hunk: str) -> None:
    assert read_hunk(hunk).line == ""
