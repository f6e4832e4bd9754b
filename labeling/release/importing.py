"""A released benchmark as a project again: its items, protocols, rounds, raters, votes, cases and decisions."""

from __future__ import annotations

import csv
import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from labeling.annotation.models import (
    Assignment,
    Protocol,
    ProtocolVersion,
    Rater,
    Round,
    RoundItem,
    RoundState,
    SlotState,
    Vote,
)
from labeling.annotation.protocols.codebook import Codebook, Question
from labeling.annotation.protocols.files import read_codebook
from labeling.annotation.rounds.counting import recount
from labeling.consensus.models import Case, CaseState, Decision, Proposal, Rule
from labeling.consensus.routing import in_drawn_order
from labeling.corpus.importing import new_entry
from labeling.corpus.models import Item, Project
from labeling.corpus.payloads import FieldError
from labeling.corpus.projects import create_project
from labeling.corpus.storing import insert_entries
from labeling.people.activity import record
from labeling.people.models import Membership, Role, User
from labeling.refusals import Invalid
from labeling.release.cells import read_answer, read_sheet
from labeling.release.comparing import ANSWER
from labeling.release.models import Forerunner, Guard, Pseudonym, Waiver
from labeling.release.verifying import Source, opened, text_of, verify_source

BATCH = 1_000
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)  # when a vote was cast is not released; the order is
# What a release with a manifest that fits can still be: of other fields, of numbers or nests that nothing can hold.
UNREADABLE = (LookupError, ValueError, TypeError, AttributeError, OverflowError, RecursionError, csv.Error, DataError,
              IntegrityError)  # fmt: skip
T = TypeVar("T")
Place = tuple[str, str]  # round and item


def import_release(path: Path, *, slug: str, name: str = "", by: User) -> Project:
    """Makes the project in one transaction: all of it or nothing. Raises Invalid for a release that is not whole."""
    with opened(path) as source:
        verdict = verify_source(source)
        if verdict.faults:
            raise Invalid(f"This release is not as it was made: {verdict.faults[0]}")
        target = Path(settings.MEDIA_ROOT) / "releases" / f"{uuid4().hex}.zip"
        try:
            with transaction.atomic():
                project = create_project(name=name or verdict.manifest["release"]["name"][:120], slug=slug, by=by)
                Import(source, project, verdict.manifest, by).run()
                keep_forerunner(source, path, target, project, {**verdict.manifest, "digest": verdict.digest})
        except UNREADABLE as error:
            target.unlink(missing_ok=True)
            raise Invalid(f"This release cannot be read: {type(error).__name__}, {str(error)[:200]}.") from error
        except BaseException:
            target.unlink(missing_ok=True)
            raise
    return project


def keep_forerunner(source: Source, path: Path, target: Path, project: Project, manifest: dict[str, Any]) -> None:
    if path.is_dir():
        raise Invalid("Import the ZIP of the release, not its folder.")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    changes = read_json(source, "changes.json")
    number = int(manifest["release"]["number"])
    Forerunner.objects.create(
        project=project, number=number, manifest=manifest, changes=changes, archive=f"releases/{target.name}"
    )


def read_json(source: Source, name: str) -> Any:
    with text_of(source, name) as file:
        return json.load(file)


