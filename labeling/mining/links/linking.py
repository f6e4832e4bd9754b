"""Which comment of a pull request asked for a rename: all comments, ranked by the evidence. People decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from labeling.corpus.kinds.review_rename import Comment, Evidence
from labeling.mining.links.conversations import Thread, read_history, read_threads
from labeling.mining.links.siblings import Weighed, group_siblings, inherit, score
from labeling.mining.links.weighing import RenamedMethod, open_case, weigh_thread
from labeling.mining.links.words import NAMING_WORDS
from labeling.mining.reviews import ReviewComment, ReviewedChange

__all__ = ["Link", "RankedComment", "RankedThread", "RenamedMethod", "link", "show"]


@dataclass(frozen=True, slots=True)
class RankedComment:
    """A comment by its position in the change, with the evidence whose weights add up to its score."""

    position: int
    score: float = 0.0
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedThread:
    """A thread in the order in which it was held; it scores as its best comment does."""

    score: float
    comments: tuple[RankedComment, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A rename with all threads of its change, best first; `best` is none when nothing speaks for any comment."""

    rename: RenamedMethod
    threads: tuple[RankedThread, ...]
    best: RankedComment | None

    @property
    def comments(self) -> Iterator[RankedComment]:
        return (comment for thread in self.threads for comment in thread.comments)


def link(
    change: ReviewedChange, renames: Sequence[RenamedMethod], *, naming_words: Sequence[str] = NAMING_WORDS
) -> list[Link]:
    """One link for each rename, in their order."""
    history, families = read_history(change), group_siblings(renames)
    names = {name for rename in renames for name in (rename.buggy_name, rename.fixed_name)}
    threads = read_threads(change, naming_words=naming_words, names=names)
    author_known = bool(change.author)
    weighed: list[Weighed] = []
    for rename, family in zip(renames, families, strict=True):
        kin = frozenset(name for other in family for name in (renames[other].buggy_name, renames[other].fixed_name))
        case = open_case(rename, history, family=kin, naming_words=naming_words, author_known=author_known)
        weighed.append(dict(piece for thread in threads for piece in weigh_thread(case, thread)))
    for index, position, piece in list(inherit(renames, families, weighed)):
        weighed[index][position].append(piece)
    return [_rank(rename, threads, evidence) for rename, evidence in zip(renames, weighed, strict=True)]


def _rank(rename: RenamedMethod, threads: Sequence[Thread], weighed: Weighed) -> Link:
    ranked = sorted((_rank_thread(thread, weighed) for thread in threads), key=_rank_key)
    best = min(
        (comment for thread in ranked for comment in thread.comments),
        key=lambda comment: (-comment.score, comment.position),
        default=None,
    )
    return Link(rename, tuple(ranked), best if best and best.score > 0 else None)


def _rank_thread(thread: Thread, weighed: Weighed) -> RankedThread:
    comments = tuple(
        RankedComment(said.position, score(weighed[said.position]), tuple(weighed[said.position])) for said in thread
    )
    return RankedThread(max(comment.score for comment in comments), comments)


def _rank_key(thread: RankedThread) -> tuple[float, int]:
    return -thread.score, min(comment.position for comment in thread.comments)


def show(change: ReviewedChange, found: Link, *, most: int = 20) -> tuple[list[Comment], list[Evidence]]:
    """The thread and the evidence of an item: whole threads, best first, up to about so many comments."""
    order: list[int] = []
    for thread in found.threads:
        if order and len(order) + len(thread.comments) > most:
            break
        order += [comment.position for comment in thread.comments]
    best = found.best.position if found.best else None
    scores = {comment.position: comment.score for comment in found.comments}
    shown = [
        replace(_as_comment(change.comments[position]), linked=position == best, score=round(scores[position], 2))
        for position in order
    ]
    places = {position: index for index, position in enumerate(order)}
    pieces = found.best.evidence if found.best else ()
    return shown, [
        Evidence(piece.sign, piece.weight, None if piece.comment is None else places[piece.comment], piece.text)
        for piece in pieces
    ]


def _as_comment(comment: ReviewComment) -> Comment:
    line = comment.original_line if comment.line is None else comment.line
    return Comment(
        body=comment.body,
        author=comment.author,
        association=comment.association,
        at=comment.at,
        path=comment.path,
        line=line,
        hunk=comment.hunk,
        url=comment.url,
    )
