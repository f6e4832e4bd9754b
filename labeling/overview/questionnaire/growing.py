"""The work that gives the demo a study from its first draft to its results. A worker does it, after the start."""

from __future__ import annotations

from typing import Any

from labeling.corpus.models import Project
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import Run
from labeling.overview.questionnaire.answering import Simulated
from labeling.overview.questionnaire.material import ORIGINS, methods
from labeling.people.models import User
from labeling.study import editing, freezing
from labeling.study.fieldwork.inviting import invite_many
from labeling.study.loading import load_material
from labeling.study.material import PRESETS, read_material, rows_of_list
from labeling.study.models import Study
from labeling.study.planning import plan_study
from labeling.study.results.keeping import current
from labeling.study.taking.models import Step

KIND = "grow_demo"
NAME = "Four names of a method"
DESIGN = {"sheets": 10, "methods_per_sheet": 24, "shared": 20, "shared_by": 3, "spares": 1,
          "hypotheses": "Names that reviewers asked for are called consistent more often than the others."}  # fmt: skip


def start_growing(project: Project, *, by: User) -> Job:
    return enqueue(KIND, project=project, by=by, title="The demo’s study, with ten simulated participants")


def grow_demo(run: Run) -> dict[str, Any]:
    """The job: plans and opens the study, lets ten people who are not there take part, closes and unblinds it. What
    an earlier attempt finished is not done again."""
    project, by = run.job.project, run.job.created_by
    if by is None:
        return {}
    items = list(methods())
    origins = {name["name"]: name["origin"] for _, names in items for name in reversed(names)}
    study = Study.objects.filter(project=project, name=NAME).first()
    if study is None:
        with run.step(0, message="Planning"):
            study = open_demo_study(project, items, by=by)
    people = DESIGN["sheets"]
    run.expect(int(str(people)), done=study.participants.filter(step=Step.FINISHED).count())
    while run.done < int(str(people)):
        number = study.participants.count()
        (invited,) = invite_many(study, labels=[""], by=by)
        Simulated(study, invited.link, number, origins).take_part()
        with run.step(message=f"Participant {run.done + 1}"):
            pass
    study.refresh_from_db()
    if not study.closed_at:
        freezing.close_study(study, by=by)
    study.refresh_from_db()
    if not study.unblinded_at:
        freezing.unblind_study(study, by=by)
    study.refresh_from_db()
    current(study, by=by)
    return {"study": study.pk}


def open_demo_study(project: Project, items: list[Any], *, by: User) -> Study:
    study = editing.create_study(project, name=NAME, design=dict(DESIGN), seed=5, by=by)
    rows = rows_of_list([item for item, _ in items])
    names = rows_of_list([name for _, given in items for name in given])
    labels = {key: PRESETS["four_names"][key] for key in ORIGINS}
    load_material(study, read_material(rows, names, labels), source={"kind": "demo"}, by=by)
    plan_study(study, by=by)
    freezing.freeze_study(study, by=by)
    return freezing.open_study(study, by=by)
