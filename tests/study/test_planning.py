"""Sheets follow from seed, design and material, and nothing of them changes after the freeze."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from labeling.corpus.models import Project
from labeling.people.models import Activity, User
from labeling.refusals import Invalid, Refusal
from labeling.study import freezing
from labeling.study.designing import read_design
from labeling.study.editing import change_design, change_texts, create_study, deviate
from labeling.study.freezing import changed_parts, close_study, freeze_study, open_study, start_pilot, unblind_study
from labeling.study.loading import Verdict, load_material, rule_leak
from labeling.study.models import Deviation, Method, Name, Sheet, Stage, Study
from labeling.study.origins import FrozenPlan, Origin
from labeling.study.planning import balance_of, plan_study, sheet_rows, strata_rows
from labeling.study.presets import FOUR_NAMES
from tests.study.designs import SMALL, draft, material, planned

TEXTS = FOUR_NAMES.write()


def main_sheets(study: Study) -> list[Sheet]:
    return list(study.sheets.filter(stage=Stage.MAIN))


def test_sheets_have_their_methods_and_shared_ones_come_thrice(project: Project) -> None:
    study = planned(project)
    regular = [sheet for sheet in main_sheets(study) if sheet.replaces is None]
    assert [sheet.number for sheet in main_sheets(study)] == [1, 2, 3, 4, 5]
    assert main_sheets(study)[-1].replaces == 1
    uses = Counter(method for sheet in regular for method, _ in sheet.plan)
    assert sorted(uses.values()) == [1] * 6 + [3] * 2
    assert set(uses) == set(Method.objects.filter(in_sample=True).values_list("pk", flat=True))
    for sheet in main_sheets(study):
        for method, names in sheet.plan:
            assert sorted(names) == sorted(Name.objects.filter(method=method).values_list("pk", flat=True))
    rows = sheet_rows(main_sheets(study))
    assert [row["judgements"] for row in rows] == [12] * 5
    assert sum(row["shared"] for row in rows if not row["replaces"]) == 6


def test_origins_stand_in_each_position_equally_often(project: Project) -> None:
    """Also where the letters of their names, and so the order in which these are stored, say something else."""
    study = create_study(project, name="Even", design={**SMALL, "shared": 0, "pilot_sheets": 0}, by=None)
    mixed = material(20)
    for number, piece in enumerate(mixed.pieces):
        origins = list(piece.names)
        piece.names = dict(zip(origins[number % 4 :] + origins[: number % 4], piece.names.values(), strict=True))
    plan_study(load_material(study, mixed, source={}, by=None), by=None)
    (balance,) = balance_of(study, [sheet for sheet in main_sheets(study) if sheet.replaces is None])
    assert (balance.names, balance.methods) == (4, 12)
    assert balance.positions == ((3, 3),) * 4


def test_pilots_get_methods_outside_the_sample_while_there_are_enough(project: Project) -> None:
    study = planned(project)
    pilots = {method for sheet in study.sheets.filter(stage=Stage.PILOT) for method, _ in sheet.plan}
    assert len(pilots) == 2
    assert not pilots & set(Method.objects.filter(in_sample=True).values_list("pk", flat=True))
    small = planned(project, count=9)
    assert small.sheets.filter(stage=Stage.PILOT).count() == 2


def test_same_seed_makes_the_same_plan_and_another_another(project: Project) -> None:
    def described(study: Study) -> list[Any]:
        return freezing.describe_sheets(study)

    first, second = planned(project), planned(project)
    assert described(first) == described(second)
    again = described(first)
    assert described(plan_study(first, by=None)) == again
    Study.objects.filter(pk=second.pk).update(seed=8)
    assert described(plan_study(second, by=None)) != again


def test_sheets_do_not_follow_from_letters(project: Project) -> None:
    """Or whoever makes the plan again, from the seed, reads the letters off the preview of a sheet."""
    study = planned(project)
    before = freezing.describe_sheets(study)
    for letter, other in zip("ABCD", "ZYXW", strict=True):
        Origin.objects.filter(study=study, letter=letter).update(letter=other)
    assert freezing.describe_sheets(plan_study(study, by=None)) == before


def test_sample_takes_its_share_of_each_group(project: Project) -> None:
    study = planned(project)
    groups = Counter(Method.objects.filter(in_sample=True).values_list("group", flat=True))
    assert groups == {"repo0": 4, "repo1": 4}
    assert [(row.name, row.size, row.taken) for row in strata_rows(study, read_design(study.design))] == [
        ("repo0", 6, 4), ("repo1", 6, 4),
    ]  # fmt: skip


def test_missing_names_need_the_designs_say_so(project: Project) -> None:
    study = create_study(project, name="Gaps", design={**SMALL, "pilot_sheets": 0}, by=None)
    gaps = material()
    del gaps.pieces[0].names["gtnm"]
    gaps.pieces[1].names.clear()
    load_material(study, gaps, source={}, by=None)
    with pytest.raises(Refusal, match="2 of 12 methods lack the name of an origin, the first is “m000”"):
        plan_study(study, by=None)
    change_design(study, design={"allow_missing": True}, by=None)
    plan_study(study, by=None)
    assert not Method.objects.filter(key="m001", in_sample=True).exists()


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({"sheets": 0}, "sheets: must be between 1 and 2,000, not 0"),
        ({"sheets": "ten"}, "sheets: must be a whole number"),
        ({"shared": 5, "shared_by": 9}, "shared_by: is 9, but there are only 4 sheets"),
        ({"shared": 99}, "shared: 99 methods judged by 3 participants each do not fit on 12 places"),
        ({"alpha": 1}, "alpha: must lie between 0 and 1"),
        ({"analyses": ["gee"]}, "analyses: must contain sign_flip"),
        ({"analyses": ["sign_flip", "sign_flip"]}, "analyses: names one of them twice"),
        ({"excluded": ["lazy"]}, r"excluded\[0\]: must be one of speeder"),
        ({"colour": "red"}, "colour: is not a field"),
        ({"hypotheses": "x" * 5001}, "hypotheses: has 5,001 characters"),
    ],
)
def test_design_that_makes_no_sense_names_its_field(project: Project, design: dict[str, Any], said: str) -> None:
    study = draft(project)
    before = study.design
    with pytest.raises(Invalid, match=said):
        change_design(study, design=design, by=None)
    study.refresh_from_db()
    assert study.design == before


def test_design_that_needs_more_methods_than_there_are_is_refused_by_the_plan(project: Project) -> None:
    study = draft(project, sheets=10)
    with pytest.raises(Invalid, match="10 sheets of 3 methods, 2 of them shared, need 26 methods; 12 can be drawn"):
        plan_study(study, by=None)


def test_new_layout_drops_the_plan_and_other_fields_keep_it(project: Project) -> None:
    study = planned(project)
    change_design(study, design={"timeout_hours": 5, "hypotheses": "Fixed wins."}, by=None)
    assert study.sheets.count() == 7
    change_design(study, design={"shared": 1}, by=None)
    assert study.sheets.count() == 0


def test_study_needs_a_name_of_its_own(project: Project) -> None:
    study = draft(project)
    for name, said in ((" ", "name: must have 1"), ("x" * 121, "name: must"), (study.name, "there is a study")):
        with pytest.raises(Invalid, match=said):
            create_study(project, name=name, by=None)
    with pytest.raises(Invalid, match="preset: must be one of four_names"):
        create_study(project, name="Other", preset="none", by=None)
    with pytest.raises(Invalid, match="seed: must be between"):
        create_study(project, name="Other", seed=-1, by=None)
    change_design(study, design={}, name=study.name, by=None)


def test_frozen_study_changes_nothing_any_more(project: Project, alice: User) -> None:
    study = freeze_study(planned(project), by=alice)
    plan = FrozenPlan.objects.get().content
    acts: list[Callable[[], object]] = [
        lambda: change_design(study, design={"timeout_hours": 4}, by=None),
        lambda: load_material(study, material(), source={}, by=None),
        lambda: rule_leak(study, Verdict("comment", "mask"), by=None),
        lambda: plan_study(study, by=None),
        lambda: freeze_study(study, by=None),
        lambda: start_pilot(study, by=None),
    ]
    for act in acts:
        with pytest.raises(Refusal, match="is frozen since"):
            act()
    assert changed_parts(study) == []
    assert freezing.digest_of(FrozenPlan.objects.get().content) == study.digest == freezing.digest_of(plan)
    assert {**freezing.describe_plan(study), "salt": plan["salt"]} == plan


def test_digest_does_not_let_letters_be_tried(project: Project) -> None:
    """A coordinator can put together all that is frozen but for the letters, and these have 24 orders."""
    study = freeze_study(planned(project), by=None)
    plan = freezing.describe_plan(study)
    for letters in permutations("ABCD"):
        given = [{**origin, "letter": letter} for origin, letter in zip(plan["origins"], letters, strict=True)]
        assert freezing.digest_of({**plan, "origins": given}) != study.digest


def test_digest_covers_material_texts_seeds_plan_exclusions_and_analyses(project: Project) -> None:
    study = freeze_study(planned(project), by=None)
    changes: dict[str, Callable[[], object]] = {
        "methods": lambda: Method.objects.filter(key="m003").update(shown="changed"),
        "sheets": lambda: Sheet.objects.filter(number=1).update(plan=[]),
        "texts": lambda: study.texts.update(content={"title": "x"}),
        "seed": lambda: Study.objects.update(seed=99),
        "exclusion_rules": lambda: Study.objects.update(design={**study.design, "excluded": ["speeder"]}),
        "analyses": lambda: Study.objects.update(design={**study.design, "analyses": ["sign_flip"]}),
    }
    found: list[str] = []
    for part, change in changes.items():
        change()
        found = changed_parts(Study.objects.get())
        assert part in found
    FrozenPlan.objects.update(content={})
    assert changed_parts(Study.objects.get()) == ["the frozen plan itself"]


def test_texts_of_a_frozen_study_change_only_as_a_deviation(project: Project, alice: User) -> None:
    study = planned(project)
    assert change_texts(study, content=TEXTS, by=alice).version == 2
    freeze_study(study, by=alice)
    with pytest.raises(Invalid, match="why: the texts are frozen"):
        change_texts(study, content=TEXTS, by=alice)
    assert change_texts(study, content={**TEXTS, "title": "New"}, why="A typo.", by=alice).version == 3
    assert [str(one) for one in Deviation.objects.all()] == ["Texts, version 3: A typo."]
    assert changed_parts(Study.objects.get()) == []
    with pytest.raises(Invalid, match="consent: is empty"):
        change_texts(study, content={**TEXTS, "consent": " "}, why="x", by=alice)
    with pytest.raises(Invalid, match="what: say"):
        deviate(study, " ", by=alice)


def test_states_only_go_forward_and_each_act_is_logged(project: Project, alice: User) -> None:
    study = planned(project)
    refused: list[Callable[..., Study]] = [open_study, close_study, unblind_study]
    for act in refused:
        with pytest.raises(Refusal):
            act(study, by=alice)
    for act, state in (
        (start_pilot, "piloting"), (freeze_study, "frozen"), (open_study, "open"), (close_study, "closed"),
        (unblind_study, "unblinded"),
    ):  # fmt: skip
        study = act(study, by=alice)
        assert study.state == state
        with pytest.raises(Refusal):
            act(study, by=alice)
    verbs = list(
        Activity.objects.filter(actor=alice, details__study=study.pk).order_by("pk").values_list("verb", flat=True)
    )
    assert verbs == ["started the pilot of", "froze", "opened", "closed", "unblinded"]
    with pytest.raises(Refusal, match="is closed: nobody"):
        change_texts(study, content=TEXTS, why="x", by=alice)


def test_pilot_keeps_its_material_and_sheets_while_the_main_plan_changes(project: Project) -> None:
    study = start_pilot(planned(project), by=None)
    pilots = list(study.sheets.filter(stage=Stage.PILOT).values_list("pk", flat=True))
    with pytest.raises(Refusal, match="pilot of Study 1 has begun"):
        load_material(study, material(), source={}, by=None)
    change_design(study, design={"shared": 1, "shared_by": 2, "methods_per_sheet": 2}, by=None)
    plan_study(study, by=None)
    assert list(study.sheets.filter(stage=Stage.PILOT).values_list("pk", flat=True)) == pilots
    assert freeze_study(study, by=None).is_frozen


def test_pilot_needs_sheets(project: Project) -> None:
    with pytest.raises(Refusal, match="no pilot sheets"):
        start_pilot(planned(project, pilot_sheets=0), by=None)


def test_freeze_needs_material_and_a_plan(project: Project) -> None:
    with pytest.raises(Refusal, match="has no material yet"):
        freeze_study(create_study(project, name="Empty", by=None), by=None)
    with pytest.raises(Refusal, match="has no plan of sheets yet"):
        freeze_study(draft(project), by=None)
