"""A small pull request by Ada, reviewed by Bea: `loadEntry` becomes `readLedgerEntry` in its third commit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from labeling.mining.links.linking import Link, RenamedMethod, link
from labeling.mining.reviews import Commit, ReviewComment, ReviewedChange

PATH = "src/Books.java"
BEFORE, AFTER = "2024-03-01T10:00:00Z", "2024-03-03T10:00:00Z"
RENAME = RenamedMethod(
    commit="c3" * 20,
    parent="c2" * 20,
    path=PATH,
    container="Books",
    signature="(int)",
    buggy_name="loadEntry",
    fixed_name="readLedgerEntry",
    line_before=40,
    line_after=40,
    committed_at="2024-03-02T10:00:00Z",
)
NEW_FILE = "@@ -0,0 +38,3 @@\n+class Books {\n+\n"
COMMITS = [Commit("c1" * 20, "base"), Commit("c2" * 20, "c1" * 20), Commit("c3" * 20, "c2" * 20),
           Commit("c4" * 20, "c3" * 20)]  # fmt: skip


def comment(body: str = "Hm.", **fields: Any) -> ReviewComment:
    return ReviewComment(**{"id": "", "body": body, "author": "bea", "at": BEFORE, **fields})


def seated(
    line: int | None = 40, version: str = RENAME.parent, hunk: str = "", path: str = PATH, **fields: Any
) -> ReviewComment:
    return comment(path=path, original_line=line, original_commit=version, hunk=hunk, **fields)


def change(*comments: ReviewComment, **fields: Any) -> ReviewedChange:
    return ReviewedChange(**{
        "repository": "library/books", "number": 7, "author": "ada", "commits": COMMITS, "comments": list(comments),
        **fields,
    })  # fmt: skip


def link_one(*comments: ReviewComment, rename: dict[str, Any] | None = None, **fields: Any) -> Link:
    return link(change(*comments, **fields), [replace(RENAME, **(rename or {}))])[0]


def signs_of(found: Link, position: int = 0) -> dict[str, float]:
    ranked = next(ranked for ranked in found.comments if ranked.position == position)
    assert ranked.score == round(sum(piece.weight for piece in ranked.evidence), 3)
    assert len({piece.sign for piece in ranked.evidence}) == len(ranked.evidence)
    return {piece.sign: piece.weight for piece in ranked.evidence}


def text_of(found: Link, sign: str, position: int = 0) -> str:
    ranked = next(ranked for ranked in found.comments if ranked.position == position)
    return next(piece.text for piece in ranked.evidence if piece.sign == sign)


def best_of(found: Link) -> int:
    assert found.best
    return found.best.position
