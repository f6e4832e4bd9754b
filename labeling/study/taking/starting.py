"""Beginning: consent is recorded and a sheet is reserved, in one short transaction. Nobody waits for anybody."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone

from labeling.people.models import digest, new_token
from labeling.refusals import Gone, Refusal
from labeling.study.designing import Design
from labeling.study.models import Sheet, Stage, Study, StudyText
from labeling.study.taking.entering import Newcomer, Visit
from labeling.study.taking.models import Line, Page, Participant, Step

TAKEN = [Step.STARTED, Step.FINISHED]
NONE_LEFT = (
    "All places of this study are taken at the moment. Nothing was stored. If somebody gives a place back, your link "
    "will work: try again in a few days."
)


def latest_texts(study: Study) -> StudyText:
    found = study.texts.order_by("-version").first()
    if found is None:
        raise Refusal("This study is not ready: its texts are not written yet.")
    return found


def require_taking(study: Study, stage: str) -> None:
    """Whether answers of this stage are taken now."""
    if stage == Stage.PILOT:
        if study.piloted_at is None or study.frozen_at is not None:
            raise Gone("The trial run of this study is over, or has not begun. No answers are taken.")
        return
    if study.closed_at is not None:
        raise Gone(f"This study was closed on {study.closed_at:%-d %B %Y}. No answers are taken any more.")
    if study.opened_at is None:
        raise Gone("This study has not been opened yet. Your link will work as soon as it is.")


@transaction.atomic
def start(visit: Visit, *, version: int) -> tuple[Participant, str]:
    """The participant with a sheet of their own, and the secret that they are known by from now on."""
    texts = latest_texts(visit.study)
    if texts.version != version:
        raise Refusal("The text that you agree to was changed while you read it. Please read it again.")
    if visit.participant:
        participant, secret = locked(visit.participant), visit.secret
    else:
        participant, secret = new_participant(visit)
    study = participant.study
    require_taking(study, participant.stage)
    if participant.step in TAKEN:
        return participant, secret  # a second press of the button
    if participant.step not in {Step.INVITED, Step.TIMED_OUT}:
        raise Gone("You left this study before, so you cannot start again.")
    reserve_sheet(participant)
    now = timezone.now()
    participant.step, participant.ended_at = Step.STARTED, None
    participant.started_at, participant.seen_at = participant.started_at or now, now
    participant.consent, participant.consented_at = texts, now
    participant.save()
    return participant, secret


def locked(participant: Participant) -> Participant:
    """The row as it is now, held until the transaction ends: of two tabs one waits for the other."""
    own = Participant.objects.select_for_update(of=("self",)).select_related("consent").get(pk=participant.pk)
    # Read after the lock: a study is closed by taking the locks of all its participants.
    own.study = Study.objects.select_related("project").get(pk=own.study_id)
    return own


def new_participant(visit: Visit) -> tuple[Participant, str]:
    """Somebody who came by the open link. Those wait for each other, because each gets the next number."""
    newcomer = visit.newcomer
    assert newcomer is not None  # noqa: S101 (enter has seen to it)
    study = Study.objects.select_for_update(no_key=True, of=("self",)).get(pk=visit.study.pk)
    require_new(study, newcomer)
    number = study.participants.aggregate(last=Max("number"))["last"] or 0
    secret = visit.secret if newcomer.external_id else new_token()
    participant = Participant.objects.create(
        study=study,
        stage=newcomer.link.stage,
        number=number + 1,
        external_id=newcomer.external_id,
        link_digest=newcomer.link_digest if newcomer.external_id else digest(secret),
    )
    return participant, secret


def require_new(study: Study, newcomer: Newcomer) -> None:
    if not newcomer.external_id:
        return
    same = study.participants.filter(stage=newcomer.link.stage, external_id=newcomer.external_id)
    if same.exists():
        raise Refusal("Somebody with your identifier already takes part. Open the study from where you began it.")


def reserve_sheet(participant: Participant) -> None:
    """The sheet they had, if it is free; otherwise the first free one."""
    release_timed_out(participant.study, participant.stage)
    if participant.sheet_id:
        own = Sheet.objects.select_for_update().get(pk=participant.sheet_id)
        if is_taken(own):
            raise Gone("Your time ran out, and your place was given to somebody else. Thank you for your time so far.")
    else:
        participant.sheet = first_free(participant)
    if not participant.pages.exists():
        lay_out(participant)


def first_free(participant: Participant) -> Sheet:
    free = free_sheets(participant.study, participant.stage)
    # First those that nobody is taking this very moment; if there are none, we wait for those who do.
    for sheets in (free.select_for_update(skip_locked=True), free.select_for_update()):
        passed: list[int] = []
        while found := sheets.exclude(pk__in=passed).first():
            if not is_taken(found):  # asked again under the lock
                return found
            passed.append(found.pk)
    raise Refusal(NONE_LEFT)


def free_sheets(study: Study, stage: str) -> QuerySet[Sheet]:
    """Balance is by completed sheets: one that was given back comes before those that nobody had yet."""
    held = Participant.objects.filter(sheet=OuterRef("pk"))
    finished, working = held.filter(step=Step.FINISHED), held.filter(step=Step.STARTED, seen_at__gte=cutoff_of(study))
    return Sheet.objects.filter(~Exists(finished), ~Exists(working), study=study, stage=stage).order_by("number")


def cutoff_of(study: Study) -> datetime:
    """Who was last seen before it has timed out."""
    return timezone.now() - timedelta(hours=Design.read(study.design).timeout_hours)


def is_taken(sheet: Sheet) -> bool:
    return Participant.objects.filter(sheet=sheet, step__in=TAKEN).exists()


def release_timed_out(study: Study, stage: str) -> int:
    """Gives back the sheets of those who have not been seen for too long; what they answered stays."""
    gone = Participant.objects.filter(study=study, stage=stage, step=Step.STARTED, seen_at__lt=cutoff_of(study))
    ids = list(gone.select_for_update(skip_locked=True).values_list("pk", flat=True))
    return Participant.objects.filter(pk__in=ids).update(step=Step.TIMED_OUT, ended_at=timezone.now()) if ids else 0


def lay_out(participant: Participant) -> None:
    """One page a method and one line a name, in the order of the sheet and under codes that say nothing."""
    assert participant.sheet is not None  # noqa: S101 (it was reserved)
    plan = participant.sheet.plan
    pages = Page.objects.bulk_create(
        Page(participant=participant, position=position, method_id=method)
        for position, (method, _) in enumerate(plan, start=1)
    )
    Line.objects.bulk_create(
        Line(page=page, place=place, name_id=name)
        for page, (_, names) in zip(pages, plan, strict=True)
        for place, name in enumerate(names, start=1)
    )
