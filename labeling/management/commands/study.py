from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.corpus.models import Project
from labeling.management.arguments import find_project, find_user
from labeling.people.models import Role, User
from labeling.refusals import Invalid, Refusal
from labeling.study import editing, freezing, loading, planning
from labeling.study.checklist import describe_standing
from labeling.study.fieldwork.finding import find_study
from labeling.study.leaks import KINDS
from labeling.study.material import PRESETS
from labeling.study.models import Study
from labeling.study.ruling import study_leaks
from labeling.study.sources import bring_material

ACTS: dict[str, Callable[..., Study]] = {
    "pilot": freezing.start_pilot,
    "freeze": freezing.freeze_study,
    "open": freezing.open_study,
    "close": freezing.close_study,
    "unblind": freezing.unblind_study,
}


class Command(BaseCommand):
    help = "Makes a study and leads it from the draft to the unblinding; prints where it stands as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        create = self.verb(verbs, "create", "a draft with the texts of a preset")
        create.add_argument("--preset", choices=list(PRESETS), default="four_names")
        create.add_argument("--seed", type=int)
        self.add_design(create)
        self.add_design(self.verb(verbs, "design", "change fields of the design"))
        material = self.verb(verbs, "material", "put material in the place of what is there")
        material.add_argument("--items", type=Path, metavar="FILE", help="the items of the project by default")
        material.add_argument("--release", type=int, metavar="NUMBER", help="the items of this release instead")
        material.add_argument("--names", type=Path, metavar="FILE", help="item, origin, name in JSONL or CSV")
        material.add_argument("--origin", action="append", metavar="KEY=LABEL", help="instead of the preset's")
        material.add_argument("--preset", choices=list(PRESETS), default="four_names")
        material.add_argument("--group", default="", help="of the project's items only this group")
        material.add_argument("--words", default="", help="of the project's items only those with these words")
        texts = self.verb(verbs, "texts", "a new version of what participants read")
        texts.add_argument("file", type=Path, metavar="FILE", help="JSON")
        texts.add_argument("--why", default="", help="of a frozen study: kept as a deviation")
        self.verb(verbs, "leaks", "print what gives names away, one JSON object a line")
        rule = self.verb(verbs, "rule", "rule about leaks")
        rule.add_argument("kind", choices=list(KINDS))
        rule.add_argument("act", choices=["mask", "normalise", "waive", "none"])
        rule.add_argument("--method", default="", help="its key; without it the rule is for all of the kind")
        rule.add_argument("--name", default="")
        rule.add_argument("--reason", default="")
        self.verb(verbs, "plan", "draw the sample and make the sheets")
        self.verb(verbs, "status", "where it stands")
        deviation = self.verb(verbs, "deviation", "note what is done otherwise than it was frozen")
        deviation.add_argument("what")
        for act in ACTS:
            self.verb(verbs, act, f"{act} the study").add_argument("--by", required=True, metavar="E-MAIL")

    def verb(self, verbs: Any, name: str, help_text: str) -> ArgumentParser:
        parser: ArgumentParser = verbs.add_parser(name, help=help_text)
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("study", metavar="STUDY", help="its name")
        return parser

    def add_design(self, parser: ArgumentParser) -> None:
        parser.add_argument("--set", action="append", default=[], metavar="FIELD=JSON", help="such as --set sheets=12")

    def handle(self, *, verb: str, project: str, study: str, **options: Any) -> None:
        try:
            found = find_project(project)
            if verb == "leaks":
                self.print_leaks(find_study(found, study))
                return
            made = ACT_OR_VERB.get(verb, act)(found, study, {**options, "verb": verb})
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(json.dumps({"study": made.pk, "seed": made.seed, **describe_standing(made)}))

    def print_leaks(self, study: Study) -> None:
        for one in study_leaks(study):
            self.stdout.write(json.dumps({**asdict(one.leak), "act": one.ruling.act if one.ruling else None}))


Options = dict[str, Any]


def create(project: Project, name: str, options: Options) -> Study:
    design = fields_of(options["set"])
    return editing.create_study(
        project, name=name, preset=options["preset"], design=design, seed=options["seed"], by=None
    )


def design(project: Project, name: str, options: Options) -> Study:
    return editing.change_design(find_study(project, name), design=fields_of(options["set"]), by=None)


def material(project: Project, name: str, options: Options) -> Study:
    study = find_study(project, name)
    origins = dict(origin_of(word) for word in options["origin"] or []) or PRESETS[options["preset"]]
    items, names = (File(options[kind]) if options[kind] else None for kind in ("items", "names"))
    return bring_material(
        study,
        origins=origins,
        source="file" if items else "release" if options["release"] else "project",
        release=options["release"],
        items=items,
        names=names,
        group=options["group"],
        words=options["words"],
        by=None,
    )


def texts(project: Project, name: str, options: Options) -> Study:
    study = find_study(project, name)
    content = plain_json(File(options["file"]).read(), str(options["file"]))
    editing.change_texts(study, content=content, why=options["why"], by=None)
    return study


def rule(project: Project, name: str, options: Options) -> Study:
    taken = {key: options[key] for key in ("kind", "act", "method", "name", "reason")}
    verdict = loading.Verdict(**{**taken, "act": "" if options["act"] == "none" else options["act"]})
    return loading.rule_leak(find_study(project, name), verdict, by=None)


def plan(project: Project, name: str, options: Options) -> Study:
    return planning.plan_study(find_study(project, name), by=None)


def status(project: Project, name: str, options: Options) -> Study:
    return find_study(project, name)


def deviation(project: Project, name: str, options: Options) -> Study:
    return freezing.note_deviation(find_study(project, name), options["what"], by=None)


def act(project: Project, name: str, options: Options) -> Study:
    """In the name of a coordinator of the project: the log says who it was."""
    study, by = find_study(project, name), find_user(options["by"])
    require_coordinator(project, by)
    return ACTS[options["verb"]](study, by=by)


ACT_OR_VERB: dict[str, Callable[[Project, str, Options], Study]] = {
    "create": create,
    "design": design,
    "material": material,
    "texts": texts,
    "rule": rule,
    "plan": plan,
    "status": status,
    "deviation": deviation,
}


def require_coordinator(project: Project, user: User) -> None:
    if not project.memberships.filter(user=user, role=Role.COORDINATOR).exists():
        raise Invalid(f"--by: {user.email} is no coordinator of {project}.")


class File:
    """A file that a command names."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name

    def read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error


def fields_of(words: list[str]) -> dict[str, Any]:
    fields = {}
    for word in words:
        name, _, value = word.partition("=")
        fields[name] = plain_json(value.encode(), f"--set {name}")
    return fields


def plain_json(text: bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{where}: is not JSON ({error}).") from error


def origin_of(word: str) -> tuple[str, str]:
    key, _, label = word.partition("=")
    return key, label or key
