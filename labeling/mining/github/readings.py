"""GitHub's JSON objects as the fields of ours. A missing key is a KeyError, a deleted account an empty name."""

from __future__ import annotations

from typing import Any, Literal


def read_head(pull: dict[str, Any]) -> dict[str, Any]:
    """What a pull request says of itself, in a list as well as alone."""
    return {
        "number": pull["number"],
        "title": text(pull["title"]),
        "body": text(pull.get("body")),
        "url": text(pull.get("html_url")),
        "state": "merged" if pull.get("merged_at") else pull["state"],
        "author": login(pull),
        "created_at": text(pull.get("created_at")),
        "closed_at": text(pull.get("closed_at")),
    }


def read_inline(comment: dict[str, Any]) -> dict[str, Any]:
    """A comment on a line; the line is null when it is gone, or when the whole file is meant."""
    answered = comment.get("in_reply_to_id")
    return read_remark(comment, "inline") | {
        "path": text(comment.get("path")),
        "line": comment.get("line"),
        "original_line": comment.get("original_line"),
        "original_commit": text(comment.get("original_commit_id")),
        "hunk": text(comment.get("diff_hunk")),
        "reply_to": str(answered) if answered else "",
    }


def read_remark(comment: dict[str, Any], where: Literal["inline", "review", "talk"]) -> dict[str, Any]:
    """What every comment has; a review calls its time and its commit differently."""
    return {
        "id": str(comment["id"]),
        "body": text(comment.get("body")),
        "where": where,
        "author": login(comment),
        "association": text(comment.get("author_association")),
        "at": text(comment.get("created_at") or comment.get("submitted_at")),
        "original_commit": text(comment.get("commit_id")) if where == "review" else "",
        "url": text(comment.get("html_url")),
    }


def read_commit(found: dict[str, Any]) -> dict[str, Any]:
    """The time is the committer's: a commit that was amended after a comment keeps its author's older one."""
    inner = found["commit"]
    signed = inner.get("committer") or inner.get("author") or {}
    return {
        "sha": found["sha"],
        "parent": next((parent["sha"] for parent in found.get("parents", [])), ""),
        "message": text(inner.get("message")),
        "at": text(signed.get("date")),
    }


def login(found: dict[str, Any]) -> str:
    """Who wrote it; GitHub gives null for an account that was deleted."""
    user = found.get("user")
    return text(user.get("login")) if user else ""


def text(value: str | None) -> str:
    """The text, without what no database takes: NUL characters and halves of surrogate pairs."""
    return (value or "").replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
