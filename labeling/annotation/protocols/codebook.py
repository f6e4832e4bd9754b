"""The codebook: what people are asked about an item, how it is answered, and what an answer may be. Plain Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

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
MOST_QUESTIONS = 30
MOST_OPTIONS = 40


def require_key(key: str) -> None:
    if not KEY.fullmatch(key):
        raise FieldError("key", f"“{key[:40]}” must be lower-case letters, digits and _, and begin with a letter")


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that can be chosen."""

    key: str
    label: str
    help: str = ""
    hotkey: str = ""

    def __post_init__(self) -> None:
        require_key(self.key)
        if not self.label.strip():
            raise FieldError("label", "is empty")
        if self.hotkey and not HOTKEY.fullmatch(self.hotkey):
            raise FieldError("hotkey", f"“{self.hotkey[:10]}” must be one lower-case letter or digit")


@dataclass(frozen=True, slots=True)
class Condition:
    """The question is asked only when an earlier one was answered with one of these options."""

    question: str
    answers: list[str]

    def holds(self, answers: Mapping[str, Any]) -> bool:
        given = answers.get(self.question)
        chosen = given if isinstance(given, list) else [given]
        return not set(self.answers).isdisjoint(chosen)


@dataclass(frozen=True, slots=True)
class Question:
    key: str
    text: str
    form: Form = "single"
    help: str = ""
    options: list[Option] = field(default_factory=list)
    when: Condition | None = None
    required: bool = True
    level: Level | Literal[""] = ""
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        require_key(self.key)
        if not self.text.strip():
            raise FieldError("text", "is empty")
        if self.level and self.level not in LEVELS[self.form]:
            raise FieldError("level", f"a question of form {self.form} is {' or '.join(LEVELS[self.form])}")
        if bool(self.options) != self.has_options:
            wanted = "needs at least two options" if self.has_options else "has no options"
            raise FieldError("options", f"a question of form {self.form} {wanted}")
        if self.has_options and not 2 <= len(self.options) <= MOST_OPTIONS:  # noqa: PLR2004 (a choice)
            raise FieldError("options", f"must be 2 to {MOST_OPTIONS}")
        require_unlike([option.key for option in self.options], "options", "key")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise FieldError("high", "must be more than low")

    @property
    def has_options(self) -> bool:
        return self.form in {"single", "multiple", "likert"}

    @property
    def measured(self) -> Level:
        """The level at which agreement on this question is computed."""
        return self.level or LEVELS[self.form][0]

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
        if not self.title.strip() or len(self.title) > 120:  # noqa: PLR2004 (as long as a name of ours may be)
            raise FieldError("title", "must have 1 to 120 characters")
        if not 1 <= len(self.questions) <= MOST_QUESTIONS:
            raise FieldError("questions", f"must be 1 to {MOST_QUESTIONS}")
        require_unlike([question.key for question in self.questions], "questions", "key")
        for index, question in enumerate(self.questions):
            if question.when:
                self.require_earlier(question.when, index)
        self.require_keys_apart()

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
        for index, question in enumerate(self.questions):
            for other in self.questions[: index + 1]:
                if never_together(question, other):
                    continue
                taken = {option.hotkey for option in other.options if option.hotkey}
                mine = [option.hotkey for option in question.options if option.hotkey]
                clash = sorted(set(mine) & taken) if other is not question else repeated(mine)
                if clash:
                    raise FieldError(f"questions[{index}].options", f"the hotkey “{clash[0]}” is used twice")

    def question(self, key: str) -> Question | None:
        return next((question for question in self.questions if question.key == key), None)


def never_together(one: Question, other: Question) -> bool:
    """Both hang on the same single choice, on different options of it."""
    if one is other or one.when is None or other.when is None or one.when.question != other.when.question:
        return False
    return set(one.when.answers).isdisjoint(other.when.answers)


def repeated(values: list[str]) -> list[str]:
    return sorted({value for value in values if values.count(value) > 1})


def require_unlike(values: list[str], place: str, name: str) -> None:
    if again := repeated(values):
        raise FieldError(place, f"the {name} “{again[0]}” is used twice")
