"""Reading a git repository: its commits, the Java files each of them changed, and their contents."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import IO

from labeling.mining.renames.lexing import MAX_BYTES, BadSource

_COMMIT = re.compile(rb"^[0-9a-f]{40,64}$")
# A revision that is neither an option, a range nor an exclusion.
_COMMIT_NAME = re.compile(r"^(?![-^:])(?!.*\.\.)\S+$")
_NAMES_BATCH = 200
# Ids in flight to cat-file at a time: few enough that neither side's pipe can fill up and block both.
_IN_FLIGHT = 256
_TREE_BATCH = 2_000


class GitError(Exception):
    """Git cannot do what was asked; the sentence says why."""


@dataclass(frozen=True)
class FilePair:
    """A Java file that a change modified, under its old and its new path."""

    path_before: str
    path: str
    blob_before: str
    blob_after: str


@dataclass(frozen=True)
class Commit:
    """A commit and the parent it is compared with; a root has none."""

    id: str
    parent: str | None


@dataclass(frozen=True)
class Change:
    """The pairs of Java files that a commit changed; `failure` says why they cannot be known."""

    commit: Commit
    pairs: Sequence[FilePair] = ()
    failure: str = ""


class Repository:
    """A git repository, read only."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise GitError(f"There is no directory {self.path}.")
        found = self._git("rev-parse", "--git-dir")
        if found.returncode:
            raise GitError(f"{self.path} is not a git repository that can be read: {_last_line(found.stderr)}.")

    def commits_in(self, revisions: str) -> Iterator[Commit]:
        """The commits of a range like A..B, oldest first, without merges: what they bring is in their branches."""
        if revisions.startswith("-"):
            raise GitError(f"“{revisions}” is not a range of commits like A..B.")
        arguments = ("--no-merges", "--reverse", "--topo-order", "--parents", "--end-of-options", revisions, "--")
        yield from self._list_commits("rev-list", *arguments)

    def commits_named(self, names: Iterable[str], *, report: Callable[[str], None]) -> Iterator[Commit]:
        """These commits, each once, in this order; a merge is compared with its first parent; unknown ones reported."""
        seen = set()
        stream = iter(names)
        while batch := list(islice(stream, _NAMES_BATCH)):
            for commit in self._find_commits(batch, report=report):
                if commit.id not in seen:
                    seen.add(commit.id)
                    yield commit

    def _find_commits(self, names: list[str], *, report: Callable[[str], None]) -> list[Commit]:
        """All at once, or one by one if any of them is unknown."""
        failure = (
            "" if all(_COMMIT_NAME.match(name) for name in names) else f"“{names[0]}” is not the name of a commit."
        )
        try:
            found = self._list_commits("rev-list", "--parents", "--no-walk=unsorted", *names, "--")
            commits = [] if failure else list(found)
        except GitError as error:
            commits, failure = [], str(error)
        if failure and len(names) > 1:
            return [commit for name in names for commit in self._find_commits([name], report=report)]
        if failure:
            report(failure)
        return commits

    def _list_commits(self, *arguments: str) -> Iterator[Commit]:
        listed = self._git(*arguments)
        for line in listed.stdout.splitlines():
            ids = line.decode().split()
            yield Commit(ids[0], ids[1] if ids[1:] else None)
        if listed.returncode:
            raise GitError(f"Git cannot list “{arguments[-2]}”: {_last_line(listed.stderr)}.")

    def changes(self, commits: Iterable[Commit]) -> Iterator[Change]:
        """What each commit changed, in order; one that cannot be compared is a failure and the rest goes on."""
        stream = iter(commits)
        while batch := list(islice(stream, _TREE_BATCH)):
            yield from self._compare(batch)

    def _compare(self, commits: list[Commit]) -> Iterator[Change]:
        waiting = [commit for commit in commits if commit.parent is not None]
        pending = iter(commits)
        while waiting:
            done: list[Change] = []
            with self._diff_tree(waiting) as process:
                for change in _read_changes(_output(process), waiting):
                    yield from _roots_before(change.commit, pending)
                    yield change
                    done.append(change)
                failure = _last_line(_errors(process).read()) if process.wait() else ""
            waiting = waiting[len(done) :]
            if waiting:  # git stopped at the first of these
                commit = waiting.pop(0)
                yield from _roots_before(commit, pending)
                yield Change(commit, failure=failure or "git stopped without a reason")
        for commit in pending:
            yield Change(commit)

    @contextmanager
    def _diff_tree(self, commits: Sequence[Commit]) -> Iterator[subprocess.Popen[bytes]]:
        options = ("--stdin", "--raw", "-r", "-z", "-M", "-l2000", "--no-abbrev", "--diff-filter=MR", "--always")
        lines = b"".join(f"{commit.id} {commit.parent}\n".encode() for commit in commits)
        with self._start("diff-tree", *options, "--", "*.java") as process:
            feeder = Thread(target=_feed, args=(_input(process), lines), daemon=True)
            feeder.start()
            try:
                yield process
            finally:
                process.kill()
                feeder.join()

    @contextmanager
    def blobs(self) -> Iterator[BlobReader]:
        """A reader of file contents that keeps one git process running."""
        reader = BlobReader(self)
        try:
            yield reader
        finally:
            reader.close()

    def _git(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(self._command(*arguments), capture_output=True, check=False, env=_environment())

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen(self._command(*arguments), stdin=pipe, stdout=pipe, stderr=pipe, env=_environment())

    def _command(self, *arguments: str) -> list[str]:
        return ["git", "--no-replace-objects", "-C", str(self.path), *arguments]


class BlobReader:
    """Contents of blobs by id, from one long-running `git cat-file`."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes | BadSource]]:
        """Each blob's bytes, or the reason why there are none."""
        stream = iter(ids)
        while batch := list(islice(stream, _IN_FLIGHT)):
            yield from self._read_batch(batch)

    def _read_batch(self, batch: list[str]) -> Iterator[tuple[str, bytes | BadSource]]:
        while batch:
            process = self._process = self._process or self._repository._start("cat-file", "--batch")  # noqa: SLF001 (one class in two parts)
            _feed(_input(process), "".join(f"{blob}\n" for blob in batch).encode(), close=False)
            done = 0
            for blob in batch:
                content = _read_blob(_output(process))
                if content is None:
                    break
                yield blob, content
                done += 1
            batch = batch[done:]
            if batch:  # git ended at a corrupt object: name it, start again behind it
                reason = _last_line(_errors(process).read())
                self.close()
                yield batch.pop(0), BadSource(f"git cannot read the object: {reason}")

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _read_blob(stream: IO[bytes]) -> bytes | BadSource | None:
    header = stream.readline().split()
    if not header:
        return None
    if header[-1] == b"missing":
        return BadSource("the object is missing from the repository")
    size = int(header[2])
    if size > MAX_BYTES:
        left = size + 1
        while left:
            left -= len(stream.read(min(left, 1 << 20))) or left
        return BadSource(f"the file has {size:,} bytes, more than the {MAX_BYTES:,} that are read")
    content = stream.read(size + 1)
    if len(content) != size + 1:
        return None
    return content[:-1] if header[1] == b"blob" else BadSource("the object is not a file")


def _read_changes(stream: IO[bytes], commits: Sequence[Commit]) -> Iterator[Change]:
    """Parses `<commit> NUL (:modes ids status NUL path NUL [path NUL])*`, complete commits only."""
    fields = _split_stream(stream)
    expected = iter(commits)
    current: Commit | None = None
    pairs: list[FilePair] = []
    for entry in fields:
        if _COMMIT.match(entry):
            if current is not None:
                yield Change(current, tuple(pairs))
            current, pairs = next(expected), []
            continue
        _, _, old, new, status = entry.split()
        path_before = next(fields)
        path = next(fields) if status.startswith(b"R") else path_before
        if old != new:
            pairs.append(FilePair(os.fsdecode(path_before), os.fsdecode(path), old.decode(), new.decode()))
    if current is not None:
        yield Change(current, tuple(pairs))


def _split_stream(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while chunk := stream.read(1 << 16):
        *fields, rest = (rest + chunk).split(b"\0")
        yield from fields


def _roots_before(commit: Commit, pending: Iterator[Commit]) -> Iterator[Change]:
    """Root commits come in their turn; they changed nothing that was there before."""
    for other in pending:
        if other is commit:
            return
        yield Change(other)


def _feed(stream: IO[bytes], data: bytes, *, close: bool = True) -> None:
    try:
        stream.write(data)
        stream.flush()
        if close:
            stream.close()
    except BrokenPipeError:
        return  # git ended early; the reading side finds out why


def _last_line(errors: bytes) -> str:
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ").rstrip(".") if lines else "no reason given"


def _input(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdin is not None  # noqa: S101 (we asked for a pipe)
    return process.stdin


def _output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdout is not None  # noqa: S101
    return process.stdout


def _errors(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stderr is not None  # noqa: S101
    return process.stderr


def _environment() -> dict[str, str]:
    """Nothing of the user's git settings may change what is found, and git must never ask a question."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
