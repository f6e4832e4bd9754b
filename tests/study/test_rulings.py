"""Leaks of a stored study: found, ruled one by one or by rule, and seen in what participants will read."""

from __future__ import annotations

import pytest

from labeling.corpus.models import Project
from labeling.people.models import Activity
from labeling.refusals import Invalid, Refusal
from labeling.study.editing import create_study
from labeling.study.freezing import freeze_study
from labeling.study.loading import Verdict, load_material, rule_leak
from labeling.study.material import PRESETS, read_material, rows_of_list
from labeling.study.models import Method, Name, Study
from labeling.study.origins import NameOrigin
from labeling.study.planning import plan_study
from labeling.study.ruling import count_unruled, study_leaks
from tests.study.designs import SMALL, item, mask, names, normalise, planned, waive

TELLING = "int take1(int x) {\n    // take1 or fetch1\n    return x > 0 ? take1(x - 1) : other.find1(x);\n}"


@pytest.fixture
def study(project: Project) -> Study:
    """Method 1 says its names; the names of method 2 show who made them."""
    made = create_study(project, name="Leaky", design={**SMALL, "pilot_sheets": 0}, by=None)
    rows = [row for number in range(3, 12) for row in names(number)]
    rows += names(1) + names(2, cognac="read <unk> 2", gtnm="Fetch_2")
    items = [item(number) for number in range(2, 12)]
    found = read_material(rows_of_list([item(1, body=TELLING), *items]), rows_of_list(rows), PRESETS["four_names"])
    return load_material(made, found, source={}, by=None)


def unruled(study: Study) -> dict[str, int]:
    return count_unruled(study_leaks(study))


def body(study: Study) -> str:
    return Method.objects.get(study=study, key="m001").shown


def test_every_leak_is_found_and_the_declared_name_is_gone_from_the_start(study: Study) -> None:
    assert unruled(study) == {
        "own_call": 1, "other_call": 1, "comment": 2, "unknown": 1, "separators": 1, "underscores": 1, "casing": 1,
    }  # fmt: skip
    assert body(study) == TELLING.replace("int take1(int", "int ___(int")


def test_leak_is_masked_one_by_one_and_taken_back(study: Study) -> None:
    mask(study, "comment", method="m001", name="fetch1")
    assert unruled(study)["comment"] == 1
    assert body(study).splitlines()[1] == "    // take1 or ___"
    rule_leak(study, Verdict("comment", "", method="m001", name="fetch1"), by=None)
    assert unruled(study)["comment"] == 2
    assert "fetch1" in body(study)


def test_rule_is_for_all_of_a_kind_and_a_single_ruling_goes_before_it(study: Study) -> None:
    mask(study, "comment")
    waive(study, "comment", method="m001", name="take1")
    assert "comment" not in unruled(study)
    assert body(study).splitlines()[1] == "    // take1 or ___"


def test_normalised_names_that_became_equal_are_one(study: Study) -> None:
    for kind in ("unknown", "casing"):
        normalise(study, kind)
    waive(study, "separators")
    waive(study, "underscores")
    rows = NameOrigin.objects.filter(name__method__key="m002").order_by("origin__key")
    assert list(rows.values_list("origin__key", "given", "name__shown")) == [
        ("buggy", "take2", "take2"), ("cognac", "read <unk> 2", "read2"), ("fixed", "fetch2", "fetch2"),
        ("gtnm", "Fetch_2", "fetch2"),
    ]  # fmt: skip
    assert Name.objects.filter(method__key="m002").count() == 3
    rule_leak(study, Verdict("casing", ""), by=None)
    assert Name.objects.filter(method__key="m002").count() == 4


def test_ruling_that_changes_names_drops_the_plan_and_one_that_masks_keeps_it(study: Study) -> None:
    plan_study(study, by=None)
    sheets = study.sheets.count()
    mask(study, "comment")
    assert study.sheets.count() == sheets == 5
    normalise(study, "casing")
    assert study.sheets.count() == 0


def test_study_with_an_unruled_leak_cannot_be_frozen(study: Study) -> None:
    for kind in ("own_call", "comment"):
        mask(study, kind)
    for kind in ("unknown", "separators", "underscores", "casing"):
        normalise(study, kind)
    plan_study(study, by=None)
    with pytest.raises(Refusal, match=r"1 leaks have no ruling yet \(1 other_call\)"):
        freeze_study(study, by=None)
    waive(study, "other_call", method="m001", name="find1")
    freeze_study(study, by=None)


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Verdict("gossip", "mask"), "kind: must be one of own_call"),
        (Verdict("comment", "normalise"), "act: must be mask or waive for the kind comment"),
        (Verdict("casing", "mask"), "act: must be normalise or waive"),
        (Verdict("comment", "waive"), "reason: say why"),
        (Verdict("comment", "waive", reason="x" * 5001), "reason: must have at most 5,000"),
        (Verdict("comment", "mask", method="m001"), "method: name both"),
        (Verdict("comment", "mask", method="m002", name="take2"), "no leak of the kind comment of “take2”"),
    ],
)
def test_ruling_that_makes_no_sense_is_refused(study: Study, verdict: Verdict, said: str) -> None:
    lines = Activity.objects.count()
    with pytest.raises(Invalid, match=said):
        rule_leak(study, verdict, by=None)
    assert (study.rulings.count(), Activity.objects.count()) == (0, lines)


def test_clean_material_has_no_leaks(project: Project) -> None:
    assert study_leaks(planned(project)) == []
