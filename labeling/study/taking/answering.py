"""What a participant tells us. Each answer is stored at once; sending it twice stores it once; a tab that is out of
date overwrites nothing."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import Http404
from django.utils import timezone

from labeling.annotation.protocols.answers import check_answers
from labeling.corpus.payloads import FieldError
from labeling.refusals import Gone, Invalid, Refusal
from labeling.study.taking.models import Answer, Line, Page, Participant, Step
from labeling.study.taking.starting import locked, require_taking
from labeling.study.texts import Texts

LONGEST_COMMENT = 5_000
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that is taken for another
CODE_LENGTH = 10
CLOCKS = ("active", "idle", "hidden")
STALE = (  # a page that saves each answer at once still shows what was chosen
    "This was changed in another tab or on another device, so this was not stored. Look at what is, and change it if "
    "you want."
)
WHY_NOT = {
    Step.INVITED: "You have not started yet. Go to the first page of the study.",
    Step.FINISHED: "You have finished this study, so your answers can no longer be changed.",
    Step.TIMED_OUT: "You were away for long, so your place was given back. Go to the first page to take it again.",
    Step.STOPPED: "You left this study. Nothing more is stored.",
    Step.DELETED: "You withdrew from this study and your answers were deleted. Nothing more is stored.",
    Step.REVOKED: "This link was withdrawn by those who run the study.",
}


class Stale(Refusal):
    """What is stored was written after the page was shown."""


@dataclass(frozen=True)
class Given:
    """One answer as it was sent, and the writing of it that the page knew."""

    line: str
    answer: str
    reason: str = ""
    revision: int = 0


@dataclass(frozen=True)
class Sent:
    """A page as its form sends it."""

    answers: list[Given]
    comment: str | None = None
    comment_was: Collection[str] = ()  # what this page knows to be stored, or may have stored itself
    times: Mapping[str, float] = field(default_factory=dict)


def texts_of(participant: Participant) -> Texts:
    """The texts that they agreed to, also after there are newer ones."""
    assert participant.consent is not None  # noqa: S101 (nobody starts without)
    return Texts.read(participant.consent.content)


def taking_part(participant: Participant) -> Participant:
    """The participant, locked, if they may tell us something now."""
    own = locked(participant)
    if own.step != Step.STARTED:
        raise (Refusal if own.step in {Step.INVITED, Step.FINISHED, Step.TIMED_OUT} else Gone)(WHY_NOT[Step(own.step)])
    require_taking(own.study, own.stage)
    own.seen_at = timezone.now()
    own.save(update_fields=["seen_at"])
    return own


def own_page(participant: Participant, code: str) -> Page:
    found = Page.objects.filter(participant=participant, code=code).select_related("method").first()
    if found is None:
        raise Http404("This page is not on your sheet.")
    return found


@transaction.atomic
def save_answer(participant: Participant, code: str, given: Given, times: Mapping[str, float]) -> tuple[Line, bool]:
    """The line as it is stored now, and whether the page is complete."""
    own = taking_part(participant)
    page = own_page(own, code)
    lines = lines_of(page)
    line = store(lines, given, texts_of(own))
    return line, settle(page, lines.values(), times)


@transaction.atomic
def save_page(participant: Participant, code: str, sent: Sent) -> list[Line]:
    """Stores a whole form, all of it or nothing; gives back the lines that still want something."""
    own = taking_part(participant)
    page, texts = own_page(own, code), texts_of(own)
    lines = lines_of(page)
    for given in sent.answers:
        store(lines, given, texts)
    if sent.comment is not None:
        page.comment = checked_comment(page, sent.comment, sent.comment_was)
    settle(page, lines.values(), sent.times)
    return [line for line in lines.values() if wants(line)]


def lines_of(page: Page) -> dict[str, Line]:
    return {line.code: line for line in page.lines.order_by("place")}


def store(lines: dict[str, Line], given: Given, texts: Texts) -> Line:
    line = lines.get(given.line)
    if line is None:
        raise Http404("This name is not on your sheet.")
    check(given, texts)
    if (line.answer, line.reason) == (given.answer, given.reason):
        return line
    if line.revision != given.revision:
        raise Stale(STALE)
    changed_mind = line.answer and (line.answer != given.answer or (line.reason and line.reason != given.reason))
    line.changes += bool(changed_mind)
    line.answer, line.reason, line.revision = given.answer, given.reason, line.revision + 1
    line.answered_at = timezone.now()
    line.save(update_fields=["answer", "reason", "revision", "changes", "answered_at"])
    return line


def check(given: Given, texts: Texts) -> None:
    if given.answer not in Answer.values:
        raise Invalid("answer: must be yes or no.")
    if given.reason and given.reason not in texts.reason_keys:
        raise Invalid(f"reason: “{given.reason[:40]}” is not one of {', '.join(texts.reason_keys)}.")
    if given.reason and given.answer != Answer.NO:
        raise Invalid("reason: is asked only when the answer is no. Take the reason back, or answer no.")


def checked_comment(page: Page, comment: str, was: Collection[str]) -> str:
    comment = comment.replace("\r\n", "\n")
    if "\x00" in comment or len(comment) > LONGEST_COMMENT:
        raise Invalid(f"comment: must be text of at most {LONGEST_COMMENT:,} characters.")
    if page.comment not in {comment, *(known.replace("\r\n", "\n") for known in was)}:
        raise Stale(STALE)
    return comment


def wants(line: Line) -> bool:
    return not line.answer or (line.answer == Answer.NO and not line.reason)


def settle(page: Page, lines: Iterable[Line], times: Mapping[str, float]) -> bool:
    """Stores the times, and since when the page is complete."""
    now = timezone.now()
    complete = not any(wants(line) for line in lines)
    page.first_seen_at = page.first_seen_at or now
    page.completed_at = (page.completed_at or now) if complete else None
    add_times(page, times, now)
    page.save()
    return complete


def add_times(page: Page, times: Mapping[str, float], now: datetime) -> None:
    """Totals only grow, and none goes beyond the time since the page was first shown: whatever is sent twice, by two
    tabs, or by somebody who plays with us counts once."""
    room = (now - (page.first_seen_at or now)).total_seconds() + 1
    for clock in CLOCKS:
        total = min(max(getattr(page, f"{clock}_seconds"), times.get(clock, 0)), room)
        setattr(page, f"{clock}_seconds", round(total, 1))


@transaction.atomic
def save_comment(participant: Participant, code: str, sent: Sent) -> None:
    """A comment by itself, so that it is not lost when the page is left."""
    own = taking_part(participant)
    page = own_page(own, code)
    if sent.comment is None:
        raise Invalid("comment: is missing.")
    page.comment = checked_comment(page, sent.comment, sent.comment_was)
    settle(page, lines_of(page).values(), sent.times)


@transaction.atomic
def save_times(participant: Participant, code: str, times: Mapping[str, float]) -> None:
    own = taking_part(participant)
    page = own_page(own, code)
    page.first_seen_at = page.first_seen_at or timezone.now()
    add_times(page, times, timezone.now())
    page.save()


@transaction.atomic
def show_page(participant: Participant, position: int) -> Page | None:
    """The page that comes next, from now on counted as seen."""
    page = participant.pages.filter(position=position).first()
    if page and page.first_seen_at is None:
        page.first_seen_at = timezone.now()
        page.save(update_fields=["first_seen_at"])
    return page


@transaction.atomic
def save_background(participant: Participant, answers: Mapping[str, Any]) -> None:
    own = taking_part(participant)
    try:
        own.background = check_answers(texts_of(own).background_form, dict(answers))
    except FieldError as error:
        raise Invalid(f"{error}.") from error
    own.save(update_fields=["background"])


@transaction.atomic
def finish_practice(participant: Participant) -> None:
    own = taking_part(participant)
    own.practised_at = own.practised_at or timezone.now()
    own.save(update_fields=["practised_at"])


@transaction.atomic
def finish(participant: Participant, exit_answer: str) -> Participant:
    """Ends the questionnaire; needs every page complete. A second time it changes nothing."""
    own = locked(participant)
    if own.step == Step.FINISHED:
        return own
    own = taking_part(own)
    left = own.pages.filter(completed_at=None).count()
    if left:
        raise Refusal("One page is not complete yet." if left == 1 else f"{left} pages are not complete yet.")
    if "\x00" in exit_answer or len(exit_answer) > LONGEST_COMMENT:
        raise Invalid(f"exit_answer: must be text of at most {LONGEST_COMMENT:,} characters.")
    own.exit_answer = exit_answer.strip()
    own.step, own.ended_at, own.code = Step.FINISHED, timezone.now(), new_receipt()
    own.save()
    return own


def new_receipt() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
