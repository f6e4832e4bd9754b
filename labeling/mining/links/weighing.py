"""The evidence that a comment asked for a rename: each piece with its sign, its weight and the text that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from labeling.corpus.kinds.review_rename import Evidence
from labeling.corpus.names import compare_names, list_added, list_dropped
from labeling.mining.links import signs
from labeling.mining.links.conversations import History, Said, Thread, parse_time
from labeling.mining.links.places import NEAR
from labeling.mining.links.signs import Sign
from labeling.mining.links.texts import Span, read_text
from labeling.mining.links.words import match_words

_REVIEW_WORDS = ("review", "reviews", "reviewer", "reviewers", "feedback", "comments", "nit", "nits", "suggestion",
                 "suggestions", "suggested", "requested")  # fmt: skip
_LONGEST_SHOWN = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamedMethod:
    """A method that a commit gave another name; lines count from 1, times are ISO 8601."""

    commit: str
    parent: str
    path: str
    path_before: str = ""  # where it differs
    container: str = ""
    signature: str = ""
    buggy_name: str
    fixed_name: str
    line_before: int | None = None
    line_after: int | None = None
    committed_at: str = ""  # without it and the message, those of the change's own list are taken
    message: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A rename with all that does not depend on the comment it is held against."""

    rename: RenamedMethod
    added: list[str]
    dropped: list[str]
    before: frozenset[str]  # its parent and the commits before that
    at: datetime | None
    family: frozenset[str]  # its own names and those of its siblings
    message: list[Evidence]
    history: History
    author_known: bool


def open_case(
    rename: RenamedMethod, history: History, *, family: frozenset[str], naming_words: Sequence[str], author_known: bool
) -> Case:
    """Prepare a rename to be held against many comments."""
    parts = compare_names(rename.buggy_name, rename.fixed_name)
    message = rename.message or history.messages.get(rename.commit, "")
    return Case(
        rename=rename,
        added=list_added(parts),
        dropped=list_dropped(parts),
        before=history.up_to(rename.parent),
        at=parse_time(rename.committed_at or history.times.get(rename.commit, "")),
        family=family,
        message=list(_weigh_message(rename, message, naming_words)),
        history=history,
        author_known=author_known,
    )


def weigh_thread(case: Case, thread: Thread) -> Iterator[tuple[int, list[Evidence]]]:
    """Each comment's position with all pieces of evidence for and against it; backwards, to know who answered."""
    later = _Later()
    for said in reversed(thread):
        yield said.position, _weigh(case, said, later)
        later.add(case, said)


@dataclass(slots=True)
class _Later:
    """The next one in the thread who says the new name, cites the commit, or says that it is done."""

    name: Said | None = None
    commit: Said | None = None
    done: Said | None = None

    def add(self, case: Case, said: Said) -> None:
        if case.rename.fixed_name in said.named:
            self.name = said
        if _cites(said, case.rename.commit):
            self.commit = said
        if said.done and (said.by == "author" or not case.author_known) and not _cites_another(case, said):
            self.done = said


def _weigh(case: Case, said: Said, later: _Later) -> list[Evidence]:
    found = [
        *_weigh_names(case, said),
        *_weigh_place(case, said),
        *_weigh_naming(said),
        *_weigh_answers(case, said, later),
    ]
    if found:
        found += case.message
    return [*found, *_weigh_against(case, said)]


def _weigh_names(case: Case, said: Said) -> Iterator[Evidence]:
    text, rename = said.text, case.rename
    if span := text.find_suggested(rename.fixed_name):
        yield _piece(signs.SUGGESTED, said, text.quote(span))
    elif span := text.find_name(rename.fixed_name):
        yield _piece(signs.NEW_NAME, said, text.quote(span))
    else:
        yield from _weigh_parts(signs.NEW_WORDS, said, case.added)
    if span := text.find_name(rename.buggy_name):
        yield _piece(signs.OLD_NAME, said, text.quote(span))
    else:
        yield from _weigh_parts(signs.DROPPED_WORDS, said, case.dropped)


def _weigh_parts(sign: Sign, said: Said, parts: list[str]) -> Iterator[Evidence]:
    """The share of a name's words that occur; shown as the text writes them."""
    spans: list[Span] = [span for part in parts if (span := said.text.find_part(part))]
    if spans:
        shown = dict.fromkeys(said.text.source[start:end] for start, end in spans)
        yield _piece(sign, said, ", ".join(shown), share=len(spans) / len(parts))


