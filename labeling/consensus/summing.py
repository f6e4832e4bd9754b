"""How the disagreements of a round ended, in figures that are kept: made in the request where that is quick, by a job
where it is not."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from labeling.agreement.choosing import measurable
from labeling.agreement.keeping import MOST_VOTES_AT_ONCE, OFTEN
from labeling.agreement.models import Measurement
from labeling.agreement.surveying import RESAMPLES, SEED
from labeling.annotation.models import Round
from labeling.consensus.models import Event, Rule
from labeling.consensus.movement import movement, standing_of, themes
from labeling.consensus.routing import rule_of
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import Run
from labeling.people.models import User
from labeling.refusals import Refusal

KIND = "sum_up_cases"
UNDER_WAY = timedelta(minutes=1)  # longer than anybody's act on a case takes


@dataclass(frozen=True)
class Summary:
    """The newest figures there are; None before the first. `on_its_way`: newer ones are being made."""

    figures: dict[str, Any] | None
    on_its_way: bool


def summary_of(round: Round, rule: Rule, *, by: User | None) -> Summary:
    if votes_of(round) <= MOST_VOTES_AT_ONCE or round.project.archived_at:
        return Summary(sum_up(round, rule), on_its_way=False)
    kept = Measurement.objects.filter(project=round.project_id, digest=digest(round)).first()
    if kept and kept.stamp == stamp_of(round, rule) and not happened_since(kept.figures["last_event"], round):
        return Summary(kept.figures, on_its_way=False)
    waiting = Job.objects.active().filter(project=round.project_id, kind=KIND, arguments__round=round.pk)
    if (kept is None or kept.measured_at < timezone.now() - OFTEN) and not waiting.exists():
        enqueue(KIND, project=round.project, by=by, title=f"How disagreements ended in {round.name}", round=round.pk)
    return Summary(kept.figures if kept else None, on_its_way=waiting.exists())


def digest(round: Round) -> str:
    return hashlib.sha256(f"standing and cases of round {round.pk}".encode()).hexdigest()[:32]


def stamp_of(round: Round, rule: Rule) -> str:
    """Another one means that there is something else to sum up."""
    text = f"{votes_of(round)} {round.state} {round.protocol_id} {rule.names_shown} {rule.seed} {RESAMPLES}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def last_event() -> int:
    """The number of the last event that is surely stored, and all before it: one that has a lower number than another
    may be stored later, while its transaction lasts."""
    sure = Event.objects.filter(at__lt=timezone.now() - UNDER_WAY).order_by("-pk")
    return sure.values_list("pk", flat=True).first() or 0


def happened_since(event: int, round: Round) -> bool:
    """Whatever becomes of a case is an event. Only those since are looked at, and not all cases counted."""
    return Event.objects.filter(pk__gt=event, case__round=round).exists()


def votes_of(round: Round) -> int:
    return sum(sum(tally) for tally in round.raters.order_by().values_list("tally", flat=True))


def sum_up(round: Round, rule: Rule) -> dict[str, Any]:
    return {
        "standing": asdict(standing_of(round)),
        "comparisons": comparisons(round),
        "movement": [asdict(moved) for moved in movement(round, rule)],
        "themes": themes(round),
    }


def comparisons(round: Round) -> dict[str, Any]:
    """Of each question that can be measured; or why there is nothing to compare yet."""
    from labeling.consensus.comparing import compare  # brings numpy, which few pages need

    try:
        selection = measurable(round.project, {"round": str(round.pk)})
    except Refusal as refusal:
        return {"rows": [], "reason": str(refusal)}
    return {"rows": [asdict(compare(selection.asking(question))) for question in selection.questions], "reason": ""}


def sum_up_cases(run: Run) -> dict[str, Any]:
    """The job."""
    round = Round.objects.select_related("project", "protocol").get(pk=run.arguments["round"])
    run.expect(1, done=0)
    rule = rule_of(round)
    stamp, event = stamp_of(round, rule), last_event()  # before: what changes meanwhile is summed up the next time
    # Outside of the step: a long transaction would keep others from writing.
    figures = {"last_event": event, **sum_up(round, rule)}
    with run.step():
        made, _ = Measurement.objects.update_or_create(
            project=round.project,
            digest=digest(round),
            defaults={"filters": {"cases_of_round": round.pk}, "stamp": stamp, "newest_vote": 0, "seed": SEED,
                      "votes": votes_of(round), "figures": figures, "measured_at": timezone.now()},
        )  # fmt: skip
    return {"measurement": made.pk}
