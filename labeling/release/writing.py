"""A release as files. One pass over one state of the database writes what people did; the rest follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.text import slugify

from annotator import __version__
from labeling.annotation.models import Round
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.files import write_codebook
from labeling.consensus.routing import rule_of
from labeling.corpus.models import Item
from labeling.release import documents
from labeling.release.cells import answer_cell, canonical, readable, yes
from labeling.release.choosing import Choice
from labeling.release.comparing import ANSWER
from labeling.release.figuring import CONFIDENCE, RESAMPLES, SEED, Tally, fate_of
from labeling.release.gathering import Cast, Gathered, Judged, gather
from labeling.release.guards import Finding, Watch
from labeling.release.models import Release, Waiver
from labeling.release.packing import Folder
from labeling.release.pseudonyms import Veil
from labeling.release.showing import cells_for, columns_for
from labeling.release.tables import charts, latex_tables

BATCH = 500
FINALS = ["round", "item", "group", "wanted", "votes", "how", "counts", "released"]
VOTES = ["round", "item", "rater", "repeat", "revision", "in_force", "protocol", "version", "sequence", "flagged",
         "active_seconds"]  # fmt: skip
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
QUESTIONS = ["round", "question", "text", "form", "level", "required", "conditional", "options"]
COEFFICIENTS = ["round", "question", "coefficient", "value", "low", "high", "reason"]
COVERED = {"title", "guideline", "text", "help", "label"}
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
        kinds = Item.objects.filter(in_rounds__round__in=choice.rounds).order_by().values_list("kind", flat=True)
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
                       "reason": self.veil.cover(waiver.reason)}  # fmt: skip

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
                before, after = cells_for(gathered.item, self.columns)
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
        return self.veil.cover(cell) if form == "text" and cell else cell

    def covered(self, answers: dict[str, Any]) -> dict[str, Any]:
        return {key: self.veil.cover(answer) if self.choice.columns[key].form == "text" else answer
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
            "payload": item.payload,
        }

    def final_cells(self, judged: Judged, gathered: Gathered, fate: str) -> list[object]:
        final, item = judged.final, gathered.item
        counts = judged is gathered.newest
        facts = [self.names[judged.place], item.key, item.group, final.round_item.wanted, len(final.votes), final.how]
        return [*facts, yes(counts), yes(counts and fate == "released"), *self.cells(final.answers)]

    def vote_cells(self, judged: Judged, cast: Cast) -> list[object]:
        version = self.versions[cast.version]
        facts = [self.names[judged.place], judged.key, f"R{cast.rater}", cast.repeat, cast.revision, yes(cast.in_force)]
        more = [version.protocol.name, version.number, cast.sequence, yes(cast.flagged), cast.seconds]
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
                *map(self.veil.cover, (judged.because, decision.rationale, decision.unclear)),
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


def write_release(release: Release, choice: Choice, folder: Folder, veil: Veil, done: Pass) -> None:
    """The files that follow from the pass; changes and manifest come last, by whoever knows what was before."""
    files = write_protocols(choice, folder, veil)
    folder.write("rounds.json", readable([round_facts(choice, round, files, veil) for round in choice.rounds]))
    write_questions(choice, folder)
    folder.write("statistics.json", readable(done.statistics))
    write_agreement(folder, done.agreement)
    for name, text in latex_tables(done.statistics, done.agreement).items():
        folder.write(f"tables/{name}.tex", text)
    for name, spec in charts(done.statistics, done.agreement).items():
        folder.write(f"charts/{name}.vl.json", readable(spec))
    folder.write("recompute.py", (Path(__file__).parent / "recompute.py").read_text(encoding="utf-8"))
    folder.write("DATASET_CARD.md", documents.dataset_card(release, choice, done.statistics, done.agreement))
    folder.write("README.md", documents.readme(release, choice, done.statistics, veil.cover(release.notes)))
    folder.write("CITATION.cff", documents.citation(release))


def write_protocols(choice: Choice, folder: Folder, veil: Veil) -> dict[int, str]:
    """Each version that a round goes by or a vote was cast under; by id, the name of its file."""
    versions = {version.pk: version for known in choice.versions.values() for version in known}
    ordered = sorted(versions.values(), key=lambda version: (version.protocol.name, version.number))
    names = sorted({version.protocol.name for version in ordered})
    slugs = {name: f"{place}-{slugify(name)[:40]}".rstrip("-") for place, name in enumerate(names, start=1)}
    files, pages = {}, []
    for version in ordered:
        codebook = Codebook.read(covered(version.codebook.write(), veil))
        files[version.pk] = f"protocols/{slugs[version.protocol.name]}-v{version.number}.yaml"
        folder.write(files[version.pk], write_codebook(codebook))
        pages.append((version, codebook))
    folder.write("codebook.md", documents.codebook_page(pages))
    return files


def covered(data: Any, veil: Veil) -> Any:
    """The codebook's words without the names and addresses of people."""
    if isinstance(data, list):
        return [covered(inner, veil) for inner in data]
    if not isinstance(data, dict):
        return data
    return {key: veil.cover(inner) if key in COVERED and isinstance(inner, str) else covered(inner, veil)
            for key, inner in data.items()}  # fmt: skip


def round_facts(choice: Choice, round: Round, files: dict[int, str], veil: Veil) -> dict[str, Any]:
    rule = rule_of(round)
    raters = sorted(veil.numbers[user] for user in round.raters.values_list("user", flat=True))
    design = ("handing", "order", "votes_wanted", "seed", "calibration", "repeat_every", "repeat_distance")
    versions = [{"protocol": version.protocol.name, "version": version.number, "file": files[version.pk]}
                for version in choice.versions[round.pk]]  # fmt: skip
    current = next(version for version in choice.versions[round.pk] if version.pk == round.protocol_id)
    return {
        "name": round.name,
        "protocol": current.protocol.name,
        "version": current.number,
        "versions": versions,
        **{name: getattr(round, name) for name in design},
        "rule": {"way": rule.way, "others": rule.others},
        "raters": [f"R{number}" for number in raters],
    }


def write_questions(choice: Choice, folder: Folder) -> None:
    with folder.sheet("questions.csv", QUESTIONS) as sheet:
        for round in choice.rounds:
            for question in choice.questions(round):
                flags = [yes(question.required), yes(question.when is not None)]
                options = "|".join(question.option_keys)
                sheet.write(
                    [round.name, question.key, question.text, question.form, question.measured, *flags, options]
                )


def write_agreement(folder: Folder, agreement: list[dict[str, Any]]) -> None:
    how = {"seed": SEED, "resamples": RESAMPLES, "confidence": CONFIDENCE, "method": "percentile"}
    folder.write("agreement.json", readable({"interval": how, "figures": agreement}))
    with folder.sheet("agreement.csv", COEFFICIENTS) as sheet:
        for one in agreement:
            for name, found in one["coefficients"].items():
                numbers = [found[part] for part in ("value", "low", "high")]
                sheet.write([one["round"], one["question"], name, *numbers, found["reason"]])


def manifest_facts(release: Release, choice: Choice, veil: Veil, done: Pass) -> dict[str, Any]:
    """What the manifest says besides the files."""
    return {
        "software": f"Concord {__version__}",
        "release": {
            "number": release.number,
            "name": release.name,
            "notes": veil.cover(release.notes),
            "authors": release.authors,
            "licence": release.licence,
        },
        "rounds": [round.name for round in choice.rounds],
        "filter": choice.filters,
        "seeds": {"agreement": SEED, "rounds": {round.name: round.seed for round in choice.rounds}},
        "waivers": done.waivers,
    }
