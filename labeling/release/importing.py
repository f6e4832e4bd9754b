"""A released benchmark as a project again: its items, protocols, rounds, raters, votes, cases and decisions."""

from __future__ import annotations

import csv
import json
import shutil
from collections import defaultdict
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from labeling.annotation.models import Protocol, ProtocolVersion, Rater, Round, RoundItem, RoundState
from labeling.annotation.protocols.files import read_codebook
from labeling.annotation.rounds.counting import recount
from labeling.consensus.models import Rule
from labeling.corpus.importing import new_entry
from labeling.corpus.models import Item, Project
from labeling.corpus.payloads import FieldError
from labeling.corpus.projects import create_project
from labeling.corpus.searching import index_words
from labeling.corpus.storing import insert_entries
from labeling.people.activity import record
from labeling.people.models import Membership, Role, User
from labeling.refusals import Invalid
from labeling.release.importing_cases import import_cases
from labeling.release.importing_votes import Known, batches, import_votes
from labeling.release.models import Forerunner, Guard, Pseudonym, Waiver
from labeling.release.storing import archive_folder, new_archive_name
from labeling.release.verifying import Source, Verdict, opened, text_of, verify_source, whole

# What a release with a manifest that fits can still be: of other fields, of numbers or nests that nothing can hold.
UNREADABLE = (LookupError, ValueError, TypeError, AttributeError, OverflowError, RecursionError, csv.Error, DataError,
              IntegrityError)  # fmt: skip


def import_release(path: Path, *, slug: str, name: str = "", by: User) -> Project:
    """Makes the project in one transaction: all of it or nothing. Raises Invalid for a release that is not whole."""
    if path.is_dir():
        raise Invalid("Import the ZIP of the release, not its folder.")
    archive = archive_folder().parent / new_archive_name()
    try:
        with opened(path) as source, transaction.atomic():
            verdict = require_whole(source)
            project = create_project(name=name or usual_name(verdict), slug=slug, by=by)
            shutil.copyfile(path, archive)
            fill_project(project, source, verdict, archive=archive, by=by)
    except BaseException:
        archive.unlink(missing_ok=True)
        raise
    return project


def require_whole(source: Source) -> Verdict:
    verdict = verify_source(source)
    if verdict.faults:
        raise Invalid(f"This release is not as it was made: {verdict.faults[0]}")
    return verdict


def usual_name(verdict: Verdict) -> str:
    """Of a project that a release is brought into."""
    try:
        return str(verdict.manifest["release"]["name"])[:120]
    except (KeyError, TypeError) as error:
        raise Invalid("manifest.json does not say what the release is called.") from error


@transaction.atomic
def fill_project(project: Project, source: Source, verdict: Verdict, *, archive: Path, by: User) -> None:
    """All that the release says, into a project that is empty. The archive stays as its forerunner's."""
    try:
        Import(source, project, verdict.manifest, by).run()
        Forerunner.objects.create(
            project=project,
            number=int(verdict.manifest["release"]["number"]),
            manifest={**verdict.manifest, "digest": verdict.digest},
            changes=read_json(source, "changes.json"),
            archive=f"{archive.parent.name}/{archive.name}",
        )
    except UNREADABLE as error:
        raise Invalid(f"This release cannot be read: {type(error).__name__}, {str(error)[:200]}.") from error


def read_json(source: Source, name: str) -> Any:
    return json.loads(whole(source, name))


@dataclass
class Import:
    """One release on its way into a project."""

    source: Source
    project: Project
    manifest: dict[str, Any]
    by: User
    known: Known = field(init=False)
    users: dict[str, User] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known = Known(self.source, self.project)

    def run(self) -> None:
        facts = read_json(self.source, "rounds.json")
        self.make_people(facts)
        for round in facts:
            self.make_round(round)
        self.make_items()
        self.make_finals()
        import_votes(self.known)
        for made in self.known.rounds.values():
            recount(made)
            made.items.update(routed_at=timezone.now())
        import_cases(self.known, self.users, by=self.by)
        self.make_waivers()
        number = self.manifest["release"]["number"]
        record(self.project, by=self.by, verb="imported", subject=f"release {number}", rounds=len(facts))

    def make_people(self, facts: list[dict[str, Any]]) -> None:
        """Accounts that nobody can log in with, under the pseudonyms."""
        deciders = {row["decided_by"] for row in self.known.sheet("cases.csv") if row["decided_by"].startswith("R")}
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
            protocol=self.known.versions[facts["protocol"], int(facts["version"])],
            state=RoundState.CLOSED,
            closed_at=timezone.now(),
            created_by=self.by,
            selection={"gold": {}, "last": 0},
            **{name: facts[name] for name in design},
        )
        Rule.objects.create(round=round, way=facts["rule"]["way"], others=facts["rule"]["others"])
        for number, name in enumerate(facts["raters"], start=1):
            self.known.raters[facts["name"], name] = Rater.objects.create(
                round=round, user=self.users[name], number=number
            )
        self.known.rounds[facts["name"]] = round

    def make_version(self, name: str, number: int, file: str) -> None:
        if (name, number) in self.known.versions:
            return
        protocol, _ = Protocol.objects.get_or_create(project=self.project, name=name, defaults={"created_by": self.by})
        codebook = read_codebook(whole(self.source, file))
        self.known.versions[name, number] = ProtocolVersion.objects.create(
            protocol=protocol, number=number, content=codebook.write(), created_by=self.by
        )
        for question in codebook.questions:
            self.known.questions.setdefault(question.key, question)

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
        index_words(self.project, step=lambda _: nullcontext())

    def item_ids(self, keys: Iterable[str]) -> dict[str, int]:
        return dict(Item.objects.filter(project=self.project, key__in=set(keys)).values_list("key", "pk"))

    def make_finals(self) -> None:
        positions: dict[str, int] = defaultdict(int)
        for rows in batches(self.known.sheet("finals.csv")):
            ids = self.item_ids(row["item"] for row in rows)
            made = []
            for row in rows:
                round = self.known.rounds[row["round"]]
                made.append(RoundItem(round=round, item_id=ids[row["item"]], position=positions[row["round"]],
                                      wanted=int(row["wanted"]), votes=0))  # fmt: skip
                positions[row["round"]] += 1
            RoundItem.objects.bulk_create(made)

    def make_waivers(self) -> None:
        Waiver.objects.bulk_create(
            Waiver(project=self.project, guard=Guard(one["guard"]), item=one["item"], leave_out=bool(one["leave_out"]),
                   reason=one["reason"], by=self.by)
            for one in self.manifest["waivers"]
        )  # fmt: skip
