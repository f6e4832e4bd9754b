"""What a participant is shown, field by field: a template gets these and no row of the database."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.utils import timezone

from labeling.study.taking.answering import wants
from labeling.study.taking.models import Line, Page, Participant
from labeling.study.texts import Practice, Texts


@dataclass(frozen=True)
class ShownLine:
    code: str
    name: str
    answer: str = ""
    reason: str = ""
    revision: int = 0
    is_missing: bool = False
    remark: str = ""  # of a practice item


@dataclass(frozen=True)
class ShownPage:
    code: str
    number: int
    total: int
    done: int
    body: str
    lines: list[ShownLine]
    comment: str = ""
    times: dict[str, float] = field(default_factory=dict)
    previous: str = ""  # the code of the page before

    @property
    def is_last(self) -> bool:
        return self.number == self.total


@dataclass(frozen=True)
class ShownText:
    """What the frame of every page takes from the texts."""

    title: str
    question: str
    reason_question: str
    reasons: list[tuple[int, str, str, str]]  # its digit, key, label and help
    contact: str


def shown_text(texts: Texts) -> ShownText:
    reasons = [(digit, reason.key, reason.label, reason.help) for digit, reason in enumerate(texts.reasons, start=1)]
    return ShownText(texts.title, texts.question, texts.reason_question, reasons, texts.contact)


def shown_page(participant: Participant, page: Page, *, missing: Collection[str] = ()) -> ShownPage:
    """A page with what was answered so far; `missing` are the codes of names that are pointed at."""
    others = list(participant.pages.order_by("position").values_list("position", "code", "completed_at"))
    lines = page.lines.select_related("name").order_by("place")
    return ShownPage(
        code=page.code,
        number=page.position,
        total=len(others),
        done=sum(completed is not None for _, _, completed in others),
        body=page.method.shown,
        lines=[shown_line(line, missing) for line in lines],
        comment=page.comment,
        times={"active": page.active_seconds, "idle": page.idle_seconds, "hidden": page.hidden_seconds},
        previous=next((code for position, code, _ in others if position == page.position - 1), ""),
    )


def shown_line(line: Line, missing: Collection[str]) -> ShownLine:
    return ShownLine(
        code=line.code,
        name=line.name.shown,
        answer=line.answer,
        reason=line.reason,
        revision=line.revision,
        is_missing=line.code in missing and wants(line),
    )


def shown_consent(texts: Texts, version: int) -> dict[str, Any]:
    """What one is asked to agree to, and until when all that leads to them is gone."""
    until = timezone.now() + timedelta(days=texts.retention_days)
    return {"version": version, "consent": texts.consent, "stored": texts.stored, "until": until}


def shown_practice(practice: Practice) -> ShownPage:
    """The practice item looks like any other; what is answered on it goes back to the page and nowhere else."""
    lines = [
        ShownLine(f"practice-{number}", practised.name, remark=practised.remark)
        for number, practised in enumerate(practice.names, start=1)
    ]
    return ShownPage("practice", 0, 0, 0, practice.body, lines)
