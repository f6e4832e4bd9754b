"""Links for participants. A secret is shown once, when it is made; what we keep is its digest."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from labeling.people.access import require_current
from labeling.people.activity import record
from labeling.people.links import public_url
from labeling.people.models import User, digest, new_token
from labeling.refusals import Invalid, Refusal
from labeling.spreadsheets import neutralise
from labeling.study.models import Stage, Study
from labeling.study.taking.models import OpenLink, Participant, Step

MOST_AT_ONCE = 1_000
LONGEST_LABEL = 80
PARAMETERS = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


@dataclass(frozen=True)
class Made:
    """A participant and their link, which can be shown only now."""

    participant: Participant
    link: str


def link_of(study: Study, token: str) -> str:
    return public_url("taking:personal_link", study.code, token)


@transaction.atomic
def invite_many(study: Study, *, labels: Sequence[str], stage: str = Stage.MAIN, by: User | None) -> list[Made]:
    """One participant and one personal link for each label; a label may be blank."""
    study = locked(study)
    require_inviting(study, stage)
    if not 1 <= len(labels) <= MOST_AT_ONCE:
        raise Invalid(f"count: between 1 and {MOST_AT_ONCE:,} links are made at once, not {len(labels):,}.")
    cleaned = [checked_label(label) for label in labels]
    last = study.participants.aggregate(last=Max("number"))["last"] or 0
    tokens = [new_token() for _ in cleaned]
    made = Participant.objects.bulk_create(
        Participant(study=study, stage=stage, number=last + place, label=label, link_digest=digest(token))
        for place, (label, token) in enumerate(zip(cleaned, tokens, strict=True), start=1)
    )
    words = f"{len(made):,} participant{'s' if len(made) > 1 else ''} to {study}"
    record(study.project, by=by, verb="invited", subject=words, stage=stage)
    return [Made(participant, link_of(study, token)) for participant, token in zip(made, tokens, strict=True)]


def locked(study: Study) -> Study:
    return Study.objects.select_for_update(no_key=True, of=("self",)).select_related("project").get(pk=study.pk)


def require_inviting(study: Study, stage: str) -> None:
    require_current(study.project)
    if stage not in Stage.values:
        raise Invalid(f"stage: must be one of {', '.join(Stage.values)}.")
    if stage == Stage.PILOT and study.is_frozen:
        raise Refusal("The study is frozen, so its pilot is over.")
    if study.closed_at:
        raise Refusal("The study is closed: nobody can take part any more.")


def checked_label(label: str) -> str:
    label = label.strip()
    if len(label) > LONGEST_LABEL or not label.isprintable():
        raise Invalid(f"label: “{label[:40]}” must be one line of at most {LONGEST_LABEL} characters.")
    return label


@transaction.atomic
def open_to_all(study: Study, *, stage: str = Stage.MAIN, by: User | None) -> str:
    """The one link for a recruiting service; it replaces an earlier one, and those who started by that go on."""
    study = locked(study)
    require_inviting(study, stage)
    study.open_links.filter(stage=stage, revoked_at=None).update(revoked_at=timezone.now())
    token = new_token()
    OpenLink.objects.create(study=study, stage=stage, link_digest=digest(token), made_by=by)
    record(study.project, by=by, verb="made an open link to", subject=str(study), stage=stage)
    return public_url("taking:open_link", study.code, token)


@transaction.atomic
def revoke_open_link(study: Study, *, stage: str = Stage.MAIN, by: User | None) -> None:
    require_current(study.project)
    if not study.open_links.filter(stage=stage, revoked_at=None).update(revoked_at=timezone.now()):
        raise Refusal("There is no open link to withdraw.")
    record(study.project, by=by, verb="withdrew the open link to", subject=str(study), stage=stage)


@transaction.atomic
def renew_link(participant: Participant, *, by: User | None) -> Made:
    """A new link for somebody who lost theirs; the old one stops working."""
    own = held(participant)
    if own.step in {Step.REVOKED, Step.DELETED, Step.STOPPED}:
        raise Refusal(f"{own} has left or was withdrawn, so they get no new link.")
    token = new_token()
    own.link_digest = digest(token)
    own.save(update_fields=["link_digest"])
    record(own.study.project, by=by, verb="made a new link for", subject=f"{own} of {own.study}")
    return Made(own, link_of(own.study, token))


@transaction.atomic
def revoke_link(participant: Participant, *, by: User | None) -> Participant:
    """The link stops working and the sheet goes back; what was answered stays stored and counts as not finished."""
    own = held(participant)
    if own.step not in {Step.INVITED, Step.STARTED, Step.TIMED_OUT}:
        raise Refusal(f"{own} is {own.get_step_display().lower()}: there is nothing to withdraw.")
    own.step, own.ended_at = Step.REVOKED, timezone.now()
    own.save(update_fields=["step", "ended_at"])
    record(own.study.project, by=by, verb="withdrew the link of", subject=f"{own} of {own.study}")
    return own


def held(participant: Participant) -> Participant:
    own = Participant.objects.select_for_update(of=("self",)).select_related("study__project").get(pk=participant.pk)
    require_current(own.study.project)
    return own


def as_csv(made: Iterable[Made]) -> str:
    """The links as a table to send them from: number, label, link."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["participant", "label", "link"])
    for entry in made:
        writer.writerow([entry.participant.number, neutralise(entry.participant.label), entry.link])
    return text.getvalue()
