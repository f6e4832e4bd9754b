"""A question to GitHub, what came back, and the error that it amounts to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

JSON, RAW = "application/vnd.github+json", "application/vnd.github.raw+json"
OK, NOT_MODIFIED, SERVER_FAULT = 200, 304, 500
BAD_TOKEN, NO_SUCH, GONE = {401}, {404, 422}, {410, 451}  # 422 is what an unknown commit gives


class GitHubError(Exception):
    """GitHub cannot give what was asked for; the sentence says what and why."""


class TokenError(GitHubError):
    """Nothing at all can be had with this token."""


class NotFoundError(GitHubError):
    """No such repository, pull request, commit or file, or not for this token."""


class GoneError(GitHubError):
    """It was there once: deleted, or blocked for legal reasons."""


class RefusedError(GitHubError):
    """GitHub will not do it, and asking again does not help."""


class AnswerError(GitHubError):
    """An answer that does not say what GitHub's documentation promises."""


class UnreachableError(GitHubError):
    """No usable answer, however often it was asked; later there may be one."""


class CacheError(GitHubError):
    """Our own file of answers cannot be used."""


@dataclass(frozen=True, slots=True)
class Question:
    """An address below the base, what it is about in words, and whether the answer can never change."""

    path: str
    subject: str
    accept: str = JSON
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; status 0 when nothing whole did, and then `fault` says why."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    next: str = ""  # address of the page after this one
    fault: str = ""

    @property
    def is_passing(self) -> bool:
        """Whether asking again may help."""
        return self.status == 0 or self.status >= SERVER_FAULT

    @property
    def message(self) -> str:
        """GitHub's own words."""
        try:
            return str(json.loads(self.body)["message"])
        except (ValueError, KeyError, TypeError):
            return "no reason given"


def refusal(reply: Reply, question: Question, *, has_token: bool) -> GitHubError:
    """The error that a final refusal amounts to."""
    said = f"({reply.status}: {reply.message})"
    if reply.status in BAD_TOKEN:
        return TokenError(f"GitHub does not accept the token: it is wrong, expired or revoked {said}.")
    if reply.status in NO_SUCH:
        seen = "this token may see" if has_token else "can be seen without a token"
        return NotFoundError(f"GitHub has no {question.subject} that {seen} {said}.")
    if reply.status in GONE:
        return GoneError(f"GitHub no longer gives out {question.subject} {said}.")
    return RefusedError(f"GitHub refuses {question.subject} {said}.")
