from __future__ import annotations

from pathlib import Path
from secrets import token_hex

import pytest

from labeling.mining.renames.finding import Rename, find_in_repository, unique
from labeling.mining.renames.history import Change, GitError, Repository
from labeling.mining.renames.lexing import MAX_BYTES
from tests.mining.finding_helpers import in_class
from tests.mining.git_helpers import Workplace

OLD = in_class("void keep() { work(1); }", "int total() { return a + b; }")
NEW = OLD.replace("total", "sum")


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path / "work")


def find(workplace: Workplace, revisions: str = "HEAD", problems: list[str] | None = None) -> list[Rename]:
    repository = Repository(workplace.path)
    report = (problems if problems is not None else []).append
    return list(find_in_repository(repository, repository.commits_in(revisions), report=report))


def changes(workplace: Workplace) -> list[Change]:
    repository = Repository(workplace.path)
    return list(repository.changes(repository.commits_in("HEAD")))


def test_rename_carries_its_commit_and_parent(workplace: Workplace) -> None:
    first = workplace.commit({"A.java": OLD, "notes.txt": "total()"})
    second = workplace.commit({"A.java": NEW, "notes.txt": "sum()"})
    [rename] = find(workplace)
    assert (rename.commit, rename.parent, rename.path, rename.fixed_name) == (second, first, "A.java", "sum")


def test_root_and_empty_commits_have_no_pairs_and_keep_their_turn(workplace: Workplace) -> None:
    ids = [workplace.commit(files) for files in ({"A.java": OLD}, {}, {"A.java": NEW}, {"x.txt": "x"})]
    assert [(change.commit.id, len(change.pairs)) for change in changes(workplace)] == list(
        zip(ids, (0, 0, 1, 0), strict=True)
    )


def test_moved_file_is_one_pair(workplace: Workplace) -> None:
    body = "\n".join(f"int f{n}() {{ return {n}; }}" for n in range(9))
    workplace.commit({"old/A.java": in_class(body, "int total() { return a + b; }")})
    workplace.commit({"old/A.java": None, "a b/ü/A.java": in_class(body, "int sum() { return a + b; }")})
    [rename] = find(workplace)
    assert (rename.path_before, rename.path) == ("old/A.java", "a b/ü/A.java")


def test_range_skips_merges_and_a_named_merge_is_compared_with_its_first_parent(workplace: Workplace) -> None:
    workplace.commit({"A.java": OLD})
    workplace.git("checkout", "-q", "-b", "side")
    side = workplace.commit({"A.java": NEW})
    workplace.git("checkout", "-q", "main")
    workplace.commit({"x.txt": "x"})
    workplace.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = workplace.git("rev-parse", "HEAD")
    assert [rename.commit for rename in find(workplace)] == [side]
    repository = Repository(workplace.path)
    named = repository.commits_named([merge, merge[:10], "main"], report=pytest.fail)
    assert [rename.commit for rename in find_in_repository(repository, named, report=pytest.fail)] == [merge]


def test_range_takes_only_its_commits_oldest_first(workplace: Workplace) -> None:
    ids = [workplace.commit({"A.java": OLD.replace("total", name)}) for name in ("a", "b", "c", "d")]
    assert [rename.commit for rename in find(workplace, f"{ids[1]}..{ids[3]}")] == ids[2:]


def test_same_rename_in_two_commits_counts_once(workplace: Workplace) -> None:
    for source in (OLD, NEW, OLD, NEW):
        workplace.commit({"A.java": source})
    assert [rename.fixed_name for rename in unique(find(workplace))] == ["sum", "total"]


def test_unknown_commit_is_reported_and_the_others_are_read(workplace: Workplace) -> None:
    workplace.commit({"A.java": OLD})
    second = workplace.commit({"A.java": NEW})
    problems: list[str] = []
    names = ["nonsense", "--output=x", "a..b", "0" * 40, second, second]
    found = Repository(workplace.path).commits_named(names, report=problems.append)
    assert [commit.id for commit in found] == [second]
    assert len(problems) == 4


@pytest.mark.parametrize("revisions", ["--all", "nonsense..HEAD", "-p"])
def test_range_that_git_does_not_know_is_refused(workplace: Workplace, revisions: str) -> None:
    workplace.commit({"A.java": OLD})
    with pytest.raises(GitError):
        find(workplace, revisions)


def test_directory_without_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="not a git repository"):
        Repository(tmp_path)
    with pytest.raises(GitError, match="no directory"):
        Repository(tmp_path / "nowhere")


@pytest.mark.parametrize("damage", ["corrupt", "cut", "missing"])
def test_damaged_file_is_reported_and_the_rest_goes_on(workplace: Workplace, damage: str) -> None:
    others = {f"B{n}.java": OLD for n in range(3)}
    workplace.commit({"A.java": OLD, **others})
    commit = workplace.commit({"A.java": NEW + "// " + token_hex(99_999), **dict.fromkeys(others, NEW)})
    path = workplace.object_path("HEAD:A.java")
    path.chmod(0o600)
    whole = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(b"not an object" if damage == "corrupt" else whole[: len(whole) // 2])
    problems: list[str] = []
    assert [rename.path for rename in find(workplace, problems=problems)] == sorted(others)
    [problem] = problems
    assert problem.startswith(f"Skipped {commit} A.java: ")


def test_damaged_directory_fails_its_commit_and_the_rest_goes_on(workplace: Workplace) -> None:
    workplace.commit({"src/A.java": OLD})
    broken = workplace.commit({"src/A.java": NEW})
    path = workplace.object_path("HEAD:src")
    workplace.commit({"src/A.java": OLD, "B.java": OLD})
    good = workplace.commit({"B.java": NEW})
    path.chmod(0o600)
    path.unlink()
    problems: list[str] = []
    assert [rename.commit for rename in find(workplace, problems=problems)] == [good]
    assert any(problem.startswith(f"Skipped {broken}: ") for problem in problems)


@pytest.mark.parametrize("content", [NEW.encode() + b"\0", OLD.encode() + b"\0", NEW.encode() + b" " * MAX_BYTES])
def test_file_that_is_too_large_or_has_nuls_is_reported(workplace: Workplace, content: bytes) -> None:
    workplace.commit({"A.java": OLD, "B.java": OLD})
    workplace.commit({"A.java": content, "B.java": NEW})
    problems: list[str] = []
    assert [rename.path for rename in find(workplace, problems=problems)] == ["B.java"]
    assert len(problems) == 1


def test_settings_of_the_user_change_nothing(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    workplace.commit({"A.java": OLD})
    workplace.commit({"A.java": NEW})
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert len(find(workplace)) == 1
