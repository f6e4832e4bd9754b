"""A code review that asked for a better method name, and the rename that followed (rename4j, §3.2)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from labeling.corpus.payloads import FieldError, Payload, require_text, without_blanks

IDENTIFIER = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")


def require_web_address(url: str) -> None:
    """A page makes a link of it, and a link must not be able to run anything."""
    if url and not url.startswith(("https://", "http://")):
        raise FieldError("url", "must begin with https:// or http://")


@dataclass(frozen=True, slots=True)
class PullRequest:
    number: int
    title: str = ""
    url: str = ""
    state: Literal["merged", "closed", "open", ""] = ""
    author: str = ""
    reviewers: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        require_web_address(self.url)


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment of the review; `linked` marks the one that asked for the rename."""

    body: str
    author: str = ""
    association: str = ""
    at: str = ""
    path: str = ""
    line: int | None = None
    hunk: str = ""
    url: str = ""
    linked: bool = False
    score: float | None = None  # what mining's evidence adds up to

    def __post_init__(self) -> None:
        require_web_address(self.url)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason to think that a comment asked for this rename; `comment` counts from 0 in the thread."""

    sign: str
    weight: float
    comment: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class ReviewRename(Payload):
    label: ClassVar[str] = "Review and rename"

    buggy_name: str
    fixed_name: str
    body_before: str
    body_after: str = ""
    repository: str = ""
    pull_request: PullRequest | None = None
    thread: list[Comment] = field(default_factory=list)
    commit: str = ""
    parent: str = ""
    path: str = ""
    path_before: str = ""
    container: str = ""
    signature: str = ""
    line_before: int | None = None
    line_after: int | None = None
    surrounding_class: str = ""
    hunk: str = ""
    tier: str = ""
    verified_by: str = ""
    matched_words: list[str] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    linked_by: Literal["person", ""] = ""  # a person when they picked another comment than the source linked
    review_comment: str = ""  # the comment that asked for it, where a source has no thread
    extra: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("buggy_name", "fixed_name"):
            if not IDENTIFIER.fullmatch(getattr(self, name)):
                raise FieldError(name, f"“{getattr(self, name)[:40]}” is not a Java identifier")
        require_text(body_before=self.body_before)
        if self.buggy_name == self.fixed_name:
            raise FieldError("fixed_name", f"is the same as buggy_name, “{self.buggy_name}”")
        for index, evidence in enumerate(self.evidence):
            if evidence.comment is not None and not 0 <= evidence.comment < len(self.thread):
                raise FieldError(f"evidence[{index}].comment", f"there is no comment {evidence.comment} in the thread")

    @property
    def linked(self) -> list[int]:
        """Which comments are linked, counted from 0; one, as a rule."""
        return [index for index, comment in enumerate(self.thread) if comment.linked]

    def link_to(self, index: int) -> ReviewRename:
        """The same with another comment linked, by a person. The evidence stays: it is what the source saw."""
        thread = [replace(comment, linked=place == index) for place, comment in enumerate(self.thread)]
        return replace(self, thread=thread, linked_by="person")

    @property
    def key(self) -> str:
        """What tells this item apart when its file gives it no key."""
        number = f"#{self.pull_request.number}" if self.pull_request else ""
        place = f"{self.repository}{number}@{self.commit[:12]}:{self.path}:{self.container}"
        facts = [self.repository, number, self.commit, self.path, self.container, self.signature, self.buggy_name,
                 self.fixed_name, self.body_before]  # fmt: skip
        digest = hashlib.sha256("\x00".join(facts).encode()).hexdigest()[:12]
        return f"{place[:120]}:{self.buggy_name[:40]}:{digest}"

    @property
    def group(self) -> str:
        return self.repository

    @property
    def title(self) -> str:
        return f"{self.buggy_name} → {self.fixed_name}"

    @property
    def sameness(self) -> str:
        """Two items with the same text here show people the same thing: names and body, blanks aside."""
        return "\x00".join([self.buggy_name, self.fixed_name, without_blanks(self.body_before)])

    @property
    def words(self) -> str:
        """What a search looks through, most telling first."""
        title = self.pull_request.title if self.pull_request else ""
        comments = " ".join([self.review_comment, *(comment.body for comment in self.thread)])
        return "\n".join(
            [self.buggy_name, self.fixed_name, self.repository, title, self.path, comments, self.body_before]
        )
