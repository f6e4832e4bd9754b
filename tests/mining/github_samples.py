"""JSON objects as GitHub's REST API gives them, with texts of ours; only the fields that someone may read."""

from __future__ import annotations

import hashlib
from typing import Any

from labeling.mining.github.client import GitHub
from labeling.mining.github.exchanges import RAW, Question

Json = dict[str, Any]


def read_blob(github: GitHub, repository: str, blob: str) -> bytes:
    """The content with this git object id, which never changes: a question that need not be asked twice."""
    where = f"repos/{repository}/git/blobs/{blob}"
    return github.read_bytes(Question(where, f"blob {blob} in {repository}", accept=RAW, lasting=True))


def sha(word: str) -> str:
    """An id that looks like a commit's or a blob's, the same for the same word."""
    return hashlib.sha1(word.encode(), usedforsecurity=False).hexdigest()


def user(name: str | None) -> Json | None:
    """A deleted account is null."""
    return None if name is None else {"login": name, "type": "User"}


def pull(number: int, **fields: Any) -> Json:
    return {
        "number": number,
        "title": f"Tidy up part {number}",
        "body": "Some names were unclear.",
        "html_url": f"https://github.example/acme/shapes/pull/{number}",
        "state": "closed",
        "merged_at": "2024-03-05T10:00:00Z",
        "user": user("ada"),
        "created_at": f"2024-03-01T{number // 60 % 24:02}:{number % 60:02}:00Z",
        "updated_at": f"2024-03-05T{number // 60 % 24:02}:{number % 60:02}:00Z",
        "closed_at": "2024-03-05T10:00:00Z",
    } | fields


def inline(number: int, body: str, **fields: Any) -> Json:
    return {
        "id": number,
        "body": body,
        "user": user("bea"),
        "author_association": "MEMBER",
        "created_at": "2024-03-02T09:00:00Z",
        "path": "src/Circle.java",
        "line": 12,
        "original_line": 11,
        "original_commit_id": sha("first"),
        "commit_id": sha("second"),
        "diff_hunk": "@@ -9,3 +9,3 @@\n+    double calc() {",
        "html_url": f"https://github.example/acme/shapes/pull/7#discussion_r{number}",
    } | fields


def review(number: int, body: str, **fields: Any) -> Json:
    return {
        "id": number,
        "body": body,
        "user": user("bea"),
        "author_association": "MEMBER",
        "submitted_at": "2024-03-02T10:00:00Z",
        "commit_id": sha("first"),
        "state": "COMMENTED",
        "html_url": f"https://github.example/acme/shapes/pull/7#pullrequestreview-{number}",
    } | fields


def remark(number: int, body: str, **fields: Any) -> Json:
    return {
        "id": number,
        "body": body,
        "user": user("ada"),
        "author_association": "CONTRIBUTOR",
        "created_at": "2024-03-03T08:00:00Z",
        "html_url": f"https://github.example/acme/shapes/pull/7#issuecomment-{number}",
    } | fields


def commit(word: str, *, parents: list[str] | None = None, message: str = "") -> Json:
    return {
        "sha": sha(word),
        "parents": [{"sha": sha(parent)} for parent in (["base"] if parents is None else parents)],
        "commit": {
            "message": message or f"Make the {word} change",
            "author": {"name": "Ada", "date": "2024-03-01T07:00:00Z"},
            "committer": {"name": "Ada", "date": "2024-03-02T12:00:00Z"},
        },
    }


def file(path: str, status: str = "modified", **fields: Any) -> Json:
    patch = "@@ -9,3 +9,3 @@\n-    double calc() {\n+    double area() {"
    return {"filename": path, "status": status, "sha": sha(path), "patch": patch} | fields
