"""The life of a study after its design: pilot, freeze, open, close, unblind. Its times only go forward, and each of
these acts is logged with who did it."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import defaultdict
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.utils import timezone

from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Refusal
from labeling.study.designing import read_design
from labeling.study.editing import deviate, lock_draft, lock_study
from labeling.study.models import Method, Name, Stage, Study
from labeling.study.origins import FrozenPlan, NameOrigin, Origin
from labeling.study.planning import frame_of, framed_methods
from labeling.study.ruling import count_unruled, study_leaks

VERSION = 1  # of the form of what is frozen
SALT = "salt"


@transaction.atomic
def start_pilot(study: Study, *, by: User | None) -> Study:
    """From now on the pilot takes participants, and the material stays."""
    held = lock_draft(study)
    if held.piloted_at:
        raise Refusal(f"The pilot of {held} has begun already.")
    require_ruled(held)
    if not held.sheets.filter(stage=Stage.PILOT).exists():
        raise Refusal("There are no pilot sheets: give the design a number of them, and make the plan.")
    return stamp(held, "started the pilot of", by, piloted_at=timezone.now())


@transaction.atomic
def freeze_study(study: Study, *, by: User | None) -> Study:
    """Writes down all that was planned, with a digest; nothing of it changes any more."""
    held = lock_draft(study)
    require_ready(held)
    # Without a salt, whoever knows all but the letters of the origins could try them until the digest is the same.
    content = {**describe_plan(held), SALT: secrets.token_hex(16)}
    FrozenPlan.objects.create(study=held, content=content)
    fields = {"frozen_at": timezone.now(), "frozen_by": by, "digest": digest_of(content)}
    return stamp(held, "froze", by, **fields)


@transaction.atomic
def open_study(study: Study, *, by: User | None) -> Study:
    held = lock_study(study)
    if not held.is_frozen:
        raise Refusal(f"{held} is not frozen yet: what is asked must be fixed before the first answer.")
    if held.opened_at:
        raise Refusal(f"{held} was opened already.")
    return stamp(held, "opened", by, opened_at=timezone.now())


@transaction.atomic
def close_study(study: Study, *, by: User | None) -> Study:
    """No answer is taken any more. It cannot be opened again."""
    held = lock_study(study)
    if not held.opened_at:
        raise Refusal(f"{held} was never opened.")
    if held.closed_at:
        raise Refusal(f"{held} is closed already.")
    # Whoever is answering this very moment ends first; whoever comes after finds the study closed.
    list(held.participants.select_for_update().order_by("pk").values_list("pk"))
    return stamp(held, "closed", by, closed_at=timezone.now())


@transaction.atomic
def unblind_study(study: Study, *, by: User) -> Study:
    """Lets results tell which letter is which origin. Only of a closed study, and never to be undone."""
    held = lock_study(study)
    if not held.closed_at:
        raise Refusal(f"{held} is not closed: while answers come in, nobody learns what is behind the letters.")
    if held.unblinded_at:
        raise Refusal(f"{held} is unblinded already.")
    return stamp(held, "unblinded", by, unblinded_at=timezone.now(), unblinded_by=by)


@transaction.atomic
def note_deviation(study: Study, what: str, *, by: User | None) -> Study:
    """Something that is done otherwise than it was frozen, in words that are shown with the results."""
    held = lock_study(study)
    if not held.is_frozen:
        raise Refusal(f"{held} is not frozen: there is no plan yet to deviate from.")
    deviate(held, what, by=by)
    return held


def stamp(study: Study, verb: str, by: User | None, **fields: Any) -> Study:
    for name, value in fields.items():
        setattr(study, name, value)
    study.save(update_fields=list(fields))
    record(study.project, by=by, verb=verb, subject=study.name, study=study.pk, digest=study.digest)
    return study


def require_ruled(study: Study) -> None:
    unruled = count_unruled(study_leaks(study))
    if unruled:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in unruled.items())
        raise Refusal(f"{sum(unruled.values()):,} leaks have no ruling yet ({kinds}).")


def require_ready(study: Study) -> None:
    """Whatever a freeze would fix must be there and whole."""
    design = read_design(study.design)
    frame_of(study, framed_methods(study), design)
    require_ruled(study)
    if not study.sheets.filter(stage=Stage.MAIN).exists():
        raise Refusal(f"{study} has no plan of sheets yet.")


def digest_of(content: Any) -> str:
    """SHA-256 over JSON in one form: names sorted, no blanks, letters as they are, UTF-8."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def describe_plan(study: Study) -> dict[str, Any]:
    """Everything that is frozen, without a database id in it."""
    design = read_design(study.design)
    return {
        "version": VERSION,
        "project": study.project.slug,
        "study": study.name,
        "seed": study.seed,
        "source": study.source,
        "design": asdict(design),
        "exclusion_rules": list(design.excluded),
        "analyses": list(design.analyses),
        "texts": [{"version": text.version, "content": text.content} for text in study.texts.all()],
        "origins": list(Origin.objects.filter(study=study).order_by("key").values("key", "label", "letter")),
        "rulings": describe_rulings(study),
        "methods": describe_methods(study),
        "sheets": describe_sheets(study),
    }


