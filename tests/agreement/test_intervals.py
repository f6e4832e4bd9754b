"""Intervals from patterns are those of the items, of the groups, and of anybody who has the seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from labeling.agreement.statistics import resampling
from labeling.agreement.statistics.arrays import Floats
from labeling.agreement.statistics.estimating import RatersKnown, RatersUnknown
from labeling.agreement.statistics.intervals import _accelerated
from labeling.agreement.statistics.measuring import measure
from labeling.agreement.statistics.patterns import collapse
from labeling.agreement.statistics.ratings import Ratings
from labeling.agreement.statistics.resampling import Resampling, resample
from labeling.agreement.statistics.results import Agreement
from labeling.agreement.statistics.scales import Level
from tests.agreement.samples import WITHOUT_INTERVALS, Table, agreement_of, random_table, ratings_of, scale_of

NAMES = ("krippendorff_alpha", "fleiss_kappa", "gwet_ac", "conger_kappa")
TABLE = random_table(11, items=60, raters=3, size=3)
HOW = Resampling(resamples=2000, seed=5)


def replicates_on_patterns(table: Table, level: Level, *, group: list[int] | None = None) -> dict[str, Floats]:
    how = replace(HOW, clustered=group is not None)
    collapsed = collapse(ratings_of(table, scale_of(level, 3), group=group))
    unknown = RatersUnknown(collapsed.anonymous, scale_of(level, 3))
    known = RatersKnown(collapsed.identified, scale_of(level, 3), 3)
    first = resample(unknown, collapsed.anonymous, how, name="a", cost=unknown.cost).replicates
    second = resample(known, collapsed.identified, how, name="b", cost=known.cost).replicates
    return first | second


def replicates_on_items(table: Table, level: Level, draws: list[list[int]]) -> dict[str, Floats]:
    found = [agreement_of([table[item] for item in drawn], level=level, size=3).coefficients for drawn in draws]
    return {name: np.array([one[name].value for one in found], dtype=float) for name in NAMES}


def assert_alike(ours: Floats, naive: Floats) -> None:
    """The same distribution, by Kolmogorov and Smirnov; the seeds are fixed, so that this never flickers."""
    assert stats.ks_2samp(ours, naive).pvalue > 0.01
    assert np.std(ours) == pytest.approx(np.std(naive), rel=0.15)


@pytest.mark.parametrize("level", [Level.NOMINAL, Level.ORDINAL])
def test_bootstrap_on_patterns_is_the_naive_bootstrap_in_distribution(level: Level) -> None:
    rng = np.random.default_rng(17)
    naive = replicates_on_items(TABLE, level, rng.integers(60, size=(400, 60)).tolist())
    ours = replicates_on_patterns(TABLE, level)
    for name in NAMES:
        assert_alike(ours[name], naive[name])


def test_bootstrap_over_groups_draws_whole_groups() -> None:
    rng = np.random.default_rng(18)
    group = sorted(rng.integers(12, size=60).tolist())
    members = [[item for item, own in enumerate(group) if own == code] for code in range(12)]
    draws = [[item for code in drawn for item in members[code]] for drawn in rng.integers(12, size=(400, 12)).tolist()]
    naive = replicates_on_items(TABLE, Level.NOMINAL, draws)
    ours = replicates_on_patterns(TABLE, Level.NOMINAL, group=group)
    for name in NAMES:
        assert_alike(ours[name], naive[name])


def test_long_tail_of_patterns_is_drawn_from_the_same_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    as_items = replicates_on_patterns(TABLE, Level.NOMINAL)
    monkeypatch.setattr(resampling, "_DRAWS_A_BINOMIAL_COSTS", 0)
    as_counts = replicates_on_patterns(TABLE, Level.NOMINAL)
    for name in NAMES:
        assert not np.array_equal(as_items[name], as_counts[name])
        assert_alike(as_items[name], as_counts[name])


def test_bca_is_what_scipy_says() -> None:
    """Mean pairwise agreement is a mean over items, which scipy can bootstrap too."""
    table = random_table(3, items=40, raters=2, size=2, missing=0, faithful=0.9)
    how = Resampling(resamples=20_000, seed=2, method="bca")
    ours = agreement_of(table, size=2, how=how)["pairwise_agreement"]
    agreed = np.array([row[0] == row[1] for row in table], dtype=float)
    theirs = stats.bootstrap(
        (agreed,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.0251)  # one item is 0.025
    percentile = agreement_of(table, size=2, how=replace(how, method="percentile"))["pairwise_agreement"]
    assert (percentile.low, percentile.high) != (ours.low, ours.high)


@pytest.mark.parametrize(("z", "acceleration", "tail"), [(6.9, 1 / 6, 1.0), (-6.9, -1 / 6, 0.0)])
def test_tail_beyond_every_resample_is_the_last_one(z: float, acceleration: float, tail: float) -> None:
    """Only with very many resamples and the most skewed data that there can be."""
    assert _accelerated(0.0, z, acceleration) == tail


def with_groups(how: Resampling, group: list[int], table: Table = TABLE) -> Agreement:
    return measure(ratings_of(table, scale_of(Level.NOMINAL, 3), group=group), how=how)


@pytest.mark.parametrize("clustered", [False, True])
def test_acceleration_of_parts_is_that_of_one_by_one(*, clustered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With very many patterns or groups random parts are left out; both ways estimate the same interval."""
    how = Resampling(resamples=4000, seed=3, method="bca", clustered=clustered)
    table = random_table(4, items=400, raters=3, size=3)
    group = [item // 4 for item in range(400)]
    one_by_one = with_groups(how, group, table)
    monkeypatch.setattr(resampling, "_MOST_LEFT_OUT", 20)
    parts = with_groups(how, group, table)
    for name in NAMES:
        before, after = one_by_one[name], parts[name]
        width = (before.high or 0) - (before.low or 0)
        assert (after.low, after.high) == pytest.approx((before.low, before.high), abs=0.15 * width)


def test_same_seed_gives_the_same_intervals_and_another_seed_others() -> None:
    first, again = agreement_of(TABLE, size=3, how=HOW), agreement_of(TABLE, size=3, how=HOW)
    other = agreement_of(TABLE, size=3, how=replace(HOW, seed=6))
    assert first == again
    assert first["fleiss_kappa"].low != other["fleiss_kappa"].low
    assert first.as_dict()["interval"]["seed"] == 5


def test_global_randomness_is_neither_used_nor_touched() -> None:
    np.random.seed(1)
    before = repr(np.random.get_state())
    first = agreement_of(TABLE, size=3, how=HOW)
    assert repr(np.random.get_state()) == before
    np.random.seed(2)
    assert agreement_of(TABLE, size=3, how=HOW) == first


def test_groups_of_one_item_each_are_the_items() -> None:
    """A bootstrap over 60 groups of one item is one over 60 items; shares lose Wilson's interval, which needs items."""
    grouped = with_groups(replace(HOW, clustered=True), list(range(60)))
    plain = with_groups(HOW, list(range(60)))
    for name in NAMES:
        assert grouped[name].low == pytest.approx(plain[name].low, abs=0.03)
    assert (plain["unanimous"].interval, grouped["unanimous"].interval) == (
        "Wilson",
        "percentile bootstrap over groups, 2,000 resamples",
    )


def test_few_groups_are_said_to_be_few() -> None:
    found = with_groups(replace(HOW, clustered=True), [item % 5 for item in range(60)])
    assert found.notes[-1] == "Only 5 groups: intervals over so few groups tend to be too narrow."


def test_intervals_over_groups_need_groups() -> None:
    with pytest.raises(ValueError, match="need the group of each item"):
        agreement_of(TABLE, size=3, how=replace(HOW, clustered=True))


def test_without_resamples_there_is_no_interval_and_it_says_so() -> None:
    found = agreement_of(TABLE, size=3, how=WITHOUT_INTERVALS)
    assert found["fleiss_kappa"].reason == "No interval was asked for."
    assert found["unanimous"].low is not None


def test_codes_out_of_bounds_are_refused() -> None:
    whole = ratings_of(TABLE, scale_of(Level.NOMINAL, 3))
    with pytest.raises(ValueError, match="must fit"):
        Ratings(whole.item, whole.rater, whole.value + 1, whole.scale, whole.raters, whole.items)
