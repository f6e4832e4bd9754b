"""The demo with all that its worker makes, and the pages of it that the documentation shows."""

from __future__ import annotations

from labeling import tasks
from labeling.annotation.models import Round
from labeling.consensus.models import Case, CaseState
from labeling.jobs import running
from labeling.jobs.models import Job, State
from labeling.overview.demo import build_demo
from labeling.study.models import Study

# By the name of the file in docs/img: whose page it is, and where.
PICTURES = {
    "home": ("coordinator", "/projects/demo/"),
    "mining": ("coordinator", "/projects/demo/mining/"),
    "items": ("coordinator", "/projects/demo/items/"),
    "protocol": ("coordinator", "/projects/demo/protocols/{protocol}/"),
    "new-round": ("coordinator", "/projects/demo/rounds/new/"),
    "round": ("coordinator", "/projects/demo/rounds/{round}/"),
    "judge": ("annotator3", "/projects/demo/judge/"),
    "work": ("annotator3", "/projects/demo/work/"),
    "agreement": ("coordinator", "/projects/demo/agreement/"),
    "cases": ("coordinator", "/projects/demo/cases/?state=all"),
    "case": ("annotator1", "/projects/demo/cases/{case}/"),
    "how-it-goes": ("coordinator", "/projects/demo/cases/overview/?round={trial}"),
    "new-release": ("coordinator", "/projects/demo/releases/new/?filter=decision%3Dinclude&round={trial}"),
    "release": ("coordinator", "/projects/demo/releases/1/"),
    "study": ("coordinator", "/projects/demo/studies/{study}/"),
    "plan": ("coordinator", "/projects/demo/studies/{study}/plan/"),
    "questionnaire": ("coordinator", "/projects/demo/studies/{study}/preview/?part=method"),
    "participants": ("coordinator", "/projects/demo/studies/{study}/participants/"),
    "results": ("coordinator", "/projects/demo/studies/{study}/results/"),
}


def built_demo() -> dict[str, object]:
    """Builds it here and now; the numbers that addresses in it need."""
    build_demo("only for the pictures")
    while job := Job.objects.filter(state=State.QUEUED).order_by("pk").first():
        running.run(job.pk, tasks.WORK)
        job.refresh_from_db()
        assert job.state == State.FINISHED, job.error
    first, trial = (Round.objects.get(name=name) for name in ("First round", "Trial round"))
    case = Case.objects.filter(state=CaseState.OPEN, messages__isnull=False).order_by("pk").first()
    assert case is not None
    return {
        "round": first.pk,
        "trial": trial.pk,
        "protocol": first.protocol.protocol_id,
        "case": case.pk,
        "study": Study.objects.get().pk,
    }


def address(path: str, demo: dict[str, object]) -> str:
    return path.format(**demo)
