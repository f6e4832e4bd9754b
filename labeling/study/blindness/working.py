"""The attack as long work: asked for by a coordinator, done by a worker, its report kept with the job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.models import User
from labeling.refusals import Refusal
from labeling.study.models import Study, new_seed

KIND = "attack_blinding"


def start_attack(study: Study, *, by: User | None) -> Job:
    """Refuses while there is nothing to attack."""
    from labeling.study.blindness.attacking import sheets_of

    sheets_of(study)
    return enqueue(
        KIND, project=study.project, by=by, title=f"Attack on the blinding of {study}", study=study.pk, seed=new_seed()
    )


def attack_blinding(run: Run) -> Mapping[str, Any]:
    """The job. What computes is loaded only here: a web process has no use for it."""
    from labeling.study.blindness.attacking import MOST_SESSIONS, attack, sheets_of

    study = Study.objects.select_related("project").get(pk=run.arguments["study"])
    try:
        run.expect(min(len(sheets_of(study)), MOST_SESSIONS), done=0)
        seed = run.arguments.get("seed", 1)
        return {"report": attack(study, seed=seed, after_each=lambda: one_more(run))}
    except Refusal as refusal:
        raise JobError(str(refusal)) from refusal


def one_more(run: Run) -> None:
    with run.step(message="A whole session was recorded and rolled back."):
        pass


def latest_attack(study: Study) -> Job | None:
    return Job.objects.filter(project=study.project_id, kind=KIND, arguments__study=study.pk).first()


def last_report(study: Study) -> Job | None:
    done = Job.objects.filter(project=study.project_id, kind=KIND, arguments__study=study.pk, state=State.FINISHED)
    return done.first()