def _weigh_place(case: Case, said: Said) -> Iterator[Evidence]:
    path, rename = said.seat.path, case.rename
    is_same_file = path != "" and path in {rename.path, rename.path_before or rename.path}
    if is_same_file:
        yield _piece(signs.SAME_FILE, said, path)
    if said.place.removed:  # a line of the old side says nothing about the new one
        return
    distance = _distance(case, said) if is_same_file or not path else None
    if distance == 0:
        yield _piece(signs.ON_DECLARATION, said, _shown_line(said))
    elif rename.buggy_name in said.place.used or said.place.declared.get(rename.buggy_name) == 0:
        yield _piece(signs.ON_OLD_NAME, said, _shown_line(said))
    elif distance is not None and distance <= NEAR:
        yield _piece(signs.NEAR_DECLARATION, said, _shown_line(said), share=1 - distance / (NEAR + 1))


def _distance(case: Case, said: Said) -> int | None:
    """Lines between the comment and the declaration; the hunk's own text is surer than a number of another version."""
    declared = said.place.declared.get(case.rename.buggy_name)
    if declared is not None:
        return declared
    seat, line = said.seat, case.rename.line_before
    if line is None or seat.original_line is None or seat.original_commit not in case.before:
        return None
    lines = abs(seat.original_line - line)
    has_moved = bool(said.place.line) and seat.original_commit != case.rename.parent
    return max(lines, 1) if has_moved else lines


def _weigh_naming(said: Said) -> Iterator[Evidence]:
    if said.naming:
        more = min(len(said.naming), signs.NAMING_WORDS_MOST) - 1
        weight = signs.NAMING_WORDS.weight + more * signs.NAMING_WORDS_EACH_MORE
        yield Evidence(signs.NAMING_WORDS.name, weight, said.position, ", ".join(said.naming))


def _weigh_answers(case: Case, said: Said, later: _Later) -> Iterator[Evidence]:
    """What those who answered say for this comment: the new name, the commit, that it is done."""
    name = case.rename.fixed_name
    if later.name and name not in said.named:
        text = later.name.text
        span = text.find_suggested(name) or text.find_name(name) or (0, 0)
        yield _piece(signs.NEW_NAME_IN_THREAD, later.name, text.quote(span))
    if said.by == "author":
        return
    if later.commit:
        yield _piece(signs.COMMIT_CITED, later.commit, _start(later.commit))
    if later.done and (later.done.by == "author" or later.done.comment.author != said.comment.author):
        yield _piece(signs.DONE, later.done, _start(later.done))


def _cites(said: Said, commit: str) -> bool:
    return any(commit.startswith(sha) for sha in said.cited)


def _cites_another(case: Case, said: Said) -> bool:
    """Whether it was done by another commit of the change; one that nobody knows was this, before a rebase."""
    if not said.cited or _cites(said, case.rename.commit):
        return False
    return any(_cites(said, sha) for sha in case.history.times)


def _weigh_against(case: Case, said: Said) -> Iterator[Evidence]:
    if reason := _why_after(case, said):
        yield _piece(signs.AFTER, said, reason)
    if said.by == "bot":
        yield _piece(signs.BOT, said, said.comment.author)
    if said.by == "author":
        sign = signs.AUTHOR_ANSWERS if said.is_answer else signs.AUTHOR_ALONE
        yield _piece(sign, said, said.comment.author)
    if said.named and case.family.isdisjoint(said.named):
        yield _piece(signs.OTHER_RENAME, said, ", ".join(sorted(said.named)))


def _why_after(case: Case, said: Said) -> str:
    """Why the comment came too late: the version it was made on has the rename, or its time is later."""
    rename, version = case.rename, said.seat.original_commit
    if not said.is_answer:  # an answer carries the version of what it answers
        if version and rename.commit in case.history.up_to(version):
            return f"on {version[:12]}"
        if version not in case.before and said.place.declared.get(rename.fixed_name) == 0:
            return said.place.line
    return said.comment.at if said.at and case.at and said.at > case.at else ""


def _weigh_message(rename: RenamedMethod, message: str, naming_words: Sequence[str]) -> Iterator[Evidence]:
    text = read_text(message)
    names = [name for name in (rename.buggy_name, rename.fixed_name) if text.find_name(name)]
    for sign, words in (
        (signs.MESSAGE_NAMES, names),
        (signs.MESSAGE_NAMING, match_words(text.prose, naming_words)),
        (signs.MESSAGE_REVIEW, match_words(text.prose, _REVIEW_WORDS)),
    ):
        if words:
            yield Evidence(sign.name, sign.weight, None, ", ".join(words))


def _piece(sign: Sign, said: Said, text: str, *, share: float = 1.0) -> Evidence:
    return Evidence(sign.name, round(sign.weight * share, 3), said.position, text[:_LONGEST_SHOWN])


def _shown_line(said: Said) -> str:
    return said.place.line[:_LONGEST_SHOWN] or f"line {said.seat.original_line}"


def _start(said: Said) -> str:
    return said.text.quote((0, 0))
