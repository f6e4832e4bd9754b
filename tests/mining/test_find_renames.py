from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.mining.finding_helpers import in_class
from tests.mining.git_helpers import Workplace

OLD = in_class("void keep() { work(1); }", "int total(List<String> a, int b) { return a.size() + b; }")
NEW = OLD.replace("total", "sum")
KEYS = (
    "commit parent path path_before container parameters buggy_name fixed_name tier verified_by line_before line_after"
)


def run(*arguments: str) -> tuple[list[dict[str, object]], str]:
    out, err = StringIO(), StringIO()
    call_command("find_renames", *arguments, stdout=out, stderr=err)
    return [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue()


def write(root: Path, files: dict[str, str | bytes]) -> str:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(root)


def test_range_of_a_repository_prints_one_object_a_rename(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    first, second = workplace.commit({"A.java": OLD}), workplace.commit({"A.java": NEW})
    [row], problems = run("--git", str(tmp_path), "--range", f"{first}..{second}", "--format", "jsonl")
    assert list(row) == KEYS.split()
    assert list(row.values()) == [
        *(second, first, "A.java", "A.java", "A", ["List<String>", "int"]),
        *("total", "sum", "exact", "javalang", 3, 3),
    ]
    assert problems == ""


def test_list_of_commits_is_read_from_a_file(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path / "work")
    workplace.commit({"A.java": OLD})
    second = workplace.commit({"A.java": NEW})
    wanted = tmp_path / "commits.txt"
    wanted.write_text(f"# wanted\n{second}\n\n  {second[:12]}  \nnonsense\n")
    rows, problems = run("--git", str(workplace.path), "--commits", str(wanted))
    assert [row["commit"] for row in rows] == [second]
    assert "nonsense" in problems


def test_two_directories_are_compared_also_across_moves(tmp_path: Path) -> None:
    before = write(tmp_path / "before", {"a/A.java": OLD, "old/B.java": OLD, "C.java": OLD, "D.txt": OLD})
    after = write(tmp_path / "after", {"a/A.java": NEW, "fresh/B.java": NEW, "C.java": OLD, "D.txt": NEW})
    rows, _ = run("--before", before, "--after", after)
    assert [(row["path_before"], row["path"]) for row in rows] == [
        ("a/A.java", "a/A.java"),
        ("old/B.java", "fresh/B.java"),
    ]
    assert {(row["commit"], row["parent"]) for row in rows} == {(None, None)}


def test_bad_files_in_a_directory_are_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    before = write(tmp_path / "before", {"A.java": OLD, "B.java": OLD, "C.java": OLD})
    after = write(tmp_path / "after", {"A.java": NEW + "\0", "B.java": b" " * 20_000_000, "C.java": NEW})
    rows, problems = run("--before", before, "--after", after)
    assert [row["path"] for row in rows] == ["C.java"]
    assert [line.split(":")[0] for line in problems.splitlines()] == ["Skipped A.java", "Skipped B.java"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--git", "."],
        ["--range", "a..b"],
        ["--before", "."],
        ["--git", ".", "--range", "a..b", "--commits", "x"],
        ["--git", ".", "--range", "a..b", "--before", ".", "--after", "."],
        ["--git", "/nowhere", "--range", "a..b"],
        ["--before", "/nowhere", "--after", "/nowhere"],
        ["--git", ".", "--commits", "/nowhere"],
        ["--git", ".", "--commits", "."],
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Workplace(tmp_path).path)
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert str(refusal.value).endswith(".")
    assert "\n" not in str(refusal.value)
