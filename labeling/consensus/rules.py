"""What a set of votes settles under a rule. Plain Python: answers in, an outcome out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from labeling.annotation.protocols.codebook import Codebook, Question

Answers = Mapping[str, Any]
Value = str | float | tuple[str, ...] | None
ENOUGH = 2  # votes that can agree with each other
LONGEST_PATTERN = 300


class Way(StrEnum):
    """How a disagreement on the deciding question ends."""

    DISCUSSION = "discussion"
    ADJUDICATOR = "adjudicator"
    MAJORITY = "majority"


class Others(StrEnum):
    """How the other questions are settled when the deciding one is."""

    DISCUSSION = "discussion"
    UNION = "union"
    INTERSECTION = "intersection"
    MAJORITY = "majority"


@dataclass(frozen=True)
class Outcome:
    """What the votes say: settled, with the answers, or not, with what is in the way."""

    how: str = ""  # unanimous, majority or single; nothing when they settle nothing
    answers: dict[str, Any] = field(default_factory=dict)
    differing: tuple[str, ...] = ()  # questions, by key, on which the votes differ
    pattern: str = ""
    too_few: bool = False

    @property
    def is_settled(self) -> bool:
        return bool(self.how)


def derive(codebook: Codebook, votes: Sequence[Answers], *, wanted: int, way: str, others: str) -> Outcome:
    """The outcome of the votes on an item whose independent phase is over."""
    if not votes:
        return Outcome(too_few=True)
    differing = tuple(question.key for question in codebook.questions if differs(question, votes))
    seen = Outcome(differing=differing, pattern=pattern_of(codebook, votes, differing))
    if len(votes) < min(ENOUGH, wanted):
        return Outcome(pattern=seen.pattern, too_few=True)
    deciding = codebook.questions[0]
    agree = settle_deciding(deciding, votes, by_majority=way == Way.MAJORITY)
    if not agree or (others == Others.DISCUSSION and any(differs(question, agree) for question in codebook.questions)):
        return seen
    answers = settle_others(codebook, agree, others=others)
    if answers is None:
        return seen
    how = "single" if len(votes) == 1 else "majority" if deciding.key in differing else "unanimous"
    return Outcome(how, answers, differing, seen.pattern)


def settle_deciding(question: Question, votes: Sequence[Answers], *, by_majority: bool) -> Sequence[Answers]:
    """The votes that settle it: all of them, or those of more than half; none when nothing is settled."""
    counts = Counter(value_of(question, answers) for answers in votes)
    value, count = counts.most_common(1)[0]
    if len(counts) == 1:
        return votes
    if by_majority and 2 * count > len(votes):
        return [answers for answers in votes if value_of(question, answers) == value]
    return []


def settle_others(codebook: Codebook, votes: Sequence[Answers], *, others: str) -> dict[str, Any] | None:
    """The answers of votes that agree on the deciding question; None when a required one is left without."""
    settled: dict[str, Any] = {}
    for question in codebook.questions:
        if question.when and not question.when.holds(settled):
            continue
        answer = settle_question(question, votes, others=others)
        if answer not in (None, []):
            settled[question.key] = answer
        elif question.required and question.form != "text":
            return None
    return settled


def settle_question(question: Question, votes: Sequence[Answers], *, others: str) -> Any:
    given = [answers[question.key] for answers in votes if question.key in answers]
    if question.form == "text":  # words are not settled: each vote keeps its own
        return given[0] if given and len(given) == len(votes) and len(set(given)) == 1 else None
    if question.form == "multiple":
        counts = Counter(option for chosen in given for option in chosen)
        least = {Others.UNION: 1, Others.MAJORITY: len(votes) // 2 + 1}.get(Others(others), len(votes))
        return [key for key in question.option_keys if counts[key] >= least]
    value, count = Counter(value_of(question, answers) for answers in votes).most_common(1)[0]
    return value if 2 * count > len(votes) else None


def differs(question: Question, votes: Sequence[Answers]) -> bool:
    if question.form == "text":
        return False
    return len({value_of(question, answers) for answers in votes}) > 1


def value_of(question: Question, answers: Answers) -> Value:
    """What was answered, so that equal answers are equal; nothing where it was not asked or not answered."""
    value = answers.get(question.key)
    return tuple(value) if isinstance(value, list) else value


def pattern_of(codebook: Codebook, votes: Sequence[Answers], differing: Sequence[str]) -> str:
    """How votes part ways, the same for whoever voted how: ‘include: yes ×2, no ×1; criteria: …’."""
    parts = []
    for question in codebook.questions:
        if question.key in differing:
            counts = Counter(word_of(value_of(question, answers)) for answers in votes)
            ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
            parts.append(f"{question.key}: " + ", ".join(f"{word} ×{count}" for word, count in ordered))
    return "; ".join(parts)[:LONGEST_PATTERN]


def word_of(value: Value) -> str:
    if value is None or value == ():
        return "–"
    if isinstance(value, tuple):
        return "+".join(value)
    return f"{value:g}" if isinstance(value, float | int) else value
