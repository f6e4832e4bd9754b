"""What cannot be said is None with the reason, never a number by accident."""

from __future__ import annotations

import numpy as np
import pytest

from labeling.agreement.statistics import pairing
from labeling.agreement.statistics.measuring import measure
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.scales import Level, number_scale
from tests.agreement.samples import Table, agreement_of, ratings_of

QUICK = Resampling(resamples=50, seed=1)
ALL = ("krippendorff_alpha", "fleiss_kappa", "conger_kappa", "gwet_ac", "brennan_prediger")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[None, None]], "There are no ratings."),
        ([[1, None], [2, None]], "There is only one rater."),
        ([[1, None], [None, 2]], "No item has two ratings or more."),
    ],
)
@pytest.mark.parametrize("level", [Level.NOMINAL, Level.ORDINAL, Level.INTERVAL, Level.RATIO])
def test_nothing_to_compare_has_its_reason(table: Table, reason: str, level: Level) -> None:
    found = agreement_of(table, level=level, size=2, how=QUICK)
    for name in (*ALL, "unanimous", "pairwise_agreement"):
        assert (found[name].value, found[name].low, found[name].reason) == (None, None, reason)


def test_one_category_alone_leaves_chance_corrected_coefficients_undefined() -> None:
    found = agreement_of([[1, 1], [1, 1], [1, None]], size=1, how=QUICK)
    for name in ALL:
        assert found[name].value is None
        assert (
            found[name].reason == "Every rating that counts here is the same, so that agreement by chance is certain."
        )
    assert found["unanimous"].value == 1
    assert found["pairwise_agreement"].value == 1


def test_category_that_nobody_gave_still_counts_for_those_who_count_categories() -> None:
    found = agreement_of([[1, 1], [1, 1]], size=2)
    assert found["fleiss_kappa"].value is None
    assert found["gwet_ac"].value == 1
    assert found["brennan_prediger"].value == 1


def test_pair_without_common_items_says_so() -> None:
    found = agreement_of([[1, 1, None], [2, None, 2], [1, 1, None]], size=2)
    apart = {(pair.a, pair.b): pair.cohen_kappa.reason for pair in found.pairs if not pair.items}
    assert apart == {("R2", "R3"): "No item was rated by both."}
    assert found.pairs_without_common_items == 1


def test_pair_that_used_one_value_says_so() -> None:
    found = agreement_of([[1, 1, 2], [1, 1, 1]], size=2)
    assert found.pairs[0].cohen_kappa.value is None
    assert "only one and the same value" in (found.pairs[0].cohen_kappa.reason or "")


def test_missing_item_of_one_rater_does_not_undo_the_pair() -> None:
    whole = agreement_of([[1, 1], [2, 2], [1, 2]], size=2).pairs[0]
    gap = agreement_of([[1, 1], [2, 2], [1, 2], [1, None]], size=2).pairs[0]
    assert (gap.items, gap.cohen_kappa.value) == (3, whole.cohen_kappa.value)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_interval_without_spread_is_none_with_a_reason(method: str) -> None:
    how = Resampling(resamples=50, seed=1, method="bca" if method == "bca" else "percentile")
    found = agreement_of([[1, 1], [2, 2], [1, 1], [2, 2]], size=2, how=how)
    assert (found["brennan_prediger"].value, found["brennan_prediger"].low) == (1, None)
    assert "every resample gives the same value" in (found["brennan_prediger"].reason or "")
    assert found["unanimous"].low == pytest.approx(0.5101, abs=1e-4)


def test_interval_is_none_where_many_resamples_are_undefined() -> None:
    found = agreement_of([[1, 1], [1, 1], [2, 2], [1, 2]], size=2, how=Resampling(resamples=400, seed=1))
    assert found["fleiss_kappa"].value is not None
    assert found["fleiss_kappa"].low is None
    assert "undefined in" in (found["fleiss_kappa"].reason or "")


def test_crowd_has_too_many_pairs_for_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "MOST_PAIRS_RESAMPLED", 2)
    found = agreement_of([[1, 1, 2], [2, 2, 2], [1, 2, 1], [2, 1, 2]], size=2, how=QUICK)
    for pair in found.pairs:
        assert pair.cohen_kappa.value is not None
        assert pair.cohen_kappa.reason == "No interval: there are 3 pairs, too many to resample."
    assert found["brennan_prediger"].low is not None


def test_crowd_lists_only_pairs_that_have_an_item_in_common(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "MOST_RATERS_LISTED", 2)
    found = agreement_of([[1, 1, None], [2, None, 2]], size=2)
    assert [(pair.a, pair.b) for pair in found.pairs] == [("R1", "R2"), ("R1", "R3")]
    assert found.pairs_without_common_items == 1


def test_one_item_has_a_value_and_no_interval() -> None:
    found = agreement_of([[1, 2, 1]], size=2, how=QUICK)
    assert (found.items, found["pairwise_agreement"].low) == (1, None)
    assert found["pairwise_agreement"].value == pytest.approx(1 / 3)
    assert found.errors == {}


@pytest.mark.parametrize("level", [Level.INTERVAL, Level.RATIO])
def test_very_many_values_leave_out_only_what_needs_a_table_of_all(level: Level) -> None:
    rng = np.random.default_rng(1)
    table = [[2 * i + 1, 2 * i + 1 + int(rng.integers(2))] for i in range(1500)]
    found = measure(ratings_of(table, number_scale(level, range(1, 3001))), how=Resampling(resamples=20, seed=1))
    assert found["gwet_ac"].value is None
    assert "3,000 different values" in (found["gwet_ac"].reason or "")
    assert found["fleiss_kappa"].value == pytest.approx(0.5, abs=0.05)
    assert (found["krippendorff_alpha"].value is None) == (level is Level.RATIO)
    assert found.categories == []
