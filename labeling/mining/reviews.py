"""What a source tells about a pull request: its review comments and its commits. One JSON object a pull request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from labeling.corpus.payloads import Payload


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """A comment on a line (`inline`), the text of a review (`review`), or one in the conversation below (`talk`)."""

    id: str
    body: str
    where: Literal["inline", "review", "talk"] = "inline"
    author: str = ""  # empty when the account was deleted
    association: str = ""  # MEMBER, CONTRIBUTOR, …, as the host calls it
    at: str = ""  # ISO 8601
    path: str = ""
    line: int | None = None  # in the newest version; none when the line is gone
    original_line: int | None = None  # in the version that was commented on
    original_commit: str = ""
    hunk: str = ""  # ends with the line that was commented on
    reply_to: str = ""  # id of the comment that this one answers
    url: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    parent: str = ""  # empty for a root commit; the first for a merge
    message: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class ReviewedChange(Payload):
    """A pull request with all that was said in its review, and the commits it brought."""

    repository: str  # owner/name
    number: int
    title: str = ""
    body: str = ""
    url: str = ""
    state: Literal["merged", "closed", "open", ""] = ""
    author: str = ""
    reviewers: list[str] = field(default_factory=list)
    created_at: str = ""
    closed_at: str = ""
    comments: list[ReviewComment] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
