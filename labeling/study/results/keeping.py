"""Figures that are kept: a worker computes them, because that takes libraries which a web process should not load."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils import timezone

from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from labeling.study.models import Stage, Study
from labeling.study.results.analysing import VERSION, analyse_study
from labeling.study.results.gathering import gather_study
from labeling.study.results.models import Findings
from labeling.study.results.revealing import letters_of, origin_names, reveal
from labeling.study.taking.models import Line, Step

KIND = "analyse_study"
OFTEN = timedelta(minutes=2)  # while answers come in, figures are not made anew more often


@dataclass(frozen=True)
class Current:
    """The newest figures there are, whether newer ones are on their way, and why there are none."""

    findings: Findings | None
    on_its_way: bool = False
    trouble: str = ""


def stamp_of(study: Study, stage: str) -> str:
    """Changes with every answer and every step of a participant."""
    lines = Line.objects.filter(page__participant__study=study, page__participant__stage=stage)
    counted = lines.aggregate(
        answered=Count("pk", filter=~Q(answer="")), written=Sum("revision"), last=Max("answered_at")
    )
    steps = list(study.participants.filter(stage=stage).order_by("number").values_list("number", "step", "ended_at"))
    order = letters_of(study, stage)  # another one after the unblinding
    told = [VERSION, study.digest, study.closed_at, study.design, order, *counted.values(), *steps]
    return sha256(repr(told).encode()).hexdigest()[:32]


def kept(study: Study, stage: str) -> Findings | None:
    """What was computed last, unless somebody in it has had their answers deleted since."""
    found = Findings.objects.filter(study=study, stage=stage).first()
    deleted = study.participants.filter(stage=stage, step=Step.DELETED).count()
    return found if found and found.figures["standing"]["deleted"] == deleted else None


def current(study: Study, *, stage: str = Stage.MAIN, by: User | None) -> Current:
    """Asks a worker for newer figures where that is due."""
    found, stamp = kept(study, stage), stamp_of(study, stage)
    if found and found.stamp == stamp:
        return Current(found)
    last = jobs_of(study, stage).order_by("-pk").first()
    if last and last.is_active:
        return Current(found, on_its_way=True)
    if last and last.state in {State.FAILED, State.CANCELLED} and last.arguments["stamp"] == stamp:
        return Current(found, trouble=last.error or "The computation was cancelled.")
    if study.project.archived_at:
        return Current(found, trouble="The project is archived, so nothing is computed any more.")
    if found and not study.closed_at and found.measured_at > timezone.now() - OFTEN:
        return Current(found)
    start_analysing(study, stage, stamp, by=by)
    return Current(found, on_its_way=True)


def jobs_of(study: Study, stage: str) -> QuerySet[Job]:
    return Job.objects.filter(project=study.project, kind=KIND, arguments__study=study.pk, arguments__stage=stage)


def start_analysing(study: Study, stage: str, stamp: str, *, by: User | None) -> Job:
    title = f"Results of {study}" if stage == Stage.MAIN else f"Results of the pilot of {study}"
    return enqueue(KIND, project=study.project, by=by, title=title, study=study.pk, stage=stage, stamp=stamp)


def work_analyse(run: Run) -> dict[str, Any]:
    """The job: reads the answers as they are now."""
    study = study_of(run)
    run.expect(1, done=0)
    stage = run.arguments["stage"]
    stamp = stamp_of(study, stage)
    figures = analyse_study(gather_study(study, stage=stage))  # outside of the step: it takes its time
    with run.step():
        made = keep(study, stage, stamp, figures)
    return {"findings": made.pk, "judgements": figures["counts"]["judgements"]}


def study_of(run: Run) -> Study:
    found = Study.objects.select_related("project").filter(pk=run.arguments["study"]).first()
    if found is None:
        raise JobError("The study is not there any more.")
    return found


def keep(study: Study, stage: str, stamp: str, figures: dict[str, Any]) -> Findings:
    fields = {"stamp": stamp, "figures": figures, "measured_at": timezone.now()}
    made, _ = Findings.objects.update_or_create(study=study, stage=stage, defaults=fields)
    return made


def shown_figures(study: Study, findings: Findings) -> dict[str, Any]:
    """Kept figures as they may be read now."""
    found: dict[str, Any] = reveal(findings.figures, origin_names(study, findings.stage))
    return found


def require_stage(stage: str) -> str:
    if stage not in Stage.values:
        raise Invalid(f"stage: must be one of {', '.join(Stage.values)}.")
    return stage


def has_begun(study: Study, stage: str) -> bool:
    """Whether this stage has ever taken answers."""
    return bool(study.opened_at if stage == Stage.MAIN else study.piloted_at)


def require_begun(study: Study, stage: str) -> None:
    if not has_begun(study, stage):
        never = "has not been opened yet" if stage == Stage.MAIN else "had no pilot"
        raise Refusal(f"{study} {never}: there is nothing to analyse.")
