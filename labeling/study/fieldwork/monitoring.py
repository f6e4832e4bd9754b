"""Who is where in a running study, by a number of queries that does not grow. It is masked: no answer is told, and no
origin is read."""

from __future__ import annotations

from statistics import median
from typing import Any

from django.db.models import Count, F, Q, Sum

from labeling.study.designing import read_design
from labeling.study.fieldwork.flagging import flags_of
from labeling.study.models import Stage, Study
from labeling.study.taking.models import Page, Participant, Step
from labeling.study.taking.starting import cutoff_of

HOLDING = {Step.STARTED, Step.FINISHED}  # who has a sheet that nobody else can take
DROPPED = [Step.TIMED_OUT, Step.STOPPED, Step.DELETED, Step.REVOKED]


def study_status(study: Study, *, stage: str = Stage.MAIN) -> dict[str, Any]:
    """All that the monitor shows, as JSON takes it."""
    participants = list(study.participants.filter(stage=stage).order_by("number"))
    work, flags = work_of(study, stage), flags_of(study, stage=stage)
    rows = [row_of(participant, study, work, flags) for participant in participants]
    steps = [participant.step for participant in participants]
    finished = [row["minutes"] for row in rows if row["step"] == Step.FINISHED and row["minutes"]]
    return {
        "study": study.name,
        "state": study.state,
        "stage": stage,
        "sheets": count_sheets(study, stage, participants),
        "steps": {step.value: steps.count(step) for step in Step},
        "dropped": sum(step in DROPPED for step in steps),
        "flagged": sum(bool(row["flags"]) for row in rows),
        "minutes": round(median(finished), 1) if finished else None,
        "timeout_hours": read_design(study.design).timeout_hours,
        "open_link": study.open_links.filter(stage=stage, revoked_at=None).exists(),
        "participants": rows,
    }


def count_sheets(study: Study, stage: str, participants: list[Participant]) -> dict[str, int]:
    """Planned ones, and apart from them the spare ones: a study is whole without those."""
    sheets = study.sheets.filter(stage=stage).values_list("pk", "replaces")
    spare = {pk: replaces is not None for pk, replaces in sheets}
    held = [(one.step, spare[one.sheet_id]) for one in participants if one.sheet_id and one.step in HOLDING]
    total, spares = list(spare.values()).count(False), list(spare.values()).count(True)
    return {
        "total": total,
        "finished": held.count((Step.FINISHED, False)),
        "free": total - sum(not is_spare for _, is_spare in held),
        "spares": spares,
        "spares_finished": held.count((Step.FINISHED, True)),
        "spares_free": spares - sum(is_spare for _, is_spare in held),
    }


def work_of(study: Study, stage: str) -> dict[int, dict[str, Any]]:
    pages = Page.objects.filter(participant__study=study, participant__stage=stage).order_by()
    counted = pages.values("participant").annotate(
        total=Count("pk"),
        done=Count("pk", filter=Q(completed_at__isnull=False)),
        active=Sum("active_seconds"),
        away=Sum(F("idle_seconds") + F("hidden_seconds")),
        comments=Count("pk", filter=~Q(comment="")),
    )
    return {row["participant"]: dict(row) for row in counted}


def row_of(
    participant: Participant, study: Study, work: dict[int, dict[str, Any]], flags: dict[int, list[str]]
) -> dict[str, Any]:
    done = work.get(participant.pk, {})
    overdue = participant.step == Step.STARTED and participant.seen_at and participant.seen_at < cutoff_of(study)
    return {
        "number": participant.number,
        "label": participant.label,
        "external_id": participant.external_id,
        "step": participant.step,
        "where": where_is(participant, done),
        "pages": done.get("total", 0),
        "done": done.get("done", 0),
        "minutes": round(done["active"] / 60, 1) if done.get("active") else None,
        "away_minutes": round(done["away"] / 60, 1) if done.get("away") else None,
        "comments": done.get("comments", 0),
        "started_at": moment(participant.started_at),
        "seen_at": moment(participant.seen_at),
        "overdue": bool(overdue),
        "flags": flags.get(participant.pk, []),
    }


def moment(at: Any) -> str | None:
    return at.isoformat() if at else None


def where_is(participant: Participant, done: dict[str, Any]) -> str:
    """In words: how far they came."""
    if participant.step != Step.STARTED:
        return participant.get_step_display()
    if participant.practised_at is None:
        return "Before the first method"
    if done.get("done") == done.get("total"):
        return "At the end"
    return f"Method {done.get('done', 0) + 1} of {done.get('total', 0)}"
