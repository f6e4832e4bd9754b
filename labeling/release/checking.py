"""Looking before the leap: what a release would hold and what its guards find, and the answers to that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from labeling.corpus.models import Project
from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.access import require_current
from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from labeling.release.choosing import Choice, choice_of
from labeling.release.gathering import prepare
from labeling.release.guards import Finding
from labeling.release.models import Guard, Waiver
from labeling.release.pseudonyms import Veil, draw_pseudonyms
from labeling.release.snapshot import snapshot
from labeling.release.writing import Writer

KIND = "check_release"
MOST_AT_ONCE = 1_000  # items; more are looked at by a job
MOST_KEPT = 5_000  # findings of a job
LONGEST_REASON = 500


@dataclass(frozen=True)
class Check:
    """What a release would hold, and what was found."""

    items: dict[str, int]
    findings: list[Finding]
    found: int  # of which only the first may be listed

    def as_dict(self) -> dict[str, Any]:
        rows = [[one.guard.value, one.item, one.about] for one in self.findings[:MOST_KEPT]]
        return {"items": self.items, "findings": rows, "found": self.found}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Check:
        findings = [Finding(Guard(guard), item, about) for guard, item, about in data["findings"]]
        return cls(dict(data["items"]), findings, data["found"])


def check_now(choice: Choice) -> Check:
    prepare(choice)
    draw_pseudonyms(choice.project)
    with snapshot():
        return look(choice, lambda _: None)


def look(choice: Choice, progress: Any) -> Check:
    done = Writer(choice, Veil(choice.project), None).run(progress)
    return Check(done.statistics["items"], done.findings, len(done.findings))


def is_small(choice: Choice) -> bool:
    return sum(round.item_count for round in choice.rounds) <= MOST_AT_ONCE


def current_check(choice: Choice, *, by: User | None) -> tuple[Check | None, Job | None]:
    """What is known: at once where that is quick; else what the last job found, and the job that is at it."""
    if is_small(choice):
        return check_now(choice), None
    jobs = Job.objects.filter(project=choice.project, kind=KIND, arguments__digest=choice.digest)
    active = jobs.active().first()
    last = jobs.filter(state=State.FINISHED).first()
    if active is None and last is None and not choice.project.archived_at:
        active = start_check(choice, by=by)
    return (Check.read(last.result) if last else None), active


def start_check(choice: Choice, *, by: User | None) -> Job:
    rounds = [round.pk for round in choice.rounds]
    return enqueue(KIND, project=choice.project, by=by, title="Check before a release", digest=choice.digest,
                   rounds=rounds, filters=choice.filters)  # fmt: skip


def check_release(run: Run) -> dict[str, Any]:
    """The job."""
    try:
        choice = choice_of(run.job.project, run.arguments["rounds"], run.arguments["filters"])
        prepare(choice)
        draw_pseudonyms(choice.project)
        run.expect(sum(round.item_count for round in choice.rounds), done=0)
        with snapshot() as aside:

            def progress(count: int) -> None:
                with aside(), run.step(min(count, (run.job.total or 0) - run.job.done)):
                    pass

            return look(choice, progress).as_dict()
    except Refusal as refusal:
        raise JobError(str(refusal)) from refusal


@transaction.atomic
def answer_findings(
    project: Project, findings: Iterable[tuple[str, str]], *, reason: str, leave_out: bool, by: User | None
) -> int:
    """Waives findings, by guard and key of the item: each with this reason. An answer can be given anew."""
    require_current(project)
    reason = reason.strip()
    if not reason or len(reason) > LONGEST_REASON or "\x00" in reason:
        raise Invalid(f"reason: say in 1 to {LONGEST_REASON} characters why.")
    wanted = set(findings)
    if not wanted:
        raise Invalid("findings: choose at least one.")
    known = set(project.items.filter(key__in={item for _, item in wanted}).values_list("key", flat=True))
    for guard, item in wanted:
        if guard not in Guard.values:
            raise Invalid(f"guard: there is no guard “{guard[:40]}”. Guards: {', '.join(Guard.values)}.")
        if leave_out and guard == Guard.OPEN:
            raise Invalid("guard: an item without a final answer is in no benchmark, so it cannot be left out.")
        if item not in known:
            raise Invalid(f"item: there is no item with the key “{item[:80]}”.")
    rows = [Waiver(project=project, guard=guard, item=item, leave_out=leave_out, reason=reason, by=by,
                   at=timezone.now()) for guard, item in sorted(wanted)]  # fmt: skip
    Waiver.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["project", "guard", "item"],
        update_fields=["leave_out", "reason", "by", "at"],
    )
    verb = "left out of the benchmark" if leave_out else "waived"
    record(
        project, by=by, verb=verb, subject=f"{len(rows)} findings", reason=reason, guards=sorted({g for g, _ in wanted})
    )
    return len(rows)


@transaction.atomic
def withdraw(project: Project, guard: str, item: str, *, by: User | None) -> None:
    """The finding waits for an answer again."""
    require_current(project)
    deleted, _ = project.waivers.filter(guard=guard, item=item).delete()
    if not deleted:
        raise Refusal(f"“{item[:80]}” has no answer to withdraw.")
    record(project, by=by, verb="withdrew the answer for", subject=item[:300], guard=guard)