def batches(rows: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(rows)
    while some := list(islice(rest, BATCH)):
        yield some


@dataclass
class Import:
    """One release on its way into a project."""

    source: Source
    project: Project
    manifest: dict[str, Any]
    by: User
    users: dict[str, User] = field(default_factory=dict)
    versions: dict[tuple[str, int], ProtocolVersion] = field(default_factory=dict)
    rounds: dict[str, Round] = field(default_factory=dict)
    raters: dict[tuple[str, str], Rater] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)

    def run(self) -> None:
        facts = read_json(self.source, "rounds.json")
        self.make_people(facts)
        for round in facts:
            self.make_round(round)
        self.make_items()
        self.make_finals()
        self.make_votes()
        for round in self.rounds.values():
            recount(round)
            round.items.update(routed_at=timezone.now())
        self.make_cases()
        self.make_waivers()
        number = self.manifest["release"]["number"]
        record(self.project, by=self.by, verb="imported", subject=f"release {number}", rounds=len(facts))

    def sheet(self, name: str) -> Iterator[dict[str, str]]:
        with text_of(self.source, name) as file:
            yield from read_sheet(file)

    def make_people(self, facts: list[dict[str, Any]]) -> None:
        """Accounts that nobody can log in with, under the pseudonyms."""
        deciders = {row["decided_by"] for row in self.sheet("cases.csv") if row["decided_by"].startswith("R")}
        raters = {rater for round in facts for rater in round["raters"]}
        for name in sorted({*raters, *deciders}, key=lambda name: int(name[1:])):
            number = int(name[1:])
            user = User(email=f"r{number}@{self.project.slug.lower()}.invalid", name=f"R{number}", is_active=False)
            user.set_unusable_password()
            user.save()
            self.users[name] = user
            role = Role.ANNOTATOR if name in raters else Role.ADJUDICATOR
            Membership.objects.create(project=self.project, user=user, role=role, added_by=self.by)
            Pseudonym.objects.create(project=self.project, user=user, number=number)

    def make_round(self, facts: dict[str, Any]) -> None:
        for known in facts["versions"]:
            self.make_version(known["protocol"], int(known["version"]), known["file"])
        design = ("handing", "order", "votes_wanted", "seed", "calibration", "repeat_every", "repeat_distance")
        round = Round.objects.create(
            project=self.project,
            name=facts["name"],
            protocol=self.versions[facts["protocol"], int(facts["version"])],
            state=RoundState.CLOSED,
            closed_at=timezone.now(),
            created_by=self.by,
            selection={"gold": {}, "last": 0},
            **{name: facts[name] for name in design},
        )
        Rule.objects.create(round=round, way=facts["rule"]["way"], others=facts["rule"]["others"])
        for number, name in enumerate(facts["raters"], start=1):
            self.raters[facts["name"], name] = Rater.objects.create(round=round, user=self.users[name], number=number)
        self.rounds[facts["name"]] = round

    def make_version(self, name: str, number: int, file: str) -> None:
        if (name, number) in self.versions:
            return
        protocol, _ = Protocol.objects.get_or_create(project=self.project, name=name, defaults={"created_by": self.by})
        with self.source.open(file) as text:
            codebook: Codebook = read_codebook(text.read())
        self.versions[name, number] = ProtocolVersion.objects.create(
            protocol=protocol, number=number, content=codebook.write(), created_by=self.by
        )
        for question in codebook.questions:
            self.questions.setdefault(question.key, question)

    def make_items(self) -> None:
        with text_of(self.source, "items.jsonl") as file:
            for lines in batches(file):
                try:
                    rows = [json.loads(line) for line in lines]
                    insert_entries(
                        [new_entry(row["kind"], row["payload"], key=row["id"]) for row in rows], self.project
                    )
                except FieldError as error:
                    raise Invalid(f"items.jsonl: {error}") from error

    def item_ids(self, keys: Iterable[str]) -> dict[str, int]:
        return dict(Item.objects.filter(project=self.project, key__in=set(keys)).values_list("key", "pk"))

    def make_finals(self) -> None:
        positions: dict[str, int] = defaultdict(int)
        for rows in batches(self.sheet("finals.csv")):
            ids = self.item_ids(row["item"] for row in rows)
            made = []
            for row in rows:
                round = self.rounds[row["round"]]
                made.append(RoundItem(round=round, item_id=ids[row["item"]], position=positions[row["round"]],
                                      wanted=int(row["wanted"]), votes=0))  # fmt: skip
                positions[row["round"]] += 1
            RoundItem.objects.bulk_create(made)

    def places(self, rows: Iterable[Mapping[str, str]]) -> dict[Place, int]:
        """Items of rounds, by the names of both."""
        keys = {row["item"] for row in rows}
        found = RoundItem.objects.filter(round__project=self.project, item__key__in=keys)
        return {(round, item): pk for round, item, pk in found.values_list("round__name", "item__key", "pk")}

    def answers(self, row: Mapping[str, str]) -> dict[str, Any]:
        found = {
            key: read_answer(question.form, row.get(f"{ANSWER}{key}", "")) for key, question in self.questions.items()
        }
        return {key: answer for key, answer in found.items() if answer is not None}

    def make_votes(self) -> None:
        """Votes of an item stand together in the file; a batch ends between two items."""
        waiting: list[dict[str, str]] = []
        for row in self.sheet("votes.csv"):
            if len(waiting) >= BATCH and row["item"] != waiting[-1]["item"]:
                self.store_votes(waiting)
                waiting = []
            waiting.append(row)
        self.store_votes(waiting)

    def store_votes(self, rows: list[dict[str, str]]) -> None:
        places = self.places(rows)
        slots: dict[tuple[str, str, str, int], Assignment] = {}
        taken: dict[Place, int] = defaultdict(int)
        for row in rows:
            key = row["round"], row["item"], row["rater"], int(row["repeat"])
            if key in slots:
                continue
            rater = self.raters[row["round"], row["rater"]]
            place = places[row["round"], row["item"]]
            slot = None
            if not int(row["repeat"]):
                taken[row["round"], row["item"]] += 1
                slot = taken[row["round"], row["item"]]
            slots[key] = Assignment(round_id=rater.round_id, round_item_id=place, rater=rater, slot=slot,
                                    repeat=int(row["repeat"]), state=SlotState.SKIPPED, position=0)  # fmt: skip
        Assignment.objects.bulk_create(slots.values())
        votes = [self.vote_of(row, slots[row["round"], row["item"], row["rater"], int(row["repeat"])]) for row in rows]
        Vote.objects.bulk_create(votes)
        in_force = []
        for row, vote in zip(rows, votes, strict=True):
            if row["in_force"] == "yes":
                slot_of = vote.assignment
                slot_of.vote, slot_of.voted_at, slot_of.state = vote, vote.cast_at, SlotState.VOTED
                in_force.append(slot_of)
        Assignment.objects.bulk_update(in_force, ["vote", "voted_at", "state"])

    def vote_of(self, row: Mapping[str, str], slot: Assignment) -> Vote:
        seconds = float(row["active_seconds"]) if row["active_seconds"] else None
        times = {} if seconds is None else {"wall_seconds": seconds, "active_seconds": seconds, "idle_seconds": 0}
        return Vote(
            assignment=slot,
            rater=self.raters[row["round"], row["rater"]],
            revision=int(row["revision"]),
            submission=uuid4(),
            protocol=self.versions[row["protocol"], int(row["version"])],
            answers=self.answers(row),
            flag="flagged" if row["flagged"] == "yes" else "",
            cast_at=LONG_AGO + timedelta(seconds=int(row["sequence"])),
            **times,
        )

    def make_cases(self) -> None:
        """What a decision says is the final answer of its item in the round."""
        decided = {(row["round"], row["item"]) for row in self.sheet("cases.csv") if row["state"] == "decided"}
        rows_of_decided = (row for row in self.sheet("finals.csv") if (row["round"], row["item"]) in decided)
        finals = {(row["round"], row["item"]): (row["how"], self.answers(row)) for row in rows_of_decided}
        for rows in batches(self.sheet("cases.csv")):
            self.store_cases(rows, finals)

    def store_cases(self, rows: list[dict[str, str]], finals: Mapping[Place, tuple[str, dict[str, Any]]]) -> None:
        places = self.places(rows)
        votes: dict[int, dict[int, int]] = defaultdict(dict)
        slots = Assignment.objects.filter(round_item__in=places.values(), repeat=0, vote__isnull=False)
        for item, rater, vote in slots.order_by("rater__number").values_list("round_item", "rater", "vote"):
            votes[item][rater] = vote or 0
        for row in rows:
            place = places[row["round"], row["item"]]
            self.store_case(row, place, votes[place], finals.get((row["round"], row["item"]), ("", {})))

    def store_case(
        self, row: Mapping[str, str], place: int, votes: Mapping[int, int], final: tuple[str, dict[str, Any]]
    ) -> None:
        voted = sorted(votes.values())
        state = CaseState.OPEN if row["state"] == "decided" else row["state"]
        case = Case.objects.create(
            round_item_id=place,
            round=self.rounds[row["round"]],
            way=row["way"],
            why=row["why"],
            questions=row["questions"].split("|") if row["questions"] else [],
            pattern=row["pattern"],
            state=state,
            voted=voted,
            raters=in_drawn_order(list(votes), rule=self.rounds[row["round"]].rule, key=row["item"]),
        )
        if row["state"] != "decided":
            return
        how, answers = final
        made_by = self.users.get(row["decided_by"], self.by)
        proposal = None
        if how == "discussion" or row["because"] or not row["rationale"]:
            proposal = Proposal.objects.create(
                case=case, author=made_by, submission=uuid4(), answers=answers, because=row["because"]
            )
        decision = Decision.objects.create(
            case=case,
            answers=answers,
            rejected=how == "rejected",
            rationale=row["rationale"],
            unclear=row["unclear"],
            proposal=proposal,
            made_by=made_by,
            voted=voted,
        )
        Case.objects.filter(pk=case.pk).update(state=CaseState.DECIDED, decision=decision)

    def make_waivers(self) -> None:
        Waiver.objects.bulk_create(
            Waiver(project=self.project, guard=Guard(one["guard"]), item=one["item"], leave_out=bool(one["leave_out"]),
                   reason=one["reason"], by=self.by)
            for one in self.manifest["waivers"]
        )  # fmt: skip
