"""Studies made straight from the models: methods, names, origins and sheets, without a coordinator's steps."""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

from django.utils import timezone

from labeling.corpus.models import Project
from labeling.study.models import Method, Name, Sheet, Stage, Study, StudyText
from labeling.study.origins import NameOrigin, Origin
from labeling.study.presets import FOUR_NAMES
from labeling.study.taking.models import Participant
from labeling.study.texts import Texts

ORIGINS = {"buggy": "Buggy", "fixed": "Fixed", "cognac": "Cognac", "gtnm": "GTNM"}
WORDS = ["weigh", "sum", "count", "total", "tally", "measure", "load", "gather"]
BODY = """\
int ___(List<Parcel> parcels, int limit) {{
    int weight = {number};
    for (Parcel parcel : parcels) {{
        if (parcel.isFragile() && weight < limit) {{
            weight += parcel.weigh();
        }}
    }}
    return weight;
}}
"""


def study_of(
    project: Project,
    *,
    methods: int = 4,
    sheets: int = 4,
    origins: dict[str, str] | None = None,
    texts: Texts = FOUR_NAMES,
    state: str = "open",
    seed: int = 7,
    **fields: Any,
) -> Study:
    """Every sheet has every method; the names of a method stand in an order that goes around with sheet and method."""
    study = Study.objects.create(project=project, name=fields.pop("name", "Names of methods"), seed=seed, **fields)
    StudyText.objects.create(study=study, content=texts.write())
    made = [
        Origin.objects.create(study=study, key=key, label=label, letter=letter)
        for letter, (key, label) in zip("DBCA", (origins or ORIGINS).items(), strict=False)
    ]
    rows = [add_method(study, number, made, Random(seed + number)) for number in range(methods)]  # noqa: S311 (a design)
    for number in range(1, sheets + 1):
        Sheet.objects.create(study=study, number=number, plan=plan_of(rows, number))
    return in_state(study, state)


def add_method(study: Study, number: int, origins: list[Origin], rng: Random) -> list[int]:
    """A method and one name of each origin; ids say nothing, because the names are stored in a shuffled order."""
    body = BODY.format(number=number)
    method = Method.objects.create(study=study, key=f"item-{number}", given=body, shown=body)
    found: dict[str, int] = {}
    for origin, word in zip(rng.sample(origins, len(origins)), rng.sample(WORDS, len(origins)), strict=True):
        given = f"{word}{rng.choice(['Fragile', 'Parcels', 'Limited'])}{number}"
        name = Name.objects.create(method=method, given=given, shown=given)
        NameOrigin.objects.create(name=name, origin=origin, given=given)
        found[origin.key] = name.pk
    return [method.pk, *(found[origin.key] for origin in origins)]


def plan_of(rows: list[list[int]], number: int) -> list[list[Any]]:
    orders = list(permutations(range(len(rows[0]) - 1)))
    return [
        [method, [names[place] for place in orders[(index * 5 + number * 7) % len(orders)]]]
        for index, (method, *names) in enumerate(rows)
    ]


def in_state(study: Study, state: str) -> Study:
    now = timezone.now()
    times: dict[str, dict[str, Any]] = {
        "draft": {},
        "piloting": {"piloted_at": now},
        "frozen": {"frozen_at": now, "digest": "d" * 64},
        "open": {"frozen_at": now, "digest": "d" * 64, "opened_at": now},
        "closed": {"frozen_at": now, "digest": "d" * 64, "opened_at": now, "closed_at": now},
    }
    Study.objects.filter(pk=study.pk).update(**times[state])
    study.refresh_from_db()
    return study


def pilot_sheets(study: Study, count: int = 2) -> None:
    for sheet in study.sheets.filter(stage=Stage.MAIN)[:count]:
        Sheet.objects.create(study=study, stage=Stage.PILOT, number=sheet.number, plan=sheet.plan)


def answers_of(participant: Participant) -> list[tuple[str, str]]:
    lines = [line for page in participant.pages.order_by("position") for line in page.lines.order_by("place")]
    return [(line.answer, line.reason) for line in lines]
