"""Slices, influence, repeats, costs and confusion: what stands behind the figures."""

from __future__ import annotations

import numpy as np
import pytest

from labeling.agreement.statistics.comparing import measure_influence, measure_slices
from labeling.agreement.statistics.costing import item_costs, items_left_out
from labeling.agreement.statistics.measuring import measure
from labeling.agreement.statistics.ratings import Ratings
from labeling.agreement.statistics.repeating import measure_consistency
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.scales import Distance, Level, nominal_scale, set_scale
from tests.agreement.samples import (
    FOUR_BY_TWELVE,
    WITHOUT_INTERVALS,
    agreement_of,
    random_table,
    ratings_of,
    scale_of,
)

TABLE = random_table(21, items=50, raters=4, size=3)
RATINGS = ratings_of(TABLE, scale_of(Level.NOMINAL, 3))


def test_slice_is_what_its_ratings_say_alone() -> None:
    early, late = measure_slices(
        RATINGS, (RATINGS.item >= 20).astype(np.int64), ["early", "late"], how=WITHOUT_INTERVALS
    )
    alone = agreement_of(TABLE[:20], size=3)
    assert (early.name, late.name) == ("early", "late")
    assert early.agreement.coefficients == alone.coefficients
    assert early.agreement.items + late.agreement.items == sum(any(row) for row in TABLE)


def test_slices_keep_the_groups_of_their_items() -> None:
    grouped = ratings_of(TABLE, scale_of(Level.NOMINAL, 3), group=[item // 5 for item in range(50)])
    how = Resampling(resamples=50, seed=1, clustered=True)
    (late,) = measure_slices(grouped, (grouped.item >= 20).astype(np.int64) - 1, ["late"], how=how)
    assert late.agreement.groups == 6


@pytest.mark.parametrize("level", [Level.NOMINAL, Level.ORDINAL])
def test_influence_of_a_rater_is_the_difference_without_them(level: Level) -> None:
    ratings = ratings_of(TABLE, scale_of(level, 3))
    whole = measure(ratings, how=WITHOUT_INTERVALS)
    for rater, influence in enumerate(measure_influence(ratings, how=WITHOUT_INTERVALS)):
        without = measure(ratings.where(ratings.rater != rater), how=WITHOUT_INTERVALS, with_pairs=False)
        assert influence.rater == f"R{rater + 1}"
        assert influence.without == without
        for name in ("krippendorff_alpha", "conger_kappa", "unanimous"):
            after, before = without[name].value, whole[name].value
            assert influence.change[name] == pytest.approx((after or 0) - (before or 0))


def test_scotts_pi_needs_no_list_of_pairs() -> None:
    ratings = ratings_of([[1, 1], [2, 2], [1, 2]], scale_of(Level.NOMINAL, 2))
    without, with_list = (measure(ratings, how=WITHOUT_INTERVALS, with_pairs=listed) for listed in (False, True))
    assert without["scott_pi"] == with_list["scott_pi"]
    assert (without["scott_pi"].value is None, without.pairs, len(with_list.pairs)) == (False, [], 1)


def test_influence_is_unknown_where_nothing_is_left() -> None:
    (first, _) = measure_influence(ratings_of([[1, 1], [1, 2]], scale_of(Level.NOMINAL, 2)), how=WITHOUT_INTERVALS)
    assert first.change["krippendorff_alpha"] is None


def test_repeats_show_who_agrees_with_themselves() -> None:
    rater = np.array([0, 0, 0, 0, 1, 1])
    first, second = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 1, 1, 1, 1, 0])
    everybody, ann, bob = measure_consistency(
        rater, (first, second), raters=("Ann", "Bob"), scale=nominal_scale("xy"), how=Resampling(resamples=20, seed=1)
    )
    assert (everybody.repeats, ann.rater, ann.repeats) == (6, "Ann", 4)
    assert everybody.coefficients["agreement"].value == pytest.approx(0.5)
    assert ann.coefficients["agreement"].value == pytest.approx(0.75)
    assert ann.coefficients["agreement"].interval == "Wilson"
    assert ann.coefficients["cohen_kappa"].value == pytest.approx(0.5)
    assert bob.coefficients["cohen_kappa"].value == pytest.approx(-1)


def test_no_repeats_are_no_consistency() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert measure_consistency(nothing, (nothing, nothing), raters=(), scale=nominal_scale("x"), how=Resampling()) == []


@pytest.mark.parametrize("level", [Level.NOMINAL, Level.ORDINAL, Level.INTERVAL, Level.RATIO])
def test_costs_of_the_items_add_up_to_what_alpha_lacks(level: Level) -> None:
    ratings = ratings_of(FOUR_BY_TWELVE, scale_of(level, 5))
    costs = item_costs(ratings)
    alpha = measure(ratings, how=WITHOUT_INTERVALS)["krippendorff_alpha"].value
    assert costs.cost.sum() == pytest.approx(1 - (alpha or 0))
    assert costs.item[0] == 5  # rated 1, 2, 3 and 4
    assert sorted(costs.item.tolist()) == [1, 5, 7]
    assert np.all(np.diff(costs.cost) <= 0)


def test_costs_are_none_where_alpha_is_undefined() -> None:
    assert len(item_costs(ratings_of([[1, 1], [1, 1]], scale_of(Level.NOMINAL, 2))).item) == 0


def test_items_left_out_are_listed_by_reason() -> None:
    left_out = items_left_out(ratings_of([[1, 1], [1, None], [None, None]], scale_of(Level.NOMINAL, 2)))
    assert {reason: items.tolist() for reason, items in left_out.items()} == {"one rating only": [1], "no rating": [2]}


def test_specific_agreement_is_what_a_second_rater_would_say() -> None:
    """20 both yes, 15 apart, 15 both no: 40 of 55 and 30 of 45."""
    found = agreement_of([[1, 1]] * 20 + [[1, 2]] * 15 + [[2, 2]] * 15, size=2)
    assert [category.specific_agreement.value for category in found.categories] == pytest.approx([40 / 55, 30 / 45])


def test_category_that_nobody_gave_has_no_specific_agreement() -> None:
    unused = agreement_of([[1, 1], [2, 2], [1, 2]], size=3).categories[2]
    assert (unused.ratings, unused.specific_agreement.value) == (0, None)
    assert unused.specific_agreement.reason == "Nobody gave it on an item with two ratings or more."


def test_options_of_a_set_are_judged_one_by_one() -> None:
    sets = [frozenset("a"), frozenset("ab"), frozenset("b"), frozenset[str]()]
    item, rater = np.divmod(np.arange(8), 2)
    value = np.array([0, 1, 1, 1, 2, 2, 3, 0])
    found = measure(Ratings(item, rater, value, set_scale(sets, Distance.MASI), ("x", "y"), 4), how=WITHOUT_INTERVALS)
    a, b = found.options
    assert (a.label, a.ratings, b.label, b.ratings) == ("a", 5, "b", 5)
    given = agreement_of([[2, 2], [2, 2], [1, 1], [1, 2]], size=2)
    assert a.krippendorff_alpha is not None
    assert a.krippendorff_alpha.value == given["krippendorff_alpha"].value
    assert a.specific_agreement.value == given.categories[1].specific_agreement.value
    assert [category.label for category in found.categories] == ["a", "a|b", "b", "(none)"]
