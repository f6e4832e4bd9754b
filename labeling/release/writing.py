"""What people did, as files: one pass over one state of the database. The rest follows from it (`finishing`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from labeling.annotation.models import RoundItem
from labeling.annotation.visibility import settled_items
from labeling.consensus.routing import rule_of
from labeling.corpus.models import Item
from labeling.release.cells import answer_cell, canonical, yes
from labeling.release.choosing import Choice
from labeling.release.comparing import ANSWER
from labeling.release.figuring import Tally, fate_of
from labeling.release.gathering import Cast, Gathered, Judged, gather
from labeling.release.guards import Finding, Watch
from labeling.release.models import Waiver
from labeling.release.packing import Folder
from labeling.release.pseudonyms import Veil
from labeling.release.showing import cells_for, columns_for

BATCH = 500
FINALS = ["round", "item", "group", "wanted", "votes", "how", "counts", "released", "picked"]
VOTES = ["round", "item", "rater", "repeat", "revision", "in_force", "protocol", "version", "sequence", "flagged",
         "picked", "active_seconds"]  # fmt: skip
CASES = [
    "round",
    "item",
    "why",
    "way",
    "state",
    "questions",
    "pattern",
    "decided_by",
    "because",
    "rationale",
    "unclear",
]
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Pass:
    """What one pass over the items gave."""

    statistics: dict[str, Any]
    agreement: list[dict[str, Any]]
    findings: list[Finding]
    waivers: list[dict[str, Any]]


class Writer:
    """Writes the files that say what people did, and counts as it goes. Without a folder it only counts."""

    def __init__(self, choice: Choice, veil: Veil, folder: Folder | None) -> None:
        self.choice, self.veil, self.folder = choice, veil, folder
        self.names = [round.name for round in choice.rounds]
        self.waivers = list(Waiver.objects.filter(project=choice.project).order_by())
        self.left_out = {waiver.item for waiver in self.waivers if waiver.leave_out}
        raters = {round.pk: [veil.numbers[user] for user in round.raters.values_list("user", flat=True)]
                  for round in choice.rounds}  # fmt: skip
        self.raters = raters
        self.tally = Tally(choice, raters)
        self.watch = Watch(veil.addresses)
        leaving = settled_items(RoundItem.objects.filter(round__in=choice.rounds))
        kinds = Item.objects.filter(in_rounds__in=leaving).order_by().values_list("kind", flat=True)
        self.columns = columns_for(set(kinds.distinct()))
        self.answers = [f"{ANSWER}{key}" for key in choice.columns]
        self.versions = {version.pk: version for known in choice.versions.values() for version in known}

    def run(self, progress: Progress) -> Pass:
        with ExitStack() as stack:
            rows = self.sheets(stack) if self.folder else None
            left_out = set()
            waiting = 0
            for gathered in gather(self.choice, self.veil):
                fate = fate_of(gathered, self.choice, self.left_out)
                if fate == "left_out":
                    left_out.add(gathered.item.key)
                self.tally.take(gathered, fate)
                self.watch.look(gathered, fate)
                if rows:
                    rows(gathered, fate)
                waiting += len(gathered.judged)
                if waiting >= BATCH:
                    progress(waiting)
                    waiting = 0
            progress(waiting)
        found = {(finding.guard.value, finding.item) for finding in self.watch.findings}
        agreement = self.tally.agreement() if self.folder else []
        return Pass(self.tally.statistics(), agreement, self.watch.findings, list(self.used(found, left_out)))

    def used(self, found: set[tuple[str, str]], left_out: set[str]) -> Iterator[dict[str, Any]]:
        """The waivers that this release needed."""
        for waiver in sorted(self.waivers, key=lambda one: (one.guard, one.item)):
            if (waiver.guard, waiver.item) in found or (waiver.leave_out and waiver.item in left_out):
                yield {"guard": waiver.guard, "item": waiver.item, "leave_out": waiver.leave_out,
                       "reason": self.veil.cover_said(waiver.reason)}  # fmt: skip

    def sheets(self, stack: ExitStack) -> Callable[[Gathered, str], None]:
        assert self.folder  # noqa: S101 (else nobody asks)
        enter, sheet = stack.enter_context, self.folder.sheet
        benchmark = enter(sheet("benchmark.csv", [*self.columns[0], *self.answers, "how", "round", *self.columns[1]]))
        finals, votes = (
            enter(sheet("finals.csv", [*FINALS, *self.answers])),
            enter(sheet("votes.csv", [*VOTES, *self.answers])),
        )
        cases, items = enter(sheet("cases.csv", CASES)), enter(self.folder.lines("items.jsonl"))

        def write(gathered: Gathered, fate: str) -> None:
            items(canonical(self.whole(gathered, fate)))
            if fate == "released" and gathered.newest:
                before, after = cells_for(gathered.item, self.columns, picked=gathered.newest.picked)
                counted = gathered.newest
                cells = [*self.cells(counted.final.answers), counted.final.how, self.names[counted.place]]
                benchmark.write([*before, *cells, *after])
            for judged in gathered.judged:
                finals.write(self.final_cells(judged, gathered, fate))
                for cast in judged.cast:
                    votes.write(self.vote_cells(judged, cast))
                if judged.why:
                    cases.write(self.case_cells(judged))

        return write

    def cells(self, answers: dict[str, Any]) -> list[str]:
        return [
            self.cover(question.form, answer_cell(answers.get(key))) for key, question in self.choice.columns.items()
        ]

    def cover(self, form: str, cell: str) -> str:
        return self.veil.cover_said(cell) if form == "text" and cell else cell

    def covered(self, answers: dict[str, Any]) -> dict[str, Any]:
        return {key: self.veil.cover_said(answer) if self.choice.columns[key].form == "text" else answer
                for key, answer in answers.items() if key in self.choice.columns}  # fmt: skip

    def whole(self, gathered: Gathered, fate: str) -> dict[str, Any]:
        item, newest = gathered.item, gathered.newest
        final = newest.final if newest else None
        return {
            "id": item.key,
            "kind": item.kind,
            "released": fate == "released",
            "how": final.how if final else "",
            "round": self.names[newest.place] if newest else "",
            "answers": self.covered(final.answers) if final else {},
            "picked": newest.picked if newest else None,
            "payload": item.payload,
        }

    def final_cells(self, judged: Judged, gathered: Gathered, fate: str) -> list[object]:
        final, item = judged.final, gathered.item
        counts = judged is gathered.newest
        facts = [self.names[judged.place], item.key, item.group, final.round_item.wanted, len(final.votes), final.how]
        return [*facts, yes(counts), yes(counts and fate == "released"), judged.picked, *self.cells(final.answers)]

    def vote_cells(self, judged: Judged, cast: Cast) -> list[object]:
        version = self.versions[cast.version]
        facts = [self.names[judged.place], judged.key, f"R{cast.rater}", cast.repeat, cast.revision, yes(cast.in_force)]
        more = [version.protocol.name, version.number, cast.sequence, yes(cast.flagged), cast.picked, cast.seconds]
        return [*facts, *more, *self.cells(cast.answers)]

    def case_cells(self, judged: Judged) -> list[object]:
        final, decision = judged.final, judged.final.decision
        case = final.case
        way = (
            case.way
            if case
            else "adjudicator"
            if rule_of(self.choice.rounds[judged.place]).way == "adjudicator"
            else "discussion"
        )
        words = ["", "", "", ""]
        if decision:
            words = [
                self.veil.of(decision.made_by_id),
                *map(self.veil.cover_said, (judged.because, decision.rationale, decision.unclear)),
            ]
        differing = "|".join(final.outcome.differing)
        return [
            self.names[judged.place],
            judged.key,
            judged.why,
            way,
            judged.state,
            differing,
            final.outcome.pattern,
            *words,
        ]
