"""What a kind of item looks like in the benchmark: the paper's four components first, then where they come from."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from labeling.corpus.kinds import Kind
from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.models import Item
from labeling.release.cells import canonical

RENAME = "review_rename"
MASK = "METHOD_NAME"
COMPONENTS = ["id", "review_comment", "method_body", "buggy_name", "fixed_name"]
PROVENANCE = ["repository", "pull_request", "pull_request_url", "commit", "parent", "path", "line_before", "line_after",
              "container", "signature", "picked"]  # fmt: skip
GENERAL = ["id", "kind", "group", "title", "payload"]


def columns_for(kinds: Collection[str]) -> tuple[list[str], list[str]]:
    """What stands before and after the answers."""
    return (COMPONENTS, PROVENANCE) if set(kinds) <= {RENAME} else (GENERAL, [])


def cells_for(item: Item, columns: tuple[list[str], list[str]], *, picked: int | None) -> tuple[list[Any], list[Any]]:
    """`picked`: the comment that every voter took instead of the linked one."""
    if columns[0] is GENERAL:
        return [item.key, item.kind, item.group, item.title, canonical(item.payload)], []
    return rename_cells(item.key, item.content, picked)


def rename_cells(key: str, content: Kind, picked: int | None) -> tuple[list[Any], list[Any]]:
    if not isinstance(content, ReviewRename):
        raise TypeError("a benchmark of renames has renames in it")
    pull = content.pull_request
    before = [key, comment_of(content, picked), masked_body(content), content.buggy_name, content.fixed_name]
    after = [content.repository, pull.number if pull else None, pull.url if pull else "", content.commit,
             content.parent, content.path, content.line_before, content.line_after, content.container,
             content.signature, picked]  # fmt: skip
    return before, after


def comment_of(content: ReviewRename, picked: int | None) -> str:
    """The comment that all voters picked, else the linked ones, else what the source calls the comment."""
    if picked is not None:
        return content.thread[picked].body
    linked = [content.thread[index].body for index in content.linked]
    return "\n\n".join(linked) or content.review_comment


def whole_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")


def masked_body(content: ReviewRename) -> str:
    """The method before the change, with its own name gone from the declaration: a technique must not read it off."""
    declared = re.compile(rf"{whole_word(content.buggy_name).pattern}(?=\s*\()")
    return declared.sub(MASK, content.body_before, count=1)
