"""Values that others have printed."""

from __future__ import annotations

import pytest

from labeling.agreement.statistics.explaining import interpret
from labeling.agreement.statistics.results import Coefficient
from labeling.agreement.statistics.scales import Level
from tests.agreement.samples import DIAGNOSES, FOUR_BY_TWELVE, Table, agreement_of, values_of


@pytest.mark.parametrize(
    ("level", "alpha"),
    [(Level.NOMINAL, 0.743), (Level.ORDINAL, 0.815), (Level.INTERVAL, 0.849), (Level.RATIO, 0.797)],
)
def test_krippendorffs_own_data_give_his_values(level: Level, alpha: float) -> None:
    assert values_of(FOUR_BY_TWELVE, level=level)["krippendorff_alpha"] == pytest.approx(alpha, abs=5e-4)


def test_gwets_four_raters_and_twelve_subjects() -> None:
    found = agreement_of(FOUR_BY_TWELVE)
    published = {
        "gwet_ac": (0.77544, 0.14295),
        "fleiss_kappa": (0.76117, 0.15302),
        "krippendorff_alpha": (0.74342, 0.14557),
        "conger_kappa": (0.76282, 0.14917),
        "brennan_prediger": (0.77273, 0.14472),
    }
    for name, (value, error) in published.items():
        assert found[name].value == pytest.approx(value, abs=6e-6)
        assert found.errors[name].error == pytest.approx(error, abs=6e-6)
    assert found.errors["gwet_ac"].low == pytest.approx(0.46081, abs=6e-6)
    assert found.errors["gwet_ac"].high == 1


def test_item_with_one_rating_is_left_out_and_counted() -> None:
    found = agreement_of(FOUR_BY_TWELVE)
    assert (found.items, found.items_used, found.items_left_out) == (12, 11, 1)
    assert found.left_out == {"one rating only": 1}
    assert (found.raters, found.ratings) == (4, 41)
    assert found["unanimous"].value == pytest.approx(8 / 11)


def test_fleiss_psychiatric_diagnoses() -> None:
    table: Table = [[k + 1 for k, times in enumerate(row) for _ in range(times)] for row in DIAGNOSES]
    found = agreement_of(table)
    assert found["fleiss_kappa"].value == pytest.approx(0.430, abs=5e-4)
    assert found["pairwise_agreement"].value == pytest.approx(0.5556, abs=5e-5)
    assert [round(category.share or 0, 3) for category in found.categories] == [0.144, 0.144, 0.167, 0.306, 0.239]


def test_cohen_and_scott_on_a_table_worked_by_hand() -> None:
    """20 both yes, 5 and 10 apart, 15 both no: p_o = .7, p_e = .5 for Cohen and .505 for Scott."""
    table: Table = [[1, 1]] * 20 + [[1, 2]] * 5 + [[2, 1]] * 10 + [[2, 2]] * 15
    found = agreement_of(table, size=2)
    assert found.pairs[0].cohen_kappa.value == pytest.approx(0.4)
    assert found["conger_kappa"].value == pytest.approx(0.4)
    assert found["scott_pi"].value == pytest.approx((0.7 - 0.505) / 0.495)
    assert found["fleiss_kappa"].value == pytest.approx((0.7 - 0.505) / 0.495)


def test_share_of_unanimous_items_as_the_paper_counts_it() -> None:
    table: Table = [[1, 1, 1]] * 945 + [[1, 1, 2]] * 267
    unanimous = agreement_of(table, size=2)["unanimous"]
    assert unanimous.value == pytest.approx(0.7797, abs=5e-5)
    assert unanimous.interval == "Wilson"
    assert (round(unanimous.low or 0, 4), round(unanimous.high or 0, 4)) == (0.7555, 0.8021)


def test_paradox_is_named_with_the_numbers_that_cause_it() -> None:
    """Feinstein & Cicchetti (1990): the same agreement with one category at 90 %."""
    table: Table = [[1, 1]] * 80 + [[1, 2]] * 10 + [[2, 1]] * 5 + [[2, 2]] * 5
    note = agreement_of(table, size=2).notes[0]
    for number in ("0.314", "0.808", "87.5 %", "85.0 %", "78.1 %", "21.9 %"):
        assert number in note


def test_no_paradox_where_categories_are_even() -> None:
    assert agreement_of([[1, 1], [2, 2], [1, 2], [1, 1], [2, 2]], size=2).notes == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("krippendorff_alpha", "0.743 is good for tentative conclusions only by Krippendorff (2004: .667, .800)."),
        ("fleiss_kappa", "0.761 is substantial by Landis & Koch (1977)."),
    ],
)
def test_interpretation_names_whose_it_is(name: str, said: str) -> None:
    assert interpret(name, agreement_of(FOUR_BY_TWELVE)[name]) == said


def test_sentences_have_the_minus_sign_of_the_tables() -> None:
    found = Coefficient(value=-0.0944, low=-0.5, high=0.3)
    assert interpret("krippendorff_alpha", found) == (
        "−0.094 is too low to draw conclusions from by Krippendorff (2004: .667, .800), "
        "also at the lower end of its interval (−0.500)."
    )
