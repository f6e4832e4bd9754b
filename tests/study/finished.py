"""A small study that was answered over HTTP, with figures that can be worked out by hand."""

from __future__ import annotations

from typing import Any

from labeling import tasks
from labeling.corpus.models import Project
from labeling.jobs import running
from labeling.jobs.models import Job, State
from labeling.people.models import User
from labeling.study.freezing import close_study, freeze_study, open_study
from labeling.study.models import Study
from labeling.study.origins import Origin
from labeling.study.results.keeping import current
from labeling.study.results.models import Findings
from labeling.study.taking.leaving import withdraw
from tests.study.designs import planned
from tests.study.driving import Opinionated

DESIGN: dict[str, Any] = {"sheets": 5, "methods_per_sheet": 2, "shared": 0, "spares": 0, "pilot_sheets": 0}
LABELS = {"buggy": "Zebra =1+1 & Söhne", "fixed": "Walrus_50%", "cognac": "Heron", "gtnm": "Ibex"}


def opinion(number: int) -> Any:
    """Fixed is always liked, cognac never, gtnm on the first page, buggy on the first page of the first person."""

    def of(origin: str, page: int) -> tuple[str, str]:
        liked = {
            "fixed": True,
            "cognac": False,
            "gtnm": page == 1,
            "buggy": page == 1 and number == 1,
        }[origin]
        reason = {"cognac": "completely_inconsistent", "gtnm": "context"}.get(origin, "partially_inconsistent")
        return ("yes", "") if liked else ("no", reason)

    return of


def opened(project: Project, by: User | None = None, **design: Any) -> Study:
    study = open_study(freeze_study(planned(project, by, **{**DESIGN, **design}), by=by), by=by)
    for key, label in LABELS.items():  # after the freeze, so that the words are hard to find anywhere by chance
        Origin.objects.filter(study=study, key=key).update(label=label)
    return study


def answered(project: Project, by: User | None = None, *, finished: int = 3, **design: Any) -> Study:
    study = opened(project, by, **design)
    for number in range(1, finished + 1):
        taker = Opinionated(study)
        taker.judge_pages(opinion(number))
        taker.finish()
    return study


def closed(project: Project, by: User | None = None, **wanted: Any) -> Study:
    return close_study(answered(project, by, **wanted), by=by)


def leave(study: Study, choice: str, *, number: int = 9) -> None:
    """Somebody who answers one page and goes."""
    taker = Opinionated(study)
    taker.judge_pages(opinion(number), pages=1)
    if choice:
        withdraw(taker.participant, choice)


def computed(study: Study, *, stage: str = "main") -> Findings:
    """The figures, as a worker computes them."""
    study.refresh_from_db()
    current(study, stage=stage, by=None)
    for job in Job.objects.filter(kind="analyse_study", state=State.QUEUED):
        running.run(job.pk, tasks.WORK)
    found = current(study, stage=stage, by=None)
    assert found.findings, found.trouble
    assert not found.on_its_way
    return found.findings
