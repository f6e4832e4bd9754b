"""What must hold for any ratings."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labeling.agreement.statistics.measuring import measure
from labeling.agreement.statistics.patterns import collapse, without_rater
from labeling.agreement.statistics.ratings import RatedTwiceError, Ratings
from labeling.agreement.statistics.scales import Level
from tests.agreement.samples import WITHOUT_INTERVALS, Table, ratings_of, scale_of, values_of

LEVELS = (Level.NOMINAL, Level.ORDINAL, Level.INTERVAL, Level.RATIO)
CHANCE_CORRECTED = ("krippendorff_alpha", "fleiss_kappa", "conger_kappa", "gwet_ac", "brennan_prediger")
SIZE = 4


@st.composite
def tables(draw: st.DrawFn) -> list[list[int | None]]:
    raters = draw(st.integers(2, 4))
    cell = st.one_of(st.none(), st.integers(1, SIZE))
    return draw(st.lists(st.lists(cell, min_size=raters, max_size=raters), min_size=1, max_size=12))


def same(left: dict[str, float | None], right: dict[str, float | None]) -> bool:
    return left.keys() == right.keys() and all(
        (left[name] is None) == (right[name] is None)
        and math.isclose(left[name] or 0, right[name] or 0, rel_tol=0, abs_tol=1e-9)
        for name in left
    )


@given(tables(), st.randoms(use_true_random=False), st.sampled_from(LEVELS))
def test_order_of_items_and_raters_changes_nothing(table: Table, random: object, level: Level) -> None:
    shuffle: Callable[[list[int]], None] = random.shuffle  # type: ignore[attr-defined]
    items, raters = list(range(len(table))), list(range(len(table[0])))
    shuffle(items)
    shuffle(raters)
    moved = [[table[i][j] for j in raters] for i in items]
    assert same(values_of(table, level=level, size=SIZE), values_of(moved, level=level, size=SIZE))


@given(tables(), st.sampled_from(list(permutations(range(1, SIZE + 1)))))
def test_names_of_nominal_categories_change_nothing(table: Table, names: tuple[int, ...]) -> None:
    renamed = [[None if cell is None else names[cell - 1] for cell in row] for row in table]
    assert same(values_of(table, size=SIZE), values_of(renamed, size=SIZE))


@given(tables())
def test_turning_an_ordered_scale_around_changes_nothing(table: Table) -> None:
    turned = [[None if cell is None else SIZE + 1 - cell for cell in row] for row in table]
    for level in (Level.ORDINAL, Level.INTERVAL):
        assert same(values_of(table, level=level, size=SIZE), values_of(turned, level=level, size=SIZE))


@given(st.lists(st.integers(1, SIZE), min_size=2, max_size=10).filter(lambda values: len(set(values)) > 1))
def test_perfect_agreement_is_one(truth: list[int]) -> None:
    table = [[value] * 3 for value in truth]
    for level in LEVELS:
        found = values_of(table, level=level, size=SIZE)
        for name in (*CHANCE_CORRECTED, "unanimous", "pairwise_agreement"):
            assert found[name] == pytest.approx(1, abs=1e-12)


@given(tables(), st.sampled_from(LEVELS))
def test_values_are_numbers_within_bounds_or_none_with_a_reason(table: Table, level: Level) -> None:
    found = measure(ratings_of(table, scale_of(level, SIZE)), how=WITHOUT_INTERVALS)
    assert found.items == found.items_used + found.items_left_out == len(table)
    for name, coefficient in found.coefficients.items():
        if coefficient.value is None:
            assert coefficient.reason
        else:
            low = 0 if "agreement" in name or name == "unanimous" else -math.inf
            assert low <= coefficient.value <= 1 + 1e-12
    if not found.items_used:
        assert all(coefficient.value is None for coefficient in found.coefficients.values())


@given(tables())
def test_collapsed_patterns_say_what_the_long_way_says(table: Table) -> None:
    """Nominal coefficients item by item in plain Python, from their definitions."""
    found = values_of(table, size=SIZE)
    rows = [[cell for cell in row if cell is not None] for row in table]
    paired = [row for row in rows if len(row) > 1]
    if not paired:
        return
    shares = [[row.count(k) / len(row) for k in range(1, SIZE + 1)] for row in rows if row]
    pi = [sum(column) / len(shares) for column in zip(*shares, strict=True)]
    agreed = sum(sum(row.count(c) - 1 for c in row) / (len(row) * (len(row) - 1)) for row in paired) / len(paired)
    assert found["pairwise_agreement"] == pytest.approx(agreed)
    chance = sum(p * p for p in pi)
    assert found["fleiss_kappa"] == (None if chance > 1 - 1e-12 else pytest.approx((agreed - chance) / (1 - chance)))
    chance = sum(p * (1 - p) for p in pi) / (SIZE - 1)
    assert found["gwet_ac"] == pytest.approx((agreed - chance) / (1 - chance))
    values = [cell for row in paired for cell in row]
    expected = sum(a != b for i, a in enumerate(values) for j, b in enumerate(values) if i != j)
    observed = sum(sum(a != b for a in row for b in row) / (len(row) - 1) for row in paired)
    alpha = None if not expected else pytest.approx(1 - observed * (len(values) - 1) / expected)
    assert found["krippendorff_alpha"] == alpha


@given(tables(), st.integers(0, 3))
def test_patterns_without_a_rater_are_those_of_the_others_alone(table: Table, rater: int) -> None:
    ratings = ratings_of(table, scale_of(Level.NOMINAL, SIZE))
    rest = without_rater(collapse(ratings).identified, rater, SIZE)
    again = collapse(ratings.where(ratings.rater != rater))
    for ours, theirs in ((rest.identified, again.identified), (rest.anonymous, again.anonymous)):
        assert [block.values.tolist() for block in ours.blocks] == [block.values.tolist() for block in theirs.blocks]
        assert ours.counts.tolist() == theirs.counts.tolist()


@given(tables(), st.randoms(use_true_random=False))
def test_groups_of_patterns_add_up_to_the_patterns(table: Table, random: object) -> None:
    groups = [random.randrange(3) for _ in table]  # type: ignore[attr-defined]
    patterns = collapse(ratings_of(table, scale_of(Level.NOMINAL, SIZE), group=groups)).anonymous
    cells = patterns.cells
    assert cells is not None
    assert np.bincount(cells.pattern, cells.count, len(patterns)).tolist() == patterns.counts.tolist()


@given(tables().filter(lambda table: any(cell is not None for row in table for cell in row)), st.data())
def test_rating_twice_is_found_wherever_it_stands(table: Table, data: st.DataObject) -> None:
    ratings = ratings_of(table, scale_of(Level.NOMINAL, SIZE))
    again = data.draw(st.integers(0, len(ratings) - 1))
    place = data.draw(st.integers(0, len(ratings)))
    item, rater, value = (
        np.insert(column, place, column[again]) for column in (ratings.item, ratings.rater, ratings.value)
    )
    doubled = Ratings(item, rater, value, ratings.scale, ratings.raters, ratings.items)
    with pytest.raises(RatedTwiceError) as caught:
        measure(doubled, how=WITHOUT_INTERVALS)
    assert (caught.value.first, caught.value.second) == tuple(sorted((place, again + (again >= place))))


@pytest.mark.parametrize("spread", [1, 1000])
def test_ratings_come_into_order_whether_dense_or_sparse(spread: int) -> None:
    """A table of items by raters where most of it is filled, sorting where most of it is empty."""
    table = ratings_of([[1, 2, 3], [None, 4, 1], [2, None, None], [3, 3, 3]], scale_of(Level.NOMINAL, SIZE))
    order = np.random.default_rng(1).permutation(len(table))
    mixed = Ratings(
        table.item[order] * spread, table.rater[order], table.value[order], table.scale, table.raters, 4 * spread
    ).in_order()
    assert (mixed.item // spread).tolist() == table.item.tolist()
    assert (mixed.rater.tolist(), mixed.value.tolist()) == (table.rater.tolist(), table.value.tolist())
