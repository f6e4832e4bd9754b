"""Figures that are kept: measured in the request where that is quick, by a job where it is not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from labeling.agreement.choosing import Selection, choose
from labeling.agreement.models import Measurement
from labeling.agreement.surveying import SEED, survey
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.models import User

KIND = "measure_agreement"
MOST_VOTES_AT_ONCE = 2_000  # more are measured by a job
MOST_KEPT = 200  # selections of a project; the oldest make room
OFTEN = timedelta(minutes=5)  # a job for the same selection is not started more often


def kept(selection: Selection) -> Measurement | None:
    """The figures as they were measured last."""
    return Measurement.objects.filter(project=selection.project, digest=selection.digest).first()


def measure_now(selection: Selection) -> Measurement:
    """Measures and keeps it."""
    return keep(selection, survey(selection))


def keep(selection: Selection, figures: dict[str, Any]) -> Measurement:
    """Two who measured the same at the same time keep the same."""
    made, _ = Measurement.objects.update_or_create(
        project=selection.project,
        digest=selection.digest,
        defaults={
            "filters": selection.filters,
            "stamp": selection.stamp,
            "newest_vote": figures["newest_vote"],
            "votes": figures["votes"],
            "seed": figures["seed"],
            "figures": figures,
            "measured_at": timezone.now(),
        },
    )
    old = selection.project.measurements.order_by("-measured_at", "-pk")[MOST_KEPT:]
    Measurement.objects.filter(pk__in=list(old.values_list("pk", flat=True))).delete()
    return made


def current(selection: Selection, *, by: User | None) -> tuple[Measurement | None, bool]:
    """The newest figures there are, and whether newer ones are on their way."""
    found = kept(selection)
    if found and found.stamp == selection.stamp:
        return found, False
    if selection.votes_cast <= MOST_VOTES_AT_ONCE or selection.project.archived_at:
        return measure_now(selection), False
    if found is None or found.measured_at < timezone.now() - OFTEN:
        start_measuring(selection, by=by)
    return found, waiting(selection).exists()


def waiting(selection: Selection) -> Any:
    return Job.objects.active().filter(project=selection.project, kind=KIND, arguments__digest=selection.digest)


def start_measuring(selection: Selection, *, by: User | None) -> None:
    """Starts the job unless one waits or runs already."""
    if not waiting(selection).exists():
        title = f"Agreement on “{selection.question.text}”"
        enqueue(KIND, project=selection.project, by=by, title=title, digest=selection.digest, filters=selection.filters)


def measure_agreement(run: Run) -> dict[str, Any]:
    """The job: what was chosen is read anew, so that all votes up to now count."""
    selection = choose(run.job.project, run.arguments["filters"])
    if selection is None:
        raise JobError("There is no round with votes any more.")
    run.expect(1, done=0)
    figures = survey(selection)  # outside of the step: a long transaction would keep others from writing
    with run.step():
        made = keep(selection, figures)
    return {"measurement": made.pk, "votes": made.votes, "seed": SEED}
