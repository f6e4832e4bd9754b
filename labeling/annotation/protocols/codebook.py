"""The codebook: what people are asked about an item, how it is answered, and what an answer may be. Plain Python."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any, Literal, cast

from labeling.annotation.protocols.actions import TAKEN
from labeling.corpus.payloads import FieldError, Payload

Form = Literal["single", "multiple", "likert", "number", "text"]
Level = Literal["nominal", "ordinal", "interval", "ratio", "set", "none"]
LEVELS: dict[Form, tuple[Level, ...]] = {
    "single": ("nominal", "ordinal"),
    "multiple": ("set",),
    "likert": ("ordinal", "interval", "nominal"),
    "number": ("interval", "ratio", "ordinal"),
    "text": ("none",),
}
KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
HOTKEY = re.compile(r"[a-z0-9]")
UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
MOST_QUESTIONS = 30
MOST_OPTIONS = 40
MOST_OPTIONS_IN_ALL = 200
LONGEST_LABEL = 120
LONGEST_TEXT = 500
LONGEST_HELP = 1_000
LONGEST_GUIDELINE = 50_000
LONGEST_IN_ALL = 100_000  # so that a file of a bounded size holds every codebook


def require_key(key: str) -> None:
    if not KEY.fullmatch(key):
        raise FieldError("key", f"“{key[:40]}” must be lower-case letters, digits and _, and begin with a letter")


def require_line(text: str, place: str, longest: int) -> None:
    """A text that is shown on the page as one line."""
    if not text.strip():
        raise FieldError(place, "is empty")
    require_words(text, place, longest)
    if "\n" in text or "\r" in text:
        raise FieldError(place, "must be one line")


def require_words(text: str, place: str, longest: int) -> None:
    if len(text) > longest:
        raise FieldError(place, f"has {len(text):,} characters; at most {longest:,} are taken")
    if strange := UNSHOWN.search(text):
        raise FieldError(place, f"contains a character that cannot be shown (U+{ord(strange[0]):04X})")


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that can be chosen."""

    key: str
    label: str
    help: str = ""
    hotkey: str = ""

    def __post_init__(self) -> None:
        require_key(self.key)
        require_line(self.label, "label", LONGEST_LABEL)
        require_words(self.help, "help", LONGEST_HELP)
        if self.hotkey and not HOTKEY.fullmatch(self.hotkey):
            raise FieldError("hotkey", f"“{self.hotkey[:10]}” must be one lower-case letter or digit")
        if action := TAKEN.get(self.hotkey):
            raise FieldError("hotkey", f"“{self.hotkey}” is the key for “{action}”")


@dataclass(frozen=True, slots=True)
class Condition:
    """The question is asked only when an earlier one was answered with one of these options."""

    question: str
    answers: list[str]

    def holds(self, answers: Mapping[str, Any]) -> bool:
        """Whether these answers make the question one to ask; a question that was not asked itself has no answer."""
        given = answers.get(self.question)
        chosen = given if isinstance(given, list) else [given]
        return any(answer in chosen for answer in self.answers)


@dataclass(frozen=True, slots=True)
class Question:
    key: str
    text: str
    form: Form = "single"
    help: str = ""
    options: list[Option] = field(default_factory=list)
    when: Condition | None = None
    required: bool = True
    level: str = ""
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        require_key(self.key)
        require_line(self.text, "text", LONGEST_TEXT)
        require_words(self.help, "help", LONGEST_HELP)
        if self.level and self.level not in LEVELS[self.form]:
            raise FieldError("level", f"a question of form {self.form} is {' or '.join(LEVELS[self.form])}")
        self.require_options()
        self.require_bounds()

    def require_options(self) -> None:
        if bool(self.options) != self.has_options:
            wanted = "needs at least two options" if self.has_options else "has no options"
            raise FieldError("options", f"a question of form {self.form} {wanted}")
        if self.has_options and not 2 <= len(self.options) <= MOST_OPTIONS:  # noqa: PLR2004 (a choice)
            raise FieldError("options", f"must be 2 to {MOST_OPTIONS}, not {len(self.options)}")
        require_unlike([option.key for option in self.options], "options", "key")

    def require_bounds(self) -> None:
        for name, bound in {"low": self.low, "high": self.high}.items():
            if bound is None:
                continue
            if self.form != "number":
                raise FieldError(name, f"a question of form {self.form} has no bounds")
            if not math.isfinite(bound):
                raise FieldError(name, "must be a finite number")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise FieldError("high", "must be more than low")

    @property
    def has_options(self) -> bool:
        return self.form in {"single", "multiple", "likert"}

    @property
    def measured(self) -> Level:
        """The level at which agreement on this question is computed."""
        return cast("Level", self.level) if self.level else LEVELS[self.form][0]

    @property
    def option_keys(self) -> list[str]:
        return [option.key for option in self.options]


