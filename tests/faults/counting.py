"""Run in a process of the installation after a fault: what is stored, as plain rows, and whether it fits together."""

from __future__ import annotations

import json
import sys
from typing import Any

import django

django.setup()

from labeling.annotation.models import Round, RoundItem, SlotState, Vote  # noqa: E402
from labeling.consensus.models import Case, Decision, Proposal  # noqa: E402
from labeling.jobs.models import Job  # noqa: E402
from labeling.people.models import Activity  # noqa: E402
from labeling.study.taking.models import Line, Participant  # noqa: E402
from tests.annotation.samples import assert_sound  # noqa: E402


def count(name: str, round_id: int) -> dict[str, Any]:
    round = Round.objects.get(pk=round_id)
    assert_sound(round)
    votes = Vote.objects.filter(assignment__round=round)
    cases = Case.objects.filter(round__project__slug__startswith=f"{name}-").order_by("pk")
    lines = Line.objects.filter(page__participant__study__project=round.project)
    jobs = Job.objects.filter(project=round.project, kind="tally").order_by("pk")
    return {
        "votes": sorted([str(vote.submission), vote.pk] for vote in votes),
        "voters": [voters(item) for item in RoundItem.objects.filter(round=round)],
        "cases": [[case.pk, case.state, case.decisions.count(), versions(case)] for case in cases],
        "decisions": texts(Decision.objects.filter(case__in=cases, proposal=None)),
        "proposals": texts(Proposal.objects.filter(case__in=cases)),
        "answers": {line.code: [line.answer, line.revision, line.changes] for line in lines},
        "steps": list(Participant.objects.filter(study__project=round.project).values_list("step", flat=True)),
        "jobs": [[job.pk, job.state, job.done, job.error] for job in jobs],
        "counted": sorted(map(int, counted(round).values_list("subject", flat=True))),
    }


def voters(item: RoundItem) -> list[int | None]:
    return list(item.assignments.filter(state=SlotState.VOTED).values_list("rater", flat=True))


def versions(case: Case) -> bool:
    """Whether its events follow each other without a gap."""
    return [event.version for event in case.events.all()] == list(range(1, case.version + 1))


def texts(rows: Any) -> list[str]:
    return sorted(str(submission) for submission in rows.values_list("submission", flat=True))


def counted(round: Round) -> Any:
    return Activity.objects.filter(project=round.project, verb="counted")


if __name__ == "__main__":
    json.dump(count(sys.argv[1], int(sys.argv[2])), sys.stdout)