def describe_rulings(study: Study) -> list[dict[str, str]]:
    columns = ("leak", "method_key", "name", "act", "reason")
    return sorted(study.rulings.values(*columns), key=lambda row: (row["leak"], row["method_key"], row["name"]))


def describe_methods(study: Study) -> list[dict[str, Any]]:
    origins: defaultdict[int, dict[str, str]] = defaultdict(dict)
    rows = NameOrigin.objects.filter(name__method__study=study).order_by("origin__key")
    for name, origin, given in rows.values_list("name", "origin__key", "given"):
        origins[name][origin] = given
    names: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in Name.objects.filter(method__study=study).order_by("method", "shown"):
        names[row.method_id].append({"shown": row.shown, "attention": row.attention, "origins": origins[row.pk]})
    methods = sorted(Method.objects.filter(study=study), key=lambda method: method.key)
    return [
        {
            "key": method.key,
            "group": method.group,
            "given": method.given,
            "shown": method.shown,
            "in_sample": method.in_sample,
            "names": sorted(names[method.pk], key=lambda name: str(name["shown"])),
        }
        for method in methods
    ]


def describe_sheets(study: Study) -> list[dict[str, Any]]:
    """Methods by key and names as they are shown."""
    keys = dict(Method.objects.filter(study=study).values_list("pk", "key"))
    names = dict(Name.objects.filter(method__study=study).values_list("pk", "shown"))
    return [
        {
            "stage": sheet.stage,
            "number": sheet.number,
            "replaces": sheet.replaces,
            "pages": [[keys[method], [names[name] for name in order]] for method, order in sheet.plan],
        }
        for sheet in study.sheets.order_by("stage", "number")
    ]


def changed_parts(study: Study) -> list[str]:
    """Which parts are not as they were frozen, by name: nothing, unless somebody wrote into the database by hand."""
    frozen = FrozenPlan.objects.get(study=study).content
    if digest_of(frozen) != study.digest:
        return ["the frozen plan itself"]
    now = {**describe_plan(study), SALT: frozen.get(SALT)}
    now["texts"] = now["texts"][: len(frozen["texts"])]  # later versions are deviations, which are listed
    return sorted(name for name in frozen if digest_of(frozen[name]) != digest_of(now.get(name)))


def read_frozen(study: Study) -> dict[str, Any]:
    if not study.is_frozen:
        raise Refusal(f"{study} is not frozen yet.")
    if not study.unblinded_at:
        raise Refusal(f"The plan of {study} tells the origins of names: it can be read once the study is unblinded.")
    content: dict[str, Any] = FrozenPlan.objects.get(study=study).content
    return {"sha256": study.digest, "plan": content}
