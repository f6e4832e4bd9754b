"""From a reviewed change and the renames found in it to candidate items, with the evidence that links them."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labeling.corpus.kinds.review_rename import PullRequest, ReviewRename
from labeling.mining.links.linking import Link, RenamedMethod, link, show
from labeling.mining.links.words import NAMING_WORDS, match_words
from labeling.mining.renames.finding import Rename
from labeling.mining.renames.java import Method
from labeling.mining.reviews import ReviewedChange

LONGEST_CLASS = 60_000
LINES_AROUND = 6
WORTH_A_LINK = 1.0  # more than that the comment stands in the same file


@dataclass(frozen=True)
class Candidate:
    """An item for people to judge; `is_linked` when anything speaks for one of the comments."""

    payload: ReviewRename
    is_linked: bool


def naming_words_of(change: ReviewedChange, words: Sequence[str] = NAMING_WORDS) -> list[str]:
    """The naming words that the comments of the change hold; a change without any is not looked into."""
    return match_words("\n".join(comment.body for comment in change.comments), words)


def candidates(
    change: ReviewedChange, renames: Iterable[Rename], *, naming_words: Sequence[str] = NAMING_WORDS
) -> list[Candidate]:
    """One candidate for each rename of the change."""
    found = list(renames)
    links = link(change, [renamed_method(change, rename) for rename in found], naming_words=naming_words)
    return [candidate(change, rename, linked, naming_words) for rename, linked in zip(found, links, strict=True)]


def renamed_method(change: ReviewedChange, rename: Rename) -> RenamedMethod:
    commit = next((commit for commit in change.commits if commit.sha == rename.commit), None)
    return RenamedMethod(
        commit=rename.commit or "",
        parent=rename.parent or "",
        path=rename.path,
        path_before=rename.path_before,
        container=rename.container,
        signature=signature_of(rename),
        buggy_name=rename.buggy_name,
        fixed_name=rename.fixed_name,
        line_before=rename.line_before,
        line_after=rename.line_after,
        committed_at=commit.at if commit else "",
        message=commit.message if commit else "",
    )


def candidate(change: ReviewedChange, rename: Rename, linked: Link, naming_words: Sequence[str]) -> Candidate:
    thread, evidence = show(change, linked)
    said = "\n".join(comment.body for comment in thread)
    surrounding = rename.after.source.decode("utf-8", "replace")
    payload = ReviewRename(
        buggy_name=rename.buggy_name,
        fixed_name=rename.fixed_name,
        body_before=method_text(rename.before),
        body_after=method_text(rename.after),
        repository=change.repository,
        pull_request=pull_request_of(change),
        thread=thread,
        commit=rename.commit or "",
        parent=rename.parent or "",
        path=rename.path,
        path_before=rename.path_before if rename.path_before != rename.path else "",
        container=rename.container,
        signature=signature_of(rename),
        line_before=rename.line_before,
        line_after=rename.line_after,
        surrounding_class=surrounding if len(surrounding) <= LONGEST_CLASS else "",
        hunk=hunk_of(rename),
        tier=rename.tier,
        verified_by=rename.verified_by,
        matched_words=match_words(said, naming_words),
        evidence=evidence,
    )
    return Candidate(payload, is_linked=linked.best is not None and linked.best.score >= WORTH_A_LINK)


def method_text(method: Method) -> str:
    """The method without the indentation that its place in the file gave it."""
    line_start = method.source.rfind(b"\n", 0, method.start) + 1
    before = method.source[line_start : method.start].decode("utf-8", "replace")
    return textwrap.dedent(before + method.text) if before.isspace() else method.text


def pull_request_of(change: ReviewedChange) -> PullRequest:
    return PullRequest(
        number=change.number,
        title=change.title,
        url=change.url,
        state=change.state,
        author=change.author,
        reviewers=change.reviewers,
    )


def signature_of(rename: Rename) -> str:
    return f"({', '.join(rename.parameters)})"


def hunk_of(rename: Rename) -> str:
    """The change of the declaration, with the lines around it."""
    before = lines_around(rename.before.source, rename.line_before)
    after = lines_around(rename.after.source, rename.line_after)
    return "\n".join(list(difflib.unified_diff(before, after, lineterm="", n=3))[2:])


def lines_around(source: bytes, line: int) -> list[str]:
    lines = source.decode("utf-8", "replace").splitlines()
    return lines[max(0, line - 1 - LINES_AROUND) : line + LINES_AROUND]
