"""Making a study and changing its name, design and texts. Every verb locks the study first, so that it either comes
before a freeze or is refused by it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Max

from labeling.corpus.models import Project
from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from labeling.study.designing import Design, read_design
from labeling.study.models import Deviation, Sheet, Stage, Study, StudyText, new_seed
from labeling.study.presets import PRESETS
from labeling.study.texts import read_texts

LONGEST_NAME = 120
LONGEST_WORDS = 5_000
LARGEST_SEED = 2**31 - 1


@transaction.atomic
def create_study(  # noqa: PLR0913 (each is a different thing a caller decides)
    project: Project,
    *,
    name: str,
    preset: str = "four_names",
    design: Any = None,
    seed: int | None = None,
    by: User | None,
) -> Study:
    """A draft with the texts of a preset and a seed that is written down."""
    Project.objects.select_for_update().get(pk=project.pk)
    name = require_name(project, name)
    if preset not in PRESETS:
        raise Invalid(f"preset: must be one of {', '.join(PRESETS)}, not “{preset[:40]}”.")
    if seed is not None and not 0 <= seed <= LARGEST_SEED:
        raise Invalid(f"seed: must be between 0 and {LARGEST_SEED:,}.")
    wanted = read_design(first_design(preset) | (design or {}))
    study = Study.objects.create(
        project=project,
        name=name,
        seed=new_seed() if seed is None else seed,
        design=wanted.write(),
        source={"preset": preset},
        created_by=by,
    )
    StudyText.objects.create(study=study, content=PRESETS[preset].write(), written_by=by)
    record(project, by=by, verb="made the study", subject=name, study=study.pk, seed=study.seed)
    return study


def first_design(preset: str) -> dict[str, Any]:
    """Of the paper's smaller study: three people, all of them on the same 30 methods, each with a name or two."""
    if preset == "stable_names":
        return {"sheets": 3, "methods_per_sheet": 30, "shared": 30, "shared_by": 3, "allow_missing": True}
    return {}


def require_name(project: Project, name: str, *, but: int = 0) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Invalid(f"name: must have 1 to {LONGEST_NAME} characters.")
    if project.studies.filter(name=name).exclude(pk=but).exists():
        raise Invalid(f"name: there is a study “{name}” already.")
    return name


def lock_study(study: Study) -> Study:
    """As it is now, held until the end of the transaction."""
    return Study.objects.select_for_update(of=("self",)).select_related("project").get(pk=study.pk)


def lock_draft(study: Study, *, before_pilot: bool = False) -> Study:
    """The study, held until the end of the transaction; refused once it is frozen."""
    held = lock_study(study)
    if held.is_frozen:
        raise Refusal(f"{held} is frozen since {held.frozen_at:%d %b %Y}: its plan cannot be changed any more.")
    if before_pilot and held.piloted_at:
        raise Refusal(f"The pilot of {held} has begun, and its material stays as the pilots saw it. Copy the study.")
    return held


@transaction.atomic
def change_design(study: Study, *, design: Any, name: str | None = None, by: User | None) -> Study:
    """`design` has the fields to change. A plan that was made by the old one is dropped."""
    held = lock_draft(study)
    old = read_design(held.design)
    new = read_design({**held.design, **(design or {})})
    held.name = require_name(held.project, name, but=held.pk) if name is not None else held.name
    held.design = new.write()
    held.save(update_fields=["name", "design"])
    if is_other_plan(old, new):
        drop_plan(held)
    record(held.project, by=by, verb="changed the design of", subject=held.name, study=held.pk, design=held.design)
    return held


def is_other_plan(old: Design, new: Design) -> bool:
    names = ("layout", "spares", "stratified", "pilot_layout", "allow_missing")
    return any(getattr(old, name) != getattr(new, name) for name in names)


def drop_plan(study: Study) -> None:
    """Sheets are made again from the seed; those that pilots were promised stay."""
    kept = [Stage.PILOT] if study.piloted_at else []
    Sheet.objects.filter(study=study).exclude(stage__in=kept).delete()


@transaction.atomic
def change_texts(study: Study, *, content: Any, why: str = "", by: User | None) -> StudyText:
    """A new version of the texts. Of a frozen study it is a deviation, which needs a reason."""
    held = lock_study(study)
    if held.closed_at:
        raise Refusal(f"{held} is closed: nobody would read new texts.")
    if held.is_frozen and not why.strip():
        raise Invalid("why: the texts are frozen. Say why they change: it is kept as a deviation from the plan.")
    texts = read_texts(content).write()
    last = held.texts.aggregate(last=Max("version"))["last"] or 0
    made = StudyText.objects.create(study=held, version=last + 1, content=texts, written_by=by)
    record(held.project, by=by, verb="changed the texts of", subject=held.name, study=held.pk, version=made.version)
    if held.is_frozen:
        deviate(held, f"Texts, version {made.version}: {why.strip()}", by=by)
    return made


def deviate(study: Study, what: str, *, by: User | None) -> Deviation:
    if not what.strip() or len(what) > LONGEST_WORDS:
        raise Invalid(f"what: say in 1 to {LONGEST_WORDS:,} characters what is done otherwise than it was frozen.")
    record(study.project, by=by, verb="noted a deviation in", subject=study.name, study=study.pk, what=what[:300])
    return Deviation.objects.create(study=study, what=what.strip().replace("\x00", ""), by=by)
