"""Where the files of a pull request come from: a clone beside us, or GitHub itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from labeling.mining.github.client import GitHub
from labeling.mining.github.exchanges import GitHubError
from labeling.mining.github.pulls import ChangedFile, read_file, read_files
from labeling.mining.renames.finding import FileVersions, Finder, Rename, find_in_repository, unique
from labeling.mining.renames.history import Commit, Repository
from labeling.mining.renames.prefilter import patch_may_rename
from labeling.mining.reviews import ReviewedChange

Report = Callable[[str], None]
UNPAIRED = {"added", "removed"}


@dataclass(frozen=True)
class Found:
    """The renames of a pull request, each once, and how much was looked through."""

    commits: int = 0
    files: int = 0
    renames: list[Rename] = field(default_factory=list)


class Source(Protocol):
    def find(self, change: ReviewedChange, report: Report) -> Found:
        """Looks through the commits of a change; what cannot be read is reported, and the rest goes on."""


class Clone:
    """A git repository on this machine."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def find(self, change: ReviewedChange, report: Report) -> Found:
        names = [commit.sha for commit in change.commits]
        commits = list(self.repository.commits_named(names, report=report))
        files = sum(len(found.pairs) for found in self.repository.changes(commits))
        renames = unique(find_in_repository(self.repository, commits, report=report))
        return Found(len(commits), files, list(renames))


class Hosted:
    """The files of GitHub, asked for one by one, and only those whose patch could hold a rename."""

    def __init__(self, github: GitHub) -> None:
        self.github = github

    def find(self, change: ReviewedChange, report: Report) -> Found:
        finder = Finder(report)
        commits = files = 0
        renames: list[Rename] = []
        for listed in change.commits:
            try:
                changed = read_files(self.github, change.repository, listed.sha)
            except GitHubError as error:
                report(str(error))
                continue
            pairs = [file for file in changed.files if file.status not in UNPAIRED]
            commits, files = commits + 1, files + len(pairs)
            commit = Commit(changed.commit.sha, changed.commit.parent or None)
            renames += finder.find(self.versions(change.repository, commit, pairs, report), commit=commit)
        return Found(commits, files, list(unique(renames)))

    def versions(
        self, repository: str, commit: Commit, files: list[ChangedFile], report: Report
    ) -> Iterator[FileVersions]:
        for file in files:
            if commit.parent is None or (file.patch is not None and not patch_may_rename(file.patch.encode())):
                continue
            before = file.previous_path or file.path
            try:
                old = read_file(self.github, repository, before, commit=commit.parent)
                new = read_file(self.github, repository, file.path, commit=commit.id)
            except GitHubError as error:
                report(str(error))
                continue
            yield FileVersions(
                path_before=before,
                path=file.path,
                key_before=f"{commit.parent}:{before}",
                key_after=f"{commit.id}:{file.path}",
                before=old,
                after=new,
            )
