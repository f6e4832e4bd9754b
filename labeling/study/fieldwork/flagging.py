"""Participants who answered oddly: flagged for the coordinator, never dropped."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from labeling.study.designing import Design, read_design
from labeling.study.models import Stage, Study
from labeling.study.taking.models import Answer, Line

if TYPE_CHECKING:
    from labeling.study.statistics.judgements import Judgement

ALIKE = ("name",)  # flags do not depend on origins, and nothing here may read them


def flags_of(study: Study, *, stage: str = Stage.MAIN) -> dict[int, list[str]]:
    """The reasons for each participant who has one, by id; in the order in which names were shown."""
    from labeling.study.statistics.flags import FlagRules, flag_participants
    from labeling.study.statistics.judgements import gather

    design = read_design(study.design)
    found: defaultdict[int, list[str]] = defaultdict(list)
    judgements = gather(judgements_of(study, stage), origins=ALIKE, reasons=())
    for participant, reasons in flag_participants(judgements, FlagRules(speed=design.speeder_share)).items():
        found[int(participant)] += reasons
    for pk, reason in missed_checks(study, stage, design).items():
        found[pk].append(reason)
    return dict(found)


def judgements_of(study: Study, stage: str) -> list[Judgement]:
    """What was answered, without attention checks: those have a right answer."""
    from labeling.study.statistics.judgements import Judgement

    lines = Line.objects.filter(page__participant__study=study, page__participant__stage=stage)
    columns = ("page__participant", "page__method", "name", "answer", "place", "page", "page__active_seconds",
               "name__attention")  # fmt: skip
    rows = list(lines.order_by().values_list(*columns))
    names = Counter(page for *_, page, _, _ in rows)  # all that stand on it, as results have it
    return [
        Judgement(
            participant=str(participant),
            method=str(method),
            name=str(name),
            origins=ALIKE,
            answer=answer == Answer.YES,
            position=place,
            seconds=seconds / names[page] if seconds else None,
        )
        for participant, method, name, answer, place, page, seconds, attention in rows
        if answer and not attention
    ]


def missed_checks(study: Study, stage: str, design: Design) -> dict[int, str]:
    checks = Line.objects.filter(page__participant__study=study, page__participant__stage=stage)
    rows = checks.exclude(name__attention="").exclude(answer="").order_by()
    asked: Counter[int] = Counter()
    missed: Counter[int] = Counter()
    for participant, answer, wanted in rows.values_list("page__participant", "answer", "name__attention"):
        asked[participant] += 1
        missed[participant] += answer != wanted
    return {
        participant: f"Attention: {count} of {asked[participant]} checks answered wrongly."
        for participant, count in missed.items()
        if count >= design.missed_checks
    }
