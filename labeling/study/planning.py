"""From material and design to sheets: which methods are in the sample, who gets which, in which order. All of it
follows from the seed, the design and the material."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db import transaction

from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from labeling.study.design.sampling import Stratum, allocate, draw_sample
from labeling.study.design.sheets import Layout, Plan, plan_sheets, with_spare
from labeling.study.designing import Design, read_design
from labeling.study.editing import drop_plan, lock_draft
from labeling.study.models import Method, Name, Sheet, Stage, Study
from labeling.study.origins import NameOrigin, Origin

AFTER_ALL_KEYS = "~"  # attention checks come from no origin


@dataclass(frozen=True)
class Framed:
    """A method that can be drawn: its distinct names in the order of the origins' keys, so that rows of a square are
    balanced over origins and not only over names. Not in that of their letters: a sheet would tell these."""

    pk: int
    key: str
    group: str
    names: tuple[int, ...]
    origins: int  # how many gave it a name


def framed_methods(study: Study) -> list[Framed]:
    """All methods, also those that lack names, in the order of their keys."""
    keys: defaultdict[int, str] = defaultdict(lambda: AFTER_ALL_KEYS)
    given: Counter[int] = Counter()
    rows = NameOrigin.objects.filter(name__method__study=study)
    for name, method, key in rows.values_list("name", "name__method", "origin__key"):
        keys[name] = min(keys[name], key)
        given[method] += 1
    names: defaultdict[int, list[tuple[str, str, int]]] = defaultdict(list)
    for pk, method, shown in Name.objects.filter(method__study=study).values_list("pk", "method", "shown"):
        names[method].append((keys[pk], shown, pk))
    methods = Method.objects.filter(study=study).values_list("pk", "key", "group")
    found = [
        Framed(pk, key, group, tuple(name for *_, name in sorted(names[pk])), given[pk]) for pk, key, group in methods
    ]
    return sorted(found, key=lambda method: method.key)


def frame_of(study: Study, methods: Sequence[Framed], design: Design) -> list[Framed]:
    """The methods that may be drawn; refused when one lacks a name and the design does not allow that."""
    if not methods:
        raise Refusal(f"{study} has no material yet.")
    wanted = Origin.objects.filter(study=study).count()
    lacking = [method for method in methods if method.origins < wanted]
    if lacking and not design.allow_missing:
        first = lacking[0].key[:80]
        raise Refusal(
            f"{len(lacking):,} of {len(methods):,} methods lack the name of an origin, the first is “{first}”. "
            "Bring the names, or allow missing ones in the design."
        )
    return [method for method in methods if method.origins]


@transaction.atomic
def plan_study(study: Study, *, by: User | None) -> Study:
    """Draws the sample and makes the sheets anew."""
    held = lock_draft(study)
    design = read_design(held.design)
    frame = frame_of(held, framed_methods(held), design)
    chosen = draw(held, frame, design)
    plan = plan_main(held, chosen, design)
    drop_plan(held)
    Method.objects.filter(study=held).update(in_sample=False)
    Method.objects.filter(pk__in=[method.pk for method in chosen]).update(in_sample=True)
    store_sheets(held, Stage.MAIN, plan, chosen)
    if design.pilot_sheets and not held.piloted_at:
        pilots = draw_pilots(held, frame, chosen, design)
        store_sheets(held, Stage.PILOT, plan_pilot(held, pilots, design), pilots)
    sums = {"methods": len(chosen), "sheets": design.sheets, "spares": design.spares, "pilots": design.pilot_sheets}
    record(held.project, by=by, verb="planned", subject=held.name, study=held.pk, seed=held.seed, **sums)
    return held


def draw(study: Study, frame: Sequence[Framed], design: Design) -> list[Framed]:
    wanted = design.layout.methods
    if wanted > len(frame):
        raise Invalid(
            f"sheets: {design.sheets:,} sheets of {design.methods_per_sheet:,} methods, {design.shared:,} of them "
            f"shared, need {wanted:,} methods; {len(frame):,} can be drawn."
        )
    rng = Random(f"{study.seed}:sample")  # noqa: S311 (a design)
    return list(draw_sample(strata_of(frame, design), wanted, rng=rng).chosen)


def strata_of(frame: Sequence[Framed], design: Design) -> dict[str, list[Framed]]:
    strata: defaultdict[str, list[Framed]] = defaultdict(list)
    for method in frame:
        strata[method.group if design.stratified else ""].append(method)
    return dict(strata)


def draw_pilots(study: Study, frame: Sequence[Framed], chosen: Sequence[Framed], design: Design) -> list[Framed]:
    """Methods outside the sample while there are enough of them."""
    drawn = {method.pk for method in chosen}
    others = [method for method in frame if method.pk not in drawn]
    pool = others if len(others) >= design.pilot_layout.methods else list(frame)
    if design.pilot_layout.methods > len(pool):
        raise Invalid(f"pilot_methods_per_sheet: {design.pilot_layout.methods:,} wanted, {len(pool):,} can be drawn.")
    return Random(f"{study.seed}:pilots").sample(pool, design.pilot_layout.methods)  # noqa: S311 (a design)


def plan_main(study: Study, chosen: Sequence[Framed], design: Design) -> Plan:
    plan = plan_sheets({method.key: len(method.names) for method in chosen}, design.layout, seed=study.seed)
    for spare in range(design.spares):
        plan = with_spare(plan, replaces=spare % design.sheets, kept=True)
    return plan


def plan_pilot(study: Study, pilots: Sequence[Framed], design: Design) -> Plan:
    layout: Layout = design.pilot_layout
    return plan_sheets({method.key: len(method.names) for method in pilots}, layout, seed=study.seed + 1)


def store_sheets(study: Study, stage: Stage, plan: Plan, methods: Sequence[Framed]) -> None:
    """Numbers begin with 1."""
    by_key = {method.key: method for method in methods}
    Sheet.objects.bulk_create(
        Sheet(
            study=study,
            stage=stage,
            number=sheet.number + 1,
            replaces=None if sheet.replaces is None else sheet.replaces + 1,
            plan=[
                [by_key[page.method].pk, [by_key[page.method].names[place] for place in page.order]]
                for page in sheet.pages
            ],
        )
        for sheet in plan.sheets
    )


@dataclass(frozen=True)
class Balance:
    """Over methods with equally many names: how often an origin stands in each position, least and most."""

    names: int
    methods: int
    positions: tuple[tuple[int, int], ...]


def balance_of(study: Study, sheets: Sequence[Sheet]) -> list[Balance]:
    """Says nothing of which origin is which: only how far apart they are."""
    origins: defaultdict[int, list[int]] = defaultdict(list)
    known = list(Origin.objects.filter(study=study).values_list("pk", flat=True))
    for name, origin in NameOrigin.objects.filter(name__method__study=study).values_list("name", "origin"):
        origins[name].append(origin)
    seen: defaultdict[int, Counter[tuple[int, int]]] = defaultdict(Counter)
    methods: defaultdict[int, set[int]] = defaultdict(set)
    for sheet in sheets:
        for method, names in sheet.plan:
            methods[len(names)].add(method)
            for position, name in enumerate(names):
                seen[len(names)].update((position, origin) for origin in origins[name])
    return [
        Balance(
            size,
            len(methods[size]),
            tuple(
                (min(counts), max(counts))
                for counts in ([seen[size][place, origin] for origin in known] for place in range(size))
            ),
        )
        for size in sorted(methods, reverse=True)
    ]


def sheet_rows(sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """The plan as a table: what each sheet asks for."""
    uses = Counter(method for sheet in sheets if sheet.replaces is None for method, _ in sheet.plan)
    return [
        {
            "number": sheet.number,
            "stage": sheet.stage,
            "replaces": sheet.replaces,
            "methods": len(sheet.plan),
            "shared": sum(uses[method] > 1 for method, _ in sheet.plan),
            "judgements": sum(len(names) for _, names in sheet.plan),
        }
        for sheet in sheets
    ]


def strata_rows(study: Study, design: Design) -> tuple[Stratum, ...]:
    """What the sample takes of each group; nothing before there is material enough."""
    frame = [method for method in framed_methods(study) if method.origins]
    sizes = {group: len(methods) for group, methods in strata_of(frame, design).items()}
    return allocate(sizes, design.layout.methods) if design.layout.methods <= len(frame) and frame else ()
