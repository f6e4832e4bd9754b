"""A codebook as it stands in the editor: form fields that may not be right yet, and the acts that move them about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from django.http import QueryDict
from django.utils.text import slugify

from labeling.annotation.protocols.codebook import MOST_OPTIONS, MOST_QUESTIONS, Codebook, Question
from labeling.corpus.payloads import FieldError
from labeling.digits import whole_number

NAME = re.compile(r"questions\[(\d{1,3})\]\.(?:options\[(\d{1,3})\]\.)?([a-z_.]+)")
LONGEST_KEY = 40


@dataclass
class OptionFields:
    key: str = ""
    label: str = ""
    help: str = ""
    hotkey: str = ""


@dataclass
class QuestionFields:
    key: str = ""
    text: str = ""
    form: str = "single"
    help: str = ""
    required: bool = False
    level: str = ""
    low: str = ""
    high: str = ""
    when_question: str = ""
    when_answers: list[str] = field(default_factory=list)
    options: list[OptionFields] = field(default_factory=list)

    @property
    def has_options(self) -> bool:
        return self.form in {"single", "multiple", "likert"}


@dataclass
class Outline:
    """The whole form; `based_on` is the state of the version that was there when it was opened."""

    title: str = ""
    guideline: str = ""
    questions: list[QuestionFields] = field(default_factory=list)
    based_on: str = ""

    @classmethod
    def of(cls, codebook: Codebook, based_on: str) -> Outline:
        questions = [question_fields(question) for question in codebook.questions]
        return cls(codebook.title, codebook.guideline, questions, based_on)

    @classmethod
    def sent(cls, data: QueryDict) -> Outline:
        """What a form sent; questions and options in the order of their numbers."""
        rows: dict[int, QuestionFields] = {}
        options: dict[tuple[int, int], OptionFields] = {}
        for name in data:
            if found := NAME.fullmatch(name):
                row = rows.setdefault(int(found[1]), QuestionFields())
                if found[2] is None:
                    fill_question(row, found[3], data.getlist(name))
                elif found[3] in {part.name for part in fields(OptionFields)}:
                    option = options.setdefault((int(found[1]), int(found[2])), OptionFields())
                    setattr(option, found[3], data.get(name, "").strip())
        for (number, _), option in sorted(options.items(), key=lambda entry: entry[0]):
            rows[number].options.append(option)
        text = data.get("guideline", "").replace("\r\n", "\n")
        questions = [row for _, row in sorted(rows.items())]
        return cls(data.get("title", "").strip(), text, questions, data.get("based_on", ""))

    def codebook(self) -> Codebook:
        """What the fields say; raises FieldError, whose field is the name of the field in the form."""
        self.fill_keys()
        questions = [plain_question(row, f"questions[{index}]") for index, row in enumerate(self.questions)]
        return Codebook.read({"title": self.title, "guideline": self.guideline, "questions": questions})

    def fill_keys(self) -> None:
        """A key that was left empty is made from the words beside it."""
        for question in self.questions:
            if question.text and not question.key:
                question.key = made_key(question.text, "question", [other.key for other in self.questions])
            for option in question.options:
                if option.label and not option.key:
                    option.key = made_key(option.label, "option", [other.key for other in question.options])

    def act(self, act: str) -> str:
        """Does what a button of the form asks for; gives back the name of the field to go on with."""
        for question in self.questions:
            if question.has_options and not question.options:  # its form was another one before
                question.options = [OptionFields(), OptionFields()]
        verb, *numbers = act.split(":")
        places = [place for place in map(whole_number, numbers) if place is not None]
        return self.act_on(verb, *places[:2]) if len(places) == len(numbers) else ""

    def act_on(self, verb: str, index: int = -1, inner: int = -1) -> str:
        if verb == "add_question":
            if len(self.questions) < MOST_QUESTIONS:
                self.questions.append(QuestionFields(required=True, options=[OptionFields(), OptionFields()]))
            return f"questions[{len(self.questions) - 1}].text"
        if not 0 <= index < len(self.questions):
            return ""
        options = self.questions[index].options
        if verb == "add_option":
            if len(options) < MOST_OPTIONS:
                options.append(OptionFields())
            return f"questions[{index}].options[{len(options) - 1}].label"
        if verb.endswith("_question"):
            return f"questions[{moved(self.questions, verb, index)}].text"
        if verb.endswith("_option") and 0 <= inner < len(options):
            return f"questions[{index}].options[{moved(options, verb, inner)}].label"
        return ""


def moved(rows: list[Any], verb: str, index: int) -> int:
    """Takes the row away or changes it with its neighbour; where the focus goes then."""
    if verb.startswith("remove"):
        del rows[index]
        return min(index, len(rows) - 1)
    other = index + {"raise": -1, "lower": 1}.get(verb.partition("_")[0], 0)
    if not 0 <= other < len(rows):
        return index
    rows[index], rows[other] = rows[other], rows[index]
    return other


def question_fields(question: Question) -> QuestionFields:
    return QuestionFields(
        key=question.key,
        text=question.text,
        form=question.form,
        help=question.help,
        required=question.required,
        level=question.level,
        low="" if question.low is None else f"{question.low:.15g}",
        high="" if question.high is None else f"{question.high:.15g}",
        when_question=question.when.question if question.when else "",
        when_answers=list(question.when.answers) if question.when else [],
        options=[OptionFields(option.key, option.label, option.help, option.hotkey) for option in question.options],
    )


def fill_question(row: QuestionFields, name: str, values: list[str]) -> None:
    if name == "when.answers":
        row.when_answers = values
    elif name == "when.question":
        row.when_question = values[-1]
    elif name == "required":
        row.required = True
    elif name in {"key", "text", "form", "help", "level", "low", "high"}:
        setattr(row, name, values[-1].strip().replace("\r\n", "\n"))


def plain_question(row: QuestionFields, place: str) -> dict[str, Any]:
    """The question as `Codebook.read` takes it. What does not belong to its form is left out, not refused."""
    plain: dict[str, Any] = {name: getattr(row, name) for name in ("text", "form", "help", "required", "level")}
    plain["key"] = row.key or "question"  # without words there is no key either, and the words are what is missing
    if row.has_options:
        plain["options"] = [asdict(option) | {"key": option.key or "option"} for option in row.options]
    if row.form == "number":
        plain |= {name: bound(getattr(row, name), f"{place}.{name}") for name in ("low", "high")}
    if row.when_question:
        plain["when"] = {"question": row.when_question, "answers": row.when_answers}
    return plain


def bound(text: str, place: str) -> float | None:
    if not text:
        return None
    try:
        return float(text.replace(",", "."))
    except ValueError as error:
        raise FieldError(place, f"must be a number, not “{text[:40]}”") from error


def made_key(text: str, otherwise: str, taken: list[str]) -> str:
    words = re.sub(r"^[^a-z]+", "", slugify(text).replace("-", "_"))[: LONGEST_KEY - 4].strip("_") or otherwise
    number, key = 1, words
    while key in taken:
        number += 1
        key = f"{words}_{number}"
    return key


PARTS = {"options": "its options", "when.question": "when", "when.answers": "when, answers", "help": "help"}


def spoken_place(place: str) -> str:
    """“questions[0].options[1].label” as a person finds it: question 1, option 2, label."""
    if not (found := re.fullmatch(r"questions\[(\d+)\](?:\.options\[(\d+)\])?(?:\.(.+))?", place)):
        return place.capitalize()
    words = [f"Question {int(found[1]) + 1}", *([f"option {int(found[2]) + 1}"] if found[2] else [])]
    return ", ".join([*words, *([PARTS.get(found[3], found[3])] if found[3] else [])])


def error_of(error: FieldError) -> Mapping[str, str]:
    return {"field": error.field, "reason": error.reason, "place": spoken_place(error.field)}
