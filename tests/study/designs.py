"""Studies as a coordinator makes them, through the verbs."""

from __future__ import annotations

from typing import Any

from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.study.editing import create_study
from labeling.study.loading import Verdict, load_material, rule_leak
from labeling.study.material import PRESETS, Material, read_material, rows_of_list
from labeling.study.models import Study
from labeling.study.planning import plan_study

SMALL = {"sheets": 4, "methods_per_sheet": 3, "shared": 2, "shared_by": 3, "pilot_sheets": 2, "spares": 1,
         "pilot_methods_per_sheet": 2}  # fmt: skip


def item(number: int, **changes: Any) -> dict[str, Any]:
    body = f"int take{number}(int x) {{\n    return pool.poll(x + {number});\n}}"
    return {"key": f"m{number:03}", "group": f"repo{number % 2}", "body": body, **changes}


def names(number: int, **changes: str) -> list[dict[str, str]]:
    given = {"buggy": f"take{number}", "fixed": f"fetch{number}", "cognac": f"read{number}", "gtnm": f"find{number}"}
    return [{"item": f"m{number:03}", "origin": key, "name": name} for key, name in {**given, **changes}.items()]


def material(count: int = 12, **changes: str) -> Material:
    rows = [row for number in range(count) for row in names(number, **changes)]
    return read_material(
        rows_of_list([item(number) for number in range(count)]), rows_of_list(rows), PRESETS["four_names"]
    )


def draft(project: Project, by: User | None = None, *, count: int = 12, **design: Any) -> Study:
    """With material and without leaks."""
    study = create_study(
        project, name=f"Study {project.studies.count() + 1}", design={**SMALL, **design}, seed=7, by=by
    )
    return load_material(study, material(count), source={"kind": "file"}, by=by)


def planned(project: Project, by: User | None = None, **wanted: Any) -> Study:
    return plan_study(draft(project, by, **wanted), by=by)


def mask(study: Study, kind: str, **which: str) -> Study:
    return rule_leak(study, Verdict(kind, "mask", **which), by=None)


def waive(study: Study, kind: str, **which: str) -> Study:
    return rule_leak(study, Verdict(kind, "waive", reason="Known to everybody.", **which), by=None)


def normalise(study: Study, kind: str, **which: str) -> Study:
    return rule_leak(study, Verdict(kind, "normalise", **which), by=None)


def leaky(project: Project, by: User | None = None, *, wide: str = "take", count: int = 12) -> Study:
    """Every kind of leak, some of them ruled; long words where words can be long."""
    study = create_study(project, name=f"Leaky {wide}"[:120], design=SMALL, by=by)
    body = (
        f'int {wide}(int x) {{\n  // {wide}\n  log("{wide}");\n  int {wide} = this.{wide}(x);\n'
        f"  return o.{wide}(x);\n}}"
    )
    rows = [row for number in range(count) for row in names(number)]
    rows += [
        {**row, "item": wide[:200]} for row in names(99, buggy=wide, cognac=f"Read_{wide}", gtnm=f"find <unk> {wide}")
    ]
    items = [item(number) for number in range(count)]
    items.insert(0, {"key": wide[:200], "group": wide[:200], "body": body})
    found = read_material(rows_of_list(items), rows_of_list(rows), PRESETS["four_names"])
    load_material(study, found, source={"kind": "file"}, by=by)
    rule_leak(study, Verdict("text", "waive", reason=wide), by=by)
    return rule_leak(study, Verdict("comment", "mask", method=wide[:200], name=wide), by=by)
