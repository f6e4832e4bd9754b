"""Leaving before the end, taking one's answers away again, and seeing all that is stored about oneself."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from labeling.people.activity import record
from labeling.people.models import digest, new_token
from labeling.refusals import Gone, Invalid, Refusal
from labeling.study.archives import remove_archives
from labeling.study.models import Deviation
from labeling.study.taking.answering import new_receipt, texts_of
from labeling.study.taking.models import Line, Page, Participant, Step
from labeling.study.taking.starting import locked

KEEP, DELETE = "keep", "delete"
LEFT = [Step.STOPPED, Step.DELETED]


@transaction.atomic
def withdraw(participant: Participant, choice: str) -> Participant:
    """Stops, and keeps or deletes what was answered; the receipt is the participant's code. Deleting is possible at any
    time, also after the study was closed."""
    if choice not in {KEEP, DELETE}:
        raise Invalid("choice: must be keep or delete.")
    own = locked(participant)
    if own.step == Step.DELETED or (own.step == Step.STOPPED and choice == KEEP):
        return own  # a second press of the button
    if own.step == Step.REVOKED:
        raise Gone("This link was withdrawn by those who run the study.")
    if own.step == Step.INVITED:
        raise Refusal("You have not started, so nothing is stored and there is nothing to leave.")
    if choice == KEEP and own.step == Step.FINISHED:
        raise Refusal("You have finished: your answers are kept already. You can still have them deleted.")
    own.step = Step.STOPPED if choice == KEEP else Step.DELETED
    own.ended_at, own.code = timezone.now(), new_receipt()
    if choice == DELETE:
        erase(own)
    own.save()
    note(own)
    return own


def erase(participant: Participant) -> None:
    """Really deletes: answers, comments and times go with the pages, all that the person told us of themselves, and the
    files of results that were made before."""
    Line.objects.filter(page__participant=participant).delete()
    Page.objects.filter(participant=participant).delete()
    transaction.on_commit(partial(remove_archives, participant.study))
    participant.background = None
    participant.exit_answer = participant.external_id = ""
    participant.practised_at = None


def note(participant: Participant) -> None:
    study = participant.study
    how = "withdrew and had their answers deleted" if participant.step == Step.DELETED else "stopped"
    record(study.project, by=None, verb="noted that", subject=f"participant {participant.number} of {study} {how}")
    if study.closed_at and participant.step == Step.DELETED:
        what = f"Participant {participant.number} withdrew and had their answers deleted after the study was closed."
        Deviation.objects.create(study=study, what=what)


def kept_until(participant: Participant) -> date | None:
    """The day after which nothing that leads to the person is stored any more."""
    if participant.consent is None or participant.started_at is None:
        return None
    return (participant.started_at + timedelta(days=texts_of(participant).retention_days)).date()


@transaction.atomic
def forget_expired() -> int:
    """Takes away all that leads to a person whose day has come; yes, no and reasons stay, and belong to nobody."""
    begun = Participant.objects.filter(forgotten_at=None, started_at__isnull=False, consent__isnull=False)
    count, studies = 0, {}
    for participant in begun.select_related("consent", "study").select_for_update(of=("self",)).iterator():
        until = kept_until(participant)
        if until is None or until >= timezone.now().date():
            continue
        participant.background, participant.exit_answer = None, ""
        participant.label = participant.external_id = ""
        participant.link_digest = digest(new_token())  # the link leads nowhere
        participant.forgotten_at = timezone.now()
        participant.save()
        participant.pages.update(comment="")
        studies[participant.study_id] = participant.study
        count += 1
    for study in studies.values():
        transaction.on_commit(partial(remove_archives, study))
    return count


def own_data(participant: Participant) -> dict[str, Any]:
    """All that is stored about the person, in their words: no key of ours, and nothing that is not theirs."""
    lines = Line.objects.filter(page__participant=participant).select_related("name").order_by("place")
    by_page: dict[int, list[Line]] = {}
    for line in lines:
        by_page.setdefault(line.page_id, []).append(line)
    pages = participant.pages.select_related("method").order_by("position")
    until = kept_until(participant)
    return {
        "state": participant.get_step_display(),
        "consent": {
            "version": participant.consent.version if participant.consent else None,
            "at": participant.consented_at,
        },
        "started_at": participant.started_at,
        "ended_at": participant.ended_at,
        "last_seen_at": participant.seen_at,
        "kept_until": until,
        "called": participant.label,
        "recruited_as": participant.external_id,
        "background": participant.background,
        "exit_answer": participant.exit_answer,
        "receipt": participant.code,
        "pages": [page_data(page, by_page.get(page.pk, [])) for page in pages],
    }


def page_data(page: Page, lines: list[Line]) -> dict[str, Any]:
    return {
        "position": page.position,
        "method": page.method.shown,
        "comment": page.comment,
        "first_seen_at": page.first_seen_at,
        "completed_at": page.completed_at,
        "seconds": {"active": page.active_seconds, "idle": page.idle_seconds, "hidden": page.hidden_seconds},
        "names": [
            {
                "name": line.name.shown,
                "answer": line.answer,
                "reason": line.reason,
                "answered_at": line.answered_at,
                "changes": line.changes,
            }
            for line in lines
        ],
    }
