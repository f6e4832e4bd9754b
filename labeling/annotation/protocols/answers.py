"""Checking answers against a codebook: what may be stored, and a sentence naming the question when it may not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

from labeling.annotation.protocols.codebook import Codebook, Question
from labeling.corpus.payloads import FieldError, described, read_number, read_text

LONGEST_ANSWER = 5_000


def check_answers(codebook: Codebook, given: object) -> dict[str, Any]:
    """The answers as they are stored: every asked question in order, nothing else; raises FieldError."""
    if not isinstance(given, Mapping):
        raise FieldError("answers", f"must be an object with one field a question, not {described(given)}")
    for key in given:
        if codebook.question(str(key)) is None:
            raise FieldError(f"answers.{str(key)[:40]}", "is not a question of this protocol")
    checked: dict[str, Any] = {}
    for question in codebook.questions:
        value = given.get(question.key)
        place = f"answers.{question.key}"
        if question.when and not question.when.holds(checked):
            if not is_nothing(value):
                wanted = " or ".join(question.when.answers)
                raise FieldError(place, f"is asked only when {question.when.question} is {wanted}")
            continue
        if is_nothing(value):
            if question.required:
                raise FieldError(place, f"“{question.text}” needs an answer")
            continue
        try:
            checked[question.key] = check_answer(question, value)
        except FieldError as error:
            raise error.inside(place) from error
    return checked


def check_answer(question: Question, value: Any) -> Any:
    if question.form == "multiple":
        return check_set(question, value)
    if question.has_options:
        return check_option(question, value)
    if question.form == "number":
        return check_number(question, value)
    text = read_text(value)
    if len(text) > LONGEST_ANSWER:
        raise FieldError("", f"has {len(text):,} characters; at most {LONGEST_ANSWER:,} are taken")
    return text


def check_option(question: Question, value: Any) -> str:
    if not isinstance(value, str) or value not in question.option_keys:
        raise FieldError("", f"must be one of {', '.join(question.option_keys)}, not {described(value)}")
    return value


def check_set(question: Question, value: Any) -> list[str]:
    """The chosen options in the order of the codebook, so that equal sets are stored alike."""
    if not isinstance(value, list):
        raise FieldError("", f"must be a list of options, not {described(value)}")
    chosen = [check_option(question, option) for option in value]
    if len(set(chosen)) < len(chosen):
        raise FieldError("", "names an option twice")
    return [key for key in question.option_keys if key in chosen]


def check_number(question: Question, value: Any) -> float:
    number = read_number(value)
    if not math.isfinite(number):
        raise FieldError("", "must be a finite number")
    if question.low is not None and number < question.low:
        raise FieldError("", f"must be at least {question.low:g}, not {number:g}")
    if question.high is not None and number > question.high:
        raise FieldError("", f"must be at most {question.high:g}, not {number:g}")
    return number


def is_nothing(value: Any) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def answers_in_form(codebook: Codebook, data: QueryDict) -> dict[str, Any]:
    """The answers that a form of `annotation/questions.html` sent, not yet checked."""
    found: dict[str, Any] = {}
    for question in codebook.questions:
        name = f"answers.{question.key}"
        value = data.getlist(name) if question.form == "multiple" else data.get(name, "").strip()
        if not is_nothing(value):
            found[question.key] = in_number(value) if question.form == "number" else value
    return found


def in_number(text: Any) -> float | str:
    """The number that a person wrote, else the text, which the check will refuse in words."""
    try:
        return float(str(text).replace(",", "."))
    except ValueError:
        return str(text)
