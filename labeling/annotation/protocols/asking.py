"""A codebook as the form that an annotator fills in: what `annotation/questions.html` shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labeling.annotation.protocols.codebook import Codebook, Option, Question
from labeling.annotation.protocols.keys import default_keys


@dataclass(frozen=True)
class AskedOption:
    option: Option
    id: str
    key: str
    chosen: bool


@dataclass(frozen=True)
class AskedQuestion:
    question: Question
    id: str
    value: str
    error: str
    options: list[AskedOption]

    @property
    def name(self) -> str:
        return f"answers.{self.question.key}"

    @property
    def is_answered(self) -> bool:
        return bool(self.value) or any(option.chosen for option in self.options)


def asked_questions(
    codebook: Codebook,
    *,
    answers: Mapping[str, Any],
    keys: Mapping[str, str] | None,
    errors: Mapping[str, str],
    prefix: str,
) -> list[AskedQuestion]:
    """Every question with its answer so far, its keys, and what is wrong with the answer."""
    shown_keys = default_keys(codebook) if keys is None else keys
    return [
        AskedQuestion(
            question=question,
            id=f"{prefix}-{question.key}",
            value=shown_value(question, answers.get(question.key)),
            error=errors.get(f"answers.{question.key}", ""),
            options=asked_options(question, answers.get(question.key), shown_keys, prefix),
        )
        for question in codebook.questions
    ]


def asked_options(question: Question, answer: Any, keys: Mapping[str, str], prefix: str) -> list[AskedOption]:
    chosen = answer if isinstance(answer, list) else [answer]
    return [
        AskedOption(
            option=option,
            id=f"{prefix}-{question.key}-{option.key}",
            key=keys.get(f"{question.key}.{option.key}", ""),
            chosen=option.key in chosen,
        )
        for option in question.options
    ]


def shown_value(question: Question, answer: Any) -> str:
    if question.has_options or answer is None:
        return ""
    return f"{answer:.15g}" if isinstance(answer, float) else str(answer)
