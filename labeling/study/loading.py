"""Putting material into a study, and ruling about what gives names away in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from django.db import transaction

from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Invalid
from labeling.study.editing import LONGEST_WORDS, create_study, drop_plan, lock_draft, lock_study
from labeling.study.hiding import hidden_rng
from labeling.study.leaks import KINDS
from labeling.study.material import Material, Piece, digest_of
from labeling.study.models import Method, Name, Ruling, Sheet, Study
from labeling.study.naming import ARTEFACTS
from labeling.study.origins import NameOrigin, Origin, labels_of
from labeling.study.ruling import Rules, shown_body, shown_names, stored_pieces, study_leaks, study_rules

BATCH = 500


@transaction.atomic
def load_material(study: Study, material: Material, *, source: dict[str, Any], by: User | None) -> Study:
    """Puts the material in the place of what was there. Rules about kinds of leaks stay, single rulings go."""
    held = lock_draft(study, before_pilot=True)
    Sheet.objects.filter(study=held).delete()
    Method.objects.filter(study=held).delete()
    Origin.objects.filter(study=held).delete()
    held.rulings.exclude(method_key="").delete()
    store_origins(held, material.origins)
    rules = study_rules(held)
    for start in range(0, len(material.pieces), BATCH):
        batch = material.pieces[start : start + BATCH]
        methods = Method.objects.bulk_create(
            Method(study=held, key=piece.key, group=piece.group, given=piece.body, shown=shown_body(piece, rules))
            for piece in batch
        )
        store_names(held, zip(methods, batch, strict=True), rules)
    held.source = {**source, "methods": len(material.pieces), "digest": digest_of(material)}
    held.save(update_fields=["source"])
    record(held.project, by=by, verb="loaded the material of", subject=held.name, study=held.pk, **held.source)
    return held


def store_origins(study: Study, origins: dict[str, str]) -> None:
    """Letters are dealt in hiding, so that neither they nor the order of the rows tell anything."""
    letters = list(ascii_uppercase[: len(origins)])
    hidden_rng(study, "letters").shuffle(letters)
    places = {key: place for place, key in enumerate(origins, start=1)}
    named = zip(letters, sorted(origins.items()), strict=True)
    Origin.objects.bulk_create(
        Origin(study=study, key=key, label=label.strip(), letter=letter, place=places[key])
        for letter, (key, label) in sorted(named)
    )


def store_names(study: Study, pairs: Iterable[tuple[Method, Piece]], rules: Rules) -> None:
    shown = [(method, name) for method, piece in pairs for name in shown_names(piece, rules)]
    names = Name.objects.bulk_create(
        Name(method=method, given=name.given, shown=name.shown, attention=name.attention) for method, name in shown
    )
    origins = dict(Origin.objects.filter(study=study).values_list("key", "pk"))
    NameOrigin.objects.bulk_create(
        NameOrigin(name=row, origin_id=origins[origin], given=given)
        for row, (_, name) in zip(names, shown, strict=True)
        for origin, given in name.origins.items()
    )


@dataclass(frozen=True)
class Verdict:
    """What is to be done about one leak, or about all of a kind when no method is named; no act takes it back."""

    kind: str
    act: str
    method: str = ""
    name: str = ""
    reason: str = ""


@transaction.atomic
def rule_leak(study: Study, verdict: Verdict, *, by: User | None) -> Study:
    held = lock_draft(study, before_pilot=True)
    require_verdict(held, verdict)
    reason = verdict.reason.strip()
    same = Ruling.objects.filter(
        study=held, leak=verdict.kind, method_key=verdict.method, name=verdict.name
    )  # held with the study, so that no other writes it
    same.delete()
    if verdict.act:
        Ruling.objects.create(
            study=held,
            leak=verdict.kind,
            method_key=verdict.method,
            name=verdict.name,
            act=verdict.act,
            reason=reason,
            by=by,
        )
    reshape(held, [verdict.method] if verdict.method else None)
    verb = {"mask": "masked", "normalise": "normalised", "waive": "waived", "": "took back a ruling on"}[verdict.act]
    details = {"leak": verdict.kind, "method": verdict.method, "name": verdict.name, "reason": reason[:300]}
    record(held.project, by=by, verb=f"{verb} leaks of", subject=held.name, study=held.pk, **details)
    return held


def require_verdict(study: Study, verdict: Verdict) -> None:
    if verdict.kind not in KINDS:
        raise Invalid(f"kind: must be one of {', '.join(KINDS)}, not “{verdict.kind[:40]}”.")
    acts = ["normalise" if verdict.kind in ARTEFACTS else "mask", "waive"]
    if verdict.act not in {*acts, ""}:
        raise Invalid(f"act: must be {acts[0]} or waive for the kind {verdict.kind}, not “{verdict.act[:40]}”.")
    if verdict.act == "waive" and not verdict.reason.strip():
        raise Invalid("reason: say why this leak does no harm. The reason is frozen with the plan.")
    if len(verdict.reason) > LONGEST_WORDS or "\x00" in verdict.reason:
        raise Invalid(f"reason: must have at most {LONGEST_WORDS:,} characters, and none that cannot be stored.")
    if bool(verdict.method) != bool(verdict.name):
        raise Invalid("method: name both the method and the name, or neither for a rule about all of the kind.")
    if verdict.method and verdict.act:
        leaks = {(found.leak.kind, found.leak.method, found.leak.name) for found in study_leaks(study)}
        if (verdict.kind, verdict.method, verdict.name) not in leaks:
            which = f"“{verdict.name[:80]}” was found in “{verdict.method[:80]}”"
            raise Invalid(f"name: no leak of the kind {verdict.kind} of {which}.")


def reshape(study: Study, keys: list[str] | None) -> None:
    """Gives bodies and names the form that the rulings want now; a plan whose names changed is dropped."""
    rules = study_rules(study)
    pieces = stored_pieces(study, keys)
    methods = {method.pk: method for method in Method.objects.filter(pk__in=list(pieces))}
    stored: dict[int, list[str]] = {pk: [] for pk in pieces}
    for pk, shown in Name.objects.filter(method__in=list(pieces)).order_by("shown").values_list("method", "shown"):
        stored[pk].append(shown)
    renamed = []
    for pk, piece in pieces.items():
        methods[pk].shown = shown_body(piece, rules)
        if sorted(stored[pk]) != [name.shown for name in shown_names(piece, rules)]:
            renamed.append((methods[pk], piece))
    Method.objects.bulk_update(methods.values(), ["shown"], batch_size=BATCH)
    if renamed:
        drop_plan(study)
        Name.objects.filter(method__in=[method for method, _ in renamed]).delete()
        store_names(study, renamed, rules)


@transaction.atomic
def copy_study(study: Study, *, name: str, by: User | None) -> Study:
    """A new draft with the same design, texts, material and rulings, and a seed of its own."""
    held = lock_study(study)
    made = create_study(held.project, name=name, design=held.design, by=by)
    latest = held.texts.last()
    if latest:
        made.texts.update(content=latest.content)
    for ruling in held.rulings.all():
        ruling.pk, ruling.study = None, made
        ruling.save(force_insert=True)
    pieces = list(stored_pieces(held).values())
    if pieces:
        origins = labels_of(held)
        kept = list(made.rulings.exclude(method_key=""))
        load_material(made, Material(origins, pieces), source=held.source, by=by)
        Ruling.objects.bulk_create(kept)
        reshape(made, None)
    return made
