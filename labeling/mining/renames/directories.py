"""Two directories as the versions of one project: which Java file became which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from labeling.mining.renames.finding import FileVersions, Report, describe_failure
from labeling.mining.renames.lexing import MAX_BYTES

# Git's own default for calling a removed and an added file one that was moved.
_MOVED = 0.5


def pair_directories(before: Path, after: Path, *, report: Report) -> Iterator[FileVersions]:
    """The files that are in both and differ, then those that were moved."""
    old, new = _java_files(before), _java_files(after)
    for path in sorted(old & new):
        yield from _read_pair(before / path, after / path, paths=(path, path), report=report)
    for path_before, path in _moved(before, sorted(old - new), after, sorted(new - old)):
        yield from _read_pair(before / path_before, after / path, paths=(path_before, path), report=report)


def _java_files(root: Path) -> set[str]:
    files = (path for path in root.rglob("*.java") if path.is_file() and not path.is_symlink())
    return {path.relative_to(root).as_posix() for path in files}


def _read_pair(old: Path, new: Path, *, paths: tuple[str, str], report: Report) -> Iterator[FileVersions]:
    try:
        before, after = _read(old), _read(new)
    except OSError as error:
        report(describe_failure(None, paths[1], error.strerror or "the file cannot be read"))
        return
    if before is None or after is None:
        report(describe_failure(None, paths[1], f"the file has more than the {MAX_BYTES:,} bytes that are read"))
    elif before != after:
        keys = f"before:{paths[0]}", f"after:{paths[1]}"
        yield FileVersions(*paths, *keys, before=before, after=after)


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.stat().st_size <= MAX_BYTES else None


def _moved(before: Path, lost: Sequence[str], after: Path, gained: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The most alike first, each file once; only files of one name, or of one directory, are compared."""
    gained_by: dict[str, list[str]] = defaultdict(list)
    for path in gained:
        gained_by[Path(path).name].append(path)
        gained_by[str(Path(path).parent)].append(path)
    scored = []
    for old in lost:
        for new in dict.fromkeys((*gained_by[Path(old).name], *gained_by[str(Path(old).parent)])):
            score = _alike(before / old, after / new)
            if score >= _MOVED:
                scored.append((-score, old, new))
    taken: set[str] = set()
    for _, old, new in sorted(scored):
        if "-" + old not in taken and "+" + new not in taken:
            taken |= {"-" + old, "+" + new}
            yield old, new


def _alike(old: Path, new: Path) -> float:
    """The share of lines in common."""
    try:
        left, right = _read(old), _read(new)
    except OSError:
        return 0.0
    ours, theirs = set((left or b"").splitlines()), set((right or b"").splitlines())
    return 2 * len(ours & theirs) / max(1, len(ours) + len(theirs))