@dataclass(frozen=True, slots=True)
class Codebook(Payload):
    """All that a protocol asks, in order. The first question is the one that decides."""

    title: str
    questions: list[Question]
    guideline: str = ""

    def __post_init__(self) -> None:
        require_line(self.title, "title", LONGEST_LABEL)
        require_words(self.guideline, "guideline", LONGEST_GUIDELINE)
        if not 1 <= len(self.questions) <= MOST_QUESTIONS:
            raise FieldError("questions", f"must be 1 to {MOST_QUESTIONS}, not {len(self.questions)}")
        require_unlike([question.key for question in self.questions], "questions", "key")
        self.require_size()
        for index, question in enumerate(self.questions):
            if question.when:
                self.require_earlier(question.when, index)
        self.require_keys_apart()

    def require_size(self) -> None:
        options = [option for question in self.questions for option in question.options]
        if len(options) > MOST_OPTIONS_IN_ALL:
            raise FieldError(
                "questions", f"have {len(options)} options in all; at most {MOST_OPTIONS_IN_ALL} are taken"
            )
        length = len(self.guideline) + sum(len(option.help) for option in options)
        length += sum(len(question.text) + len(question.help) for question in self.questions)
        if length > LONGEST_IN_ALL:
            raise FieldError("questions", f"have {length:,} characters in all; at most {LONGEST_IN_ALL:,} are taken")

    def require_earlier(self, when: Condition, index: int) -> None:
        place = f"questions[{index}].when"
        earlier = {question.key: question for question in self.questions[:index]}
        if when.question not in earlier:
            raise FieldError(f"{place}.question", f"there is no earlier question “{when.question[:40]}”")
        if not when.answers:
            raise FieldError(f"{place}.answers", "is empty")
        for answer in when.answers:
            if answer not in earlier[when.question].option_keys:
                raise FieldError(f"{place}.answers", f"“{answer[:40]}” is not an option of {when.question}")

    def require_keys_apart(self) -> None:
        """Two options that can be on the page at the same time never share a hotkey."""
        for one, other in combinations_with_replacement(range(len(self.questions)), 2):
            if self.never_together(self.questions[one], self.questions[other]):
                continue
            mine = [option.hotkey for option in self.questions[one].options if option.hotkey]
            others = [option.hotkey for option in self.questions[other].options if option.hotkey]
            clash = sorted(set(mine) & set(others)) if one != other else repeated(mine)
            if clash:
                where = "" if one == other else f", here and in “{self.questions[one].key}”"
                raise FieldError(f"questions[{other}].options", f"the hotkey “{clash[0]}” is used twice{where}")

    def never_together(self, one: Question, other: Question) -> bool:
        """Somewhere up their conditions both hang on one single choice, but on different options of it."""
        mine, others = self.needs(one), self.needs(other)
        return any(mine[key].isdisjoint(others[key]) for key in mine.keys() & others.keys())

    def needs(self, question: Question) -> dict[str, set[str]]:
        """By single choice, the options one of which must be chosen for this question to be asked."""
        found: dict[str, set[str]] = {}
        asked: Question | None = question
        while asked is not None and asked.when is not None:
            when, asked = asked.when, self.question(asked.when.question)
            if asked is not None and asked.form != "multiple":  # of several choices all may be made
                found[when.question] = set(when.answers)
        return found

    def question(self, key: str) -> Question | None:
        return next((question for question in self.questions if question.key == key), None)


def repeated(values: list[str]) -> list[str]:
    return sorted({value for value in values if values.count(value) > 1})


def require_unlike(values: list[str], place: str, name: str) -> None:
    if again := repeated(values):
        raise FieldError(place, f"the {name} “{again[0]}” is used twice")
