"""From the tables to judgements: who counts, what they said, and the mark of where each name came from."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labeling.study.designing import Design, Flag, read_design
from labeling.study.models import Stage, Study
from labeling.study.origins import NameOrigin
from labeling.study.results.revealing import letters_of, mark
from labeling.study.taking.models import Answer, Line, Participant, Step
from labeling.study.texts import Reason, Texts

if TYPE_CHECKING:
    from labeling.study.statistics.judgements import Judgement, Judgements

SEEN = [Step.STARTED, Step.FINISHED, Step.TIMED_OUT, Step.STOPPED, Step.REVOKED]  # who may have answered something


@dataclass(frozen=True)
class Row:
    """One line of a sheet, as files list it. Participants have numbers and nothing else."""

    participant: str
    page: int
    place: int
    method: int
    method_key: str
    group: str
    name: int
    shown: str
    letters: tuple[str, ...]
    answer: str
    reason: str
    seconds: float | None
    changes: int


@dataclass(frozen=True)
class Gathered:
    """The judgements of one stage. `everybody` are all who count; the primary analysis leaves the excluded out."""

    study: Study
    stage: str
    design: Design
    participants: list[Participant]  # those who count
    standing: dict[str, int]  # how many are where, all of them
    rows: list[Row]  # of those who count, answered or not, without attention checks
    letters: list[str]
    reasons: list[Reason]
    texts: Texts | None
    flags: dict[str, dict[Flag, str]]  # of those who count
    everybody: Judgements

    @property
    def is_over(self) -> bool:
        """Whether nobody can come to those who count any more."""
        return bool(self.study.closed_at if self.stage == Stage.MAIN else self.study.frozen_at)

    @property
    def excluded(self) -> list[str]:
        """Who leaves the primary analysis by the rules of the design."""
        return [who for who, why in self.flags.items() if set(why) & set(self.design.excluded)]

    @property
    def primary(self) -> Judgements:
        import numpy as np

        out = [who in self.excluded for who in self.everybody.participants]
        return self.everybody.where(~np.array(out, dtype=bool)[self.everybody.participant])


def pseudonym(participant: Participant) -> str:
    return f"P{participant.number}"


def counts(participant: Participant, study: Study, design: Design) -> bool:
    """Whoever finished, and of the others those whom the frozen design names."""
    if participant.step == Step.FINISHED:
        return True
    if participant.step == Step.STARTED and study.closed_at:
        return "timed_out" in design.unfinished  # the study closed while they were away
    return participant.step in design.unfinished


def counted_participants(study: Study, stage: str) -> list[Participant]:
    design = read_design(study.design)
    seen = study.participants.filter(stage=stage).order_by("number")
    return [one for one in seen if counts(one, study, design)]


def gather_study(study: Study, *, stage: str = Stage.MAIN) -> Gathered:
    """Everything that figures and files rest on, by a number of queries that does not grow."""
    from labeling.study.statistics.judgements import gather

    design = read_design(study.design)
    seen = list(study.participants.filter(stage=stage).order_by("number"))
    counted = [one for one in seen if counts(one, study, design)]
    versions = [Texts.read(text.content) for text in study.texts.order_by("-version")]
    reasons = reasons_of(versions)
    letters = letters_of(study, stage)
    rows, missed = read_lines(study, stage, letters)
    mine = {pseudonym(one) for one in counted}
    kept = [row for row in rows if row.participant in mine]
    flags = flags_in(judgements_in(rows), letters, reasons, missed, design)
    return Gathered(
        study=study,
        stage=stage,
        design=design,
        participants=counted,
        standing={step.value: sum(one.step == step for one in seen) for step in Step},
        rows=kept,
        letters=letters,
        reasons=reasons,
        texts=versions[0] if versions else None,
        flags={who: why for who, why in flags.items() if who in mine},
        everybody=gather(
            judgements_in(kept),
            origins=[mark(letter) for letter in letters],
            reasons=[reason.key for reason in reasons],
            flagged=set(flags),
        ),
    )


def reasons_of(versions: list[Texts]) -> list[Reason]:
    """Those of the newest texts, then those that only older ones had."""
    found: dict[str, Reason] = {}
    for texts in versions:
        for reason in texts.reasons:
            found.setdefault(reason.key, reason)
    return list(found.values())


def read_lines(study: Study, stage: str, letters: list[str]) -> tuple[list[Row], dict[str, tuple[int, int]]]:
    """The names that were laid before participants, and of attention checks how many were missed of how many."""
    given: defaultdict[int, list[str]] = defaultdict(list)
    for name, letter in NameOrigin.objects.filter(name__method__study=study).values_list("name", "origin__letter"):
        given[name].append(letter)
    lines = Line.objects.filter(
        page__participant__study=study, page__participant__stage=stage, page__participant__step__in=SEEN
    )
    columns = ("page__participant__number", "page", "page__position", "page__active_seconds", "place", "name",
               "name__shown", "name__attention", "page__method", "page__method__key", "page__method__group",
               "answer", "reason", "changes")  # fmt: skip
    found = list(lines.order_by("page__participant__number", "page__position", "place").values_list(*columns))
    names = Counter(row[1] for row in found)
    rows: list[Row] = []
    missed: dict[str, tuple[int, int]] = {}
    for number, page, position, active, place, name, shown, attention, *rest in found:
        method, key, group, answer, reason, changes = rest
        who = f"P{number}"
        if attention:
            wrong, asked = missed.get(who, (0, 0))
            missed[who] = (wrong + (answer != attention), asked + 1) if answer else (wrong, asked)
            continue
        seconds = active / names[page] if active else None
        origins = tuple(sorted(given[name], key=letters.index))
        rows.append(
            Row(who, position, place, method, key, group, name, shown, origins, answer, reason, seconds, changes)
        )
    return rows, missed


def judgements_in(rows: list[Row]) -> list[Judgement]:
    from labeling.study.statistics.judgements import Judgement

    return [
        Judgement(
            participant=row.participant,
            method=row.method_key,
            name=row.shown,
            origins=tuple(mark(letter) for letter in row.letters),
            answer=row.answer == Answer.YES if row.answer else None,
            reason=row.reason or None,
            position=row.place,
            seconds=row.seconds,
        )
        for row in rows
        if row.answer  # whoever never came to a name has not judged it
    ]


def flags_in(
    judged: list[Judgement],
    letters: list[str],
    reasons: list[Reason],
    missed: dict[str, tuple[int, int]],
    design: Design,
) -> dict[str, dict[Flag, str]]:
    """Why participants are flagged, by kind. Speed is measured against everybody who answered."""
    import numpy as np

    from labeling.study.statistics import flags
    from labeling.study.statistics.judgements import gather

    origins, keys = [mark(letter) for letter in letters], [reason.key for reason in reasons]
    everybody = gather(judged, origins=origins, reasons=keys)
    rules = flags.FlagRules(speed=design.speeder_share)
    parts = {who: everybody.where(everybody.participant == code) for code, who in enumerate(everybody.participants)}
    medians = [median for part in parts.values() if (median := flags.median_seconds(part)) is not None]
    typical = float(np.median(medians)) if len(medians) > 1 else None
    found: dict[str, dict[Flag, str]] = {}
    for who, part in parts.items():
        wrong, asked = missed.get(who, (0, 0))
        why: dict[Flag, str | None] = {
            "speeder": flags.why_fast(part, typical=typical, rules=rules),
            "straight_liner": flags.why_uniform(part, rules=rules) or flags.why_patterned(part, rules=rules),
            "attention": missed_in_words(wrong, asked) if wrong >= design.missed_checks else None,
        }
        if told := {kind: sentence for kind, sentence in why.items() if sentence}:
            found[who] = told
    return found


def missed_in_words(wrong: int, asked: int) -> str:
    return f"Attention: {wrong} of {asked} checks answered wrongly."


def describe_rules(gathered: Gathered) -> dict[str, Any]:
    """Who was counted and why, for a page, a paper and a file."""
    design = gathered.design
    return {
        "unfinished": list(design.unfinished),
        "excluded_flags": list(design.excluded),
        "excluded": gathered.excluded,
        "flags": {who: list(why.values()) for who, why in gathered.flags.items()},
        "planned": list(design.analyses),
        "alpha": design.alpha,
        "small_group": design.small_group,
    }
