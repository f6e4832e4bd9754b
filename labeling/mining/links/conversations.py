"""The comments of a change, each read once, in their threads; and the order of its commits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Literal

from labeling.corpus.names import subtokens
from labeling.mining.links.places import Place, read_hunk
from labeling.mining.links.texts import Text, read_text
from labeling.mining.links.words import list_words, match_words
from labeling.mining.reviews import ReviewComment, ReviewedChange

_DONE = frozenset({"done", "fixed", "renamed", "changed", "updated", "addressed", "applied", "adopted", "resolved"})
_WILL = frozenset({"will", "ll"})
_DO = frozenset({"do", "rename", "fix", "change", "update", "adopt", "address"})
_NOT = frozenset({"not", "never", "no", "t", "nothing"})  # "isn't" is read as isn, t
_FIRST_WORDS = 15  # further down a sentence, "done" is what some code has done
_SHA = range(7, 41)
_HEX = frozenset("0123456789abcdef")


@dataclass(eq=False, slots=True)
class Said:
    """One comment, read: what it says, where it sits, when and by whom it was said."""

    position: int
    comment: ReviewComment
    seat: ReviewComment  # the comment that tells where this one sits: itself, or the first of its thread
    text: Text
    place: Place
    at: datetime | None
    by: Literal["author", "bot", "other"]
    naming: list[str]
    done: str
    cited: list[str]
    named: set[str] = field(default_factory=set)  # the names of renamed methods that it holds

    @property
    def is_answer(self) -> bool:
        return bool(self.comment.reply_to)


Thread = list[Said]


@dataclass(slots=True)
class History:
    """Which commit of a change came before which, by their parents; without parents, by their order."""

    parents: dict[str, str]
    times: dict[str, str]
    messages: dict[str, str]
    _lines: dict[str, frozenset[str]] = field(default_factory=dict)

    def up_to(self, sha: str) -> frozenset[str]:
        """The commit and all before it, as far as the change knows them."""
        if sha not in self._lines:
            line: set[str] = set()
            current = sha
            while current and current not in line:
                line.add(current)
                current = self.parents.get(current, "")
            self._lines[sha] = frozenset(line)
        return self._lines[sha]


def read_history(change: ReviewedChange) -> History:
    before = ["", *(commit.sha for commit in change.commits)]
    return History(
        {commit.sha: commit.parent or previous for commit, previous in zip(change.commits, before, strict=False)},
        {commit.sha: commit.at for commit in change.commits},
        {commit.sha: commit.message for commit in change.commits},
    )


def read_threads(change: ReviewedChange, *, naming_words: Iterable[str], names: Iterable[str]) -> list[Thread]:
    """All comments in their threads, in the order in which each thread begins."""
    words, wanted = tuple(naming_words), sorted(set(names))
    threads: list[Thread] = []
    for positions in group_replies(change.comments):
        first = min((change.comments[position] for position in positions), key=lambda comment: bool(comment.reply_to))
        thread = [_read(change, position, first=first, naming_words=words) for position in positions]
        for said in thread:
            said.named = {name for name in wanted if said.text.find_name(name) or said.text.find_suggested(name)}
        threads.append(_in_time(thread))
    return threads


def group_replies(comments: Sequence[ReviewComment]) -> list[list[int]]:
    """The positions of the comments of each thread; answers to a comment that is gone stay together."""
    answered = {comment.id: comment.reply_to for comment in reversed(comments)}
    roots: dict[str, str] = {}
    groups: dict[str, list[int]] = {}
    for position, comment in enumerate(comments):
        root = _root(comment.id, answered, roots) if comment.id else f"\x00{position}"
        groups.setdefault(root, []).append(position)
    return list(groups.values())


def parse_time(text: str) -> datetime | None:
    """The moment that ISO 8601 text tells, in UTC unless it says otherwise; nothing when it tells none."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def is_bot(login: str) -> bool:
    """Whether an account calls itself a bot; people are called Talbot."""
    return any(part.casefold() in {"bot", "robot"} for part in subtokens(login))


def find_consent(prose: str) -> str:
    """The word by which an answer says that what was asked is done or will be, or nothing."""
    words = list(islice(list_words(prose), _FIRST_WORDS))
    for index, word in enumerate(words):
        lead = words[max(0, index - 2) : index]
        if _NOT.isdisjoint(lead) and (word in _DONE or (word in _DO and lead[-1:] and lead[-1] in _WILL)):
            return word
    return ""


def _read(change: ReviewedChange, position: int, *, first: ReviewComment, naming_words: Sequence[str]) -> Said:
    comment = change.comments[position]
    seat = comment if comment.path or comment.hunk else first
    text = read_text(comment.body)
    return Said(
        position=position,
        comment=comment,
        seat=seat,
        text=text,
        place=read_hunk(seat.hunk),
        at=parse_time(comment.at),
        by=_speaker(comment.author, change.author),
        naming=match_words(text.prose, naming_words),
        done=find_consent(text.prose) if comment.reply_to else "",
        cited=[word.lower() for word in text.words if len(word) in _SHA and _HEX.issuperset(word.lower())],
    )


def _speaker(login: str, author: str) -> Literal["author", "bot", "other"]:
    if is_bot(login):
        return "bot"
    return "author" if login and login.casefold() == author.casefold() else "other"


def _root(start: str, answered: dict[str, str], roots: dict[str, str]) -> str:
    """The first comment of a chain of answers; remembers the whole chain, and stands a chain that bites its tail."""
    chain: dict[str, None] = {}
    current = start
    while current not in roots and current not in chain and answered.get(current):
        chain[current] = None
        current = answered[current]
    root = roots.get(current, current)
    roots.update(dict.fromkeys([*chain, current], root))
    return root


def _in_time(thread: Thread) -> Thread:
    """A thread as it was held: the comment that answers nothing first, the others by time where all have one."""
    if any(said.at is None for said in thread):
        return sorted(thread, key=lambda said: (said.is_answer, said.position))
    return sorted(thread, key=lambda said: (said.is_answer, said.at, said.position))
