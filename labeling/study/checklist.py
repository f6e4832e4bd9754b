"""Where a study stands: its steps from the first draft to the last act, and which comes next."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from labeling.study.designing import Design, read_design
from labeling.study.models import Method, Name, Stage, Study
from labeling.study.origins import Origin
from labeling.study.planning import framed_methods
from labeling.study.ruling import count_unruled, study_leaks


@dataclass(frozen=True)
class Standing:
    """The numbers that the steps are told from. Says nothing of which origin gave what."""

    methods: int = 0
    sampled: int = 0
    names: int = 0
    origins: int = 0
    lacking: int = 0  # methods without the name of some origin
    unruled: int = 0
    sheets: int = 0
    spares: int = 0
    pilot_sheets: int = 0
    texts: int = 0  # the latest version
    deviations: int = 0


@dataclass(frozen=True)
class Step:
    key: str
    title: str
    text: str
    is_done: bool
    is_next: bool = False


def standing_of(study: Study) -> Standing:
    """Leaks are looked for only while something can still be done about them."""
    methods = Method.objects.filter(study=study)
    counted = methods.aggregate(all=Count("pk"), sampled=Count("pk", filter=Q(in_sample=True)))
    origins = Origin.objects.filter(study=study).count()
    sheets: Counter[str] = Counter()
    for stage, replaces in study.sheets.values_list("stage", "replaces"):
        sheets[stage if replaces is None else "spare"] += 1
    draft = bool(counted["all"]) and not study.is_frozen
    return Standing(
        methods=counted["all"],
        sampled=counted["sampled"] if sheets else 0,
        names=Name.objects.filter(method__study=study, attention="").count(),
        origins=origins,
        lacking=sum(method.origins < origins for method in framed_methods(study)) if draft else 0,
        unruled=sum(count_unruled(study_leaks(study)).values()) if draft else 0,
        sheets=sheets[Stage.MAIN],
        spares=sheets["spare"],
        pilot_sheets=sheets[Stage.PILOT],
        texts=study.texts.count(),
        deviations=study.deviations.count(),
    )


def steps_of(study: Study, standing: Standing) -> list[Step]:
    """In order; the first that is not done and can be done is the next one."""
    design = read_design(study.design)
    steps = [
        material_step(study, standing, design),
        leaks_step(study, standing),
        plan_step(standing, design),
        pilot_step(study, standing, design),
        Step("freeze", "Freeze", frozen_words(study), study.is_frozen),
        Step("open", "Open", "Participants with a link can start.", bool(study.opened_at)),
        Step("close", "Close", "No answer is taken any more.", bool(study.closed_at)),
        Step("unblind", "Unblind", "Results tell which letter is which origin.", bool(study.unblinded_at)),
    ]
    following = next((step.key for step in steps if not step.is_done and not is_optional(step, study)), "")
    return [Step(**{**vars(step), "is_next": step.key == following}) for step in steps]


def is_optional(step: Step, study: Study) -> bool:
    """A pilot can be left out, and is over once the study is frozen."""
    return step.key == "pilot" and (study.is_frozen or not read_design(study.design).pilot_sheets)


def where_from(study: Study) -> str:
    """Where the methods came from, in words; names of files are not kept, since one may tell an origin."""
    source = study.source
    group, words = source.get("group"), source.get("words")
    chosen = (f" of the group “{group}”" if group else "") + (f" with the words “{words}”" if words else "")
    told = {
        "project": f"items of this project{chosen}",
        "release": f"release {source.get('release')}",
        "file": "a file of items",
        "rows": "rows that a script sent",
    }
    return told.get(source.get("kind", ""), "")


def material_step(study: Study, standing: Standing, design: Design) -> Step:
    text = "The methods, and their names from each origin."
    if standing.methods:
        text = f"{standing.methods:,} methods, {standing.names:,} distinct names from {standing.origins} origins."
        came = where_from(study)
        text += f" Methods from {came}." if came else ""
    if standing.lacking:
        allowed = "which the design allows" if design.allow_missing else "which the design does not allow"
        text += f" {standing.lacking:,} methods lack the name of an origin, {allowed}."
    whole = bool(standing.methods) and (design.allow_missing or not standing.lacking)
    return Step("material", "Material", text, whole)


def leaks_step(study: Study, standing: Standing) -> Step:
    text = "Whatever gives a name away is masked, normalised or waived."
    if standing.unruled:
        text = f"{standing.unruled:,} leak{'s want' if standing.unruled > 1 else ' wants'} a ruling."
    return Step("leaks", "Leaks", text, bool(standing.methods) and not standing.unruled)


def plan_step(standing: Standing, design: Design) -> Step:
    text = f"{design.sheets:,} sheets of {design.methods_per_sheet:,} methods will be made from the seed."
    if standing.sheets:
        spare = f" and {standing.spares:,} spare" if standing.spares else ""
        text = f"{standing.sheets:,}{spare} sheets over {standing.sampled:,} methods."
    if design.warning:
        text += " Most participants judge the same methods: see what that means for the primary test."
    return Step("plan", "Plan", text, bool(standing.sheets))


def pilot_step(study: Study, standing: Standing, design: Design) -> Step:
    text = "Optional: a few people try it, and their answers are kept apart. Give the design some pilot sheets."
    if study.is_frozen and not study.piloted_at:
        text = "There was none."
    elif design.pilot_sheets:
        begun = "Under way: " if study.state == "piloting" else ""
        plural = "s" if design.pilot_sheets > 1 else ""
        text = f"{begun}{design.pilot_sheets:,} pilot sheet{plural}; what pilots answer is kept apart."
    return Step("pilot", "Pilot", text, bool(study.piloted_at))


def frozen_words(study: Study) -> str:
    if study.is_frozen:
        return f"SHA-256 {study.digest[:16]}… over material, texts, seed, plan, exclusions and analyses."
    return "From then on nothing of the plan can change, and a digest proves it."


def describe_standing(study: Study) -> dict[str, Any]:
    """For scripts."""
    standing = standing_of(study)
    steps = steps_of(study, standing)
    return {
        "state": study.state,
        **vars(standing),
        "warning": read_design(study.design).warning,
        "digest": study.digest,
        "next": next((step.key for step in steps if step.is_next), None),
        "done": [step.key for step in steps if step.is_done],
    }
