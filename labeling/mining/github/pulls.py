"""Pull requests as GitHub tells them: listed, read with all that was said, and the Java files of their commits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from urllib.parse import quote, urlencode

from labeling.mining.github.client import PER_PAGE, GitHub
from labeling.mining.github.exchanges import RAW, AnswerError, GoneError, NotFoundError, Question
from labeling.mining.github.readings import login, read_commit, read_head, read_inline, read_remark, text
from labeling.mining.reviews import Commit, ReviewedChange

State = Literal["all", "open", "closed", "merged"]
MOST_COMMITS, MOST_FILES = 250, 3000  # GitHub lists no more, and does not say so
TRUNCATED = "truncated"
# With its ends: a form searches for it, and must not find it in the middle of an address.
REPOSITORY = re.compile(r"\A(?!\.{1,2}/)[\w.-]+/(?!\.{1,2}\Z)[\w.-]+\Z", re.ASCII)
WHOLE_ID = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as the list shows it."""

    number: int
    title: str
    state: str  # merged, closed (and not merged), open
    author: str
    updated_at: datetime
    url: str


@dataclass(frozen=True, slots=True)
class ChangedFile:
    path: str
    status: str  # added, removed, modified, renamed, copied, changed or unchanged
    previous_path: str  # other than `path` when the file was renamed or copied
    blob: str
    patch: str | None  # none when GitHub holds it too large to show


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The Java files that a commit changed against its first parent."""

    commit: Commit
    files: list[ChangedFile]
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Talk:
    """What was said about a pull request, as GitHub gives it: three lists, and why the last may be missing."""

    reviews: list[dict[str, Any]]
    inline: list[dict[str, Any]] = field(default_factory=list)
    below: list[dict[str, Any]] = field(default_factory=list)
    missing: str = ""


def list_pulls(
    github: GitHub, repository: str, *, state: State = "all", since: datetime | None = None
) -> Iterator[PullRequest]:
    """Newest first. With `since`, those updated since then, the last updated first, and no page more than needed."""
    asked = {
        "state": "closed" if state == "merged" else state,
        # A pull request that is updated while we page moves to a page that was already read: only creation is stable.
        "sort": "updated" if since else "created",
        "direction": "desc",
    }
    seen: set[int] = set()
    for found in listed(github, repository, "pulls", f"repository {repository}", **asked):
        with readable(f"repository {repository}"):
            pull = read_pull(found)
        if since and pull.updated_at < since:
            return
        if pull.number not in seen and state in {"all", pull.state}:
            yield pull
        seen.add(pull.number)


def read_change(
    github: GitHub, repository: str, number: int, *, wanted: Callable[[ReviewedChange], bool] = lambda _change: True
) -> ReviewedChange:
    """The pull request with all that was said; its commits are asked for only when `wanted` says so of the rest."""
    subject = f"pull request {number} in {repository}"
    pull = github.read_json(Question(address(repository, f"pulls/{number}"), subject))
    with readable(subject):
        head = {"repository": repository} | read_head(pull)
    talk = hear_talk(github, repository, number, counts=pull)
    with readable(subject):
        fields = head | read_talk(talk, author=head["author"])
        change = ReviewedChange.read(fields)
    if not wanted(change):
        return change
    commits = list(listed(github, repository, f"pulls/{number}/commits", subject))
    with readable(subject):
        return ReviewedChange.read(fields | read_commits(commits, total=pull.get("commits", 0)))


def read_files(github: GitHub, repository: str, sha: str) -> ChangedFiles:
    """The commit and the Java files that it changed."""
    subject = f"commit {sha} in {repository}"
    path = address(repository, f"commits/{quote(sha, safe='')}")
    pages = list(github.read_pages(Question(path, subject, lasting=is_whole_id(sha))))
    with readable(subject):
        found = [file for page in pages for file in page.get("files", [])]
        files = [read_changed(file) for file in found if file["filename"].endswith(".java")]
        extra = {TRUNCATED: {"files": {"listed": len(found)}}} if len(found) >= MOST_FILES else {}
        return ChangedFiles(Commit(**read_commit(pages[0])), files, extra)


def read_file(github: GitHub, repository: str, path: str, *, commit: str) -> bytes:
    """The file as it was at the commit."""
    where = address(repository, f"contents/{quote(path)}?{urlencode({'ref': commit})}")
    subject = f"file {path} at commit {commit} in {repository}"
    return github.read_bytes(Question(where, subject, accept=RAW, lasting=is_whole_id(commit)))


def hear_talk(github: GitHub, repository: str, number: int, *, counts: dict[str, Any]) -> Talk:
    """Everything that was said; what is counted as none is not asked for."""
    subject = f"pull request {number} in {repository}"
    talk = Talk(reviews=list(listed(github, repository, f"pulls/{number}/reviews", subject)))
    if counts.get("review_comments", 1):
        talk.inline += listed(github, repository, f"pulls/{number}/comments", subject)
    if counts.get("comments", 1):
        try:
            talk.below += listed(github, repository, f"issues/{number}/comments", subject)
        except GoneError as error:  # the conversation can be switched off, the review is still there
            talk.missing = str(error)
    return talk


def read_talk(talk: Talk, *, author: str) -> dict[str, Any]:
    """The comments in the order of time, and who reviewed besides the author."""
    comments = [read_inline(found) for found in talk.inline]
    comments += [read_remark(found, "review") for found in talk.reviews if found.get("body")]
    comments += [read_remark(found, "talk") for found in talk.below]
    people = dict.fromkeys(login(review) for review in talk.reviews)
    fields = {
        "comments": sorted(comments, key=lambda comment: str(comment["at"])),
        "reviewers": [name for name in people if name not in {"", author}],
    }
    return fields | ({"missing": {"talk": talk.missing}} if talk.missing else {})


def read_commits(found: list[dict[str, Any]], *, total: int) -> dict[str, Any]:
    """The commits; at the most that GitHub lists they may be all or not, and count as cut off."""
    fields: dict[str, Any] = {"commits": [read_commit(one) for one in found]}
    if total <= len(found) < MOST_COMMITS:
        return fields
    return fields | {TRUNCATED: {"commits": {"listed": len(found), "total": total}}}


def listed(github: GitHub, repository: str, path: str, subject: str, **asked: str) -> Iterator[dict[str, Any]]:
    query = urlencode({**asked, "per_page": PER_PAGE})
    for page in github.read_pages(Question(address(repository, f"{path}?{query}"), subject)):
        if not isinstance(page, list) or not all(isinstance(found, dict) for found in page):
            raise AnswerError(f"GitHub's answer about {subject} is no list of objects ({path}).")
        yield from page


def address(repository: str, path: str) -> str:
    if not REPOSITORY.fullmatch(repository):
        raise NotFoundError(f"“{repository}” is no repository; it is written owner/name.")
    return f"repos/{repository}/{path}"


def is_whole_id(sha: str) -> bool:
    """Whether it names one commit for ever, as no branch, tag or abbreviation does."""
    return bool(WHOLE_ID.fullmatch(sha))


@contextmanager
def readable(subject: str) -> Iterator[None]:
    """Turns what goes wrong over an object of another shape than documented into one error that names the subject."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AnswerError(f"GitHub's answer about {subject} cannot be read: {error!r}.") from error


def read_pull(found: dict[str, Any]) -> PullRequest:
    head = read_head(found)
    shown = {name: head[name] for name in ("number", "title", "state", "author", "url")}
    return PullRequest(**shown, updated_at=datetime.fromisoformat(found["updated_at"]))


def read_changed(found: dict[str, Any]) -> ChangedFile:
    path = text(found["filename"])
    previous = text(found.get("previous_filename")) or path
    return ChangedFile(path, found["status"], previous, text(found.get("sha")), found.get("patch"))
