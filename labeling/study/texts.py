"""All that participants read and are asked besides the material itself; kept in versions as `StudyText.content`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from labeling.annotation.protocols.codebook import Codebook, Question, require_key, require_line, require_words
from labeling.corpus.payloads import FieldError, Payload
from labeling.refusals import Invalid

MOST_REASONS = 9  # each has a digit as its key
MOST_PRACTICE_NAMES = 9
LONGEST_LINE = 300
LONGEST_TEXT = 20_000
LONGEST_BODY = 20_000
LONGEST_ADDRESS = 500
LONGEST_RETENTION = 36_500
ADDRESS = re.compile(r"https://[^\s\"'<>]+")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a name does not fit. Its place in the list is its key on the keyboard."""

    key: str
    label: str
    help: str = ""

    def __post_init__(self) -> None:
        require_key(self.key)
        require_line(self.label, "label", LONGEST_LINE)
        require_words(self.help, "help", LONGEST_LINE)


@dataclass(frozen=True, slots=True)
class Practised:
    """A name of the practice item, and what the participant is told once they answered."""

    name: str
    remark: str = ""

    def __post_init__(self) -> None:
        require_line(self.name, "name", LONGEST_LINE)
        require_words(self.remark, "remark", LONGEST_LINE)


@dataclass(frozen=True, slots=True)
class Practice:
    """One method that everybody begins with. It is the same for all, and its answers are not kept."""

    body: str
    names: list[Practised]

    def __post_init__(self) -> None:
        if not self.body.strip():
            raise FieldError("body", "is empty")
        require_words(self.body, "body", LONGEST_BODY)
        if not 1 <= len(self.names) <= MOST_PRACTICE_NAMES:
            raise FieldError("names", f"must be 1 to {MOST_PRACTICE_NAMES}, not {len(self.names)}")


@dataclass(frozen=True, slots=True)
class Texts(Payload):
    """Consent, instructions, thanks and what is stored are Markdown; the rest are lines."""

    title: str  # what participants call the study: it should not give away what is compared
    consent: str
    instructions: str
    question: str
    reasons: list[Reason]
    reason_question: str = "Why not?"
    background: list[Question] = field(default_factory=list)
    practice: Practice | None = None
    exit_question: str = ""  # blank: none is asked
    thanks: str = ""
    completion_url: str = ""  # where a recruiting service wants people to go in the end
    stored: str = ""
    retention_days: int = 730  # after the start; then what can be linked to a person is deleted
    contact: str = ""

    def __post_init__(self) -> None:
        for name in ("title", "question", "reason_question"):
            require_line(getattr(self, name), name, LONGEST_LINE)
        for name in ("consent", "instructions"):
            if not getattr(self, name).strip():
                raise FieldError(name, "is empty")
        for name in ("consent", "instructions", "thanks", "stored"):
            require_words(getattr(self, name), name, LONGEST_TEXT)
        for name in ("exit_question", "contact"):
            require_words(getattr(self, name), name, LONGEST_LINE)
        self._require_reasons()
        self._require_background()
        self._require_end()

    def _require_reasons(self) -> None:
        if not 1 <= len(self.reasons) <= MOST_REASONS:
            raise FieldError("reasons", f"must be 1 to {MOST_REASONS}, not {len(self.reasons)}")
        if len(set(self.reason_keys)) < len(self.reasons):
            raise FieldError("reasons", "use a key twice")

    def _require_background(self) -> None:
        if not self.background:
            return
        try:
            self.background_form  # noqa: B018 (it checks itself)
        except FieldError as error:
            field = error.field.replace("questions", "background", 1)
            raise FieldError(field, error.reason) from error

    def _require_end(self) -> None:
        if self.completion_url and not ADDRESS.fullmatch(self.completion_url[: LONGEST_ADDRESS + 1]):
            raise FieldError("completion_url", "must be an address that begins with https://")
        if len(self.completion_url) > LONGEST_ADDRESS:
            raise FieldError("completion_url", f"is longer than {LONGEST_ADDRESS} characters")
        if not 1 <= self.retention_days <= LONGEST_RETENTION:
            raise FieldError("retention_days", f"must be between 1 and {LONGEST_RETENTION:,}")

    @property
    def reason_keys(self) -> list[str]:
        return [reason.key for reason in self.reasons]

    @property
    def background_form(self) -> Codebook:
        """The background questions as a codebook, so that they are shown and checked like any other."""
        return Codebook(title="About you", questions=self.background)


def read_texts(data: Any) -> Texts:
    """The texts in plain data; refuses by naming the field."""
    try:
        return Texts.read(data)
    except FieldError as error:
        raise Invalid(f"{error}.") from error
