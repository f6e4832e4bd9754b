"""The primary test and its correction, against what was printed, enumerated, and computed by others."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from labeling.study.statistics.flipping import enumerated, holm, holm_defined, sampled, sign_flip_test

# Darwin's maize: crossed less self-fertilised height in eighths of an inch (Fisher 1935, §17).
DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)


def p_of(differences: list[float]) -> float | None:
    return sign_flip_test(np.array(differences, dtype=float), rng=np.random.default_rng(0)).p


def test_darwins_maize_as_fisher_enumerated_it() -> None:
    """Fisher (1935, §21): 863 of 32,768 assignments reach the sum of 314, and as many its negative."""
    assert p_of(list(DARWIN)) == 2 * 863 / 32_768


def test_three_participants_of_one_mind_give_a_quarter_and_say_that_less_is_impossible() -> None:
    test = sign_flip_test(np.array([0.2, 0.1, 0.4]), rng=np.random.default_rng(0))
    assert (test.p, test.smallest, test.n) == (0.25, 0.25, 3)
    assert test.statistic == pytest.approx(0.7 / 3)
    assert "all 2^3 assignments" in test.method


@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(1, 7)), min_size=2, max_size=8))
def test_same_as_counting_fractions_one_by_one(parts: list[tuple[int, int]]) -> None:
    exact = [Fraction(above, below) for above, below in parts]
    observed = abs(sum(exact, Fraction()))
    signs = list(product((1, -1), repeat=len(exact)))
    extreme = sum(abs(sum((s * d for s, d in zip(row, exact, strict=True)), Fraction())) >= observed for row in signs)
    assert p_of([float(one) for one in exact]) == extreme / len(signs)


def test_same_as_scipys_permutation_test() -> None:
    differences = np.random.default_rng(4).normal(0.3, 1, size=9)
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert p_of(differences.tolist()) == pytest.approx(theirs.pvalue)


def test_zero_differences_change_nothing() -> None:
    assert p_of([3, -1, 2, 4]) == p_of([3, 0, -1, 2, 0, 4])
    assert p_of([0, 0, 0]) == 1


def test_above_twenty_participants_signs_are_drawn_and_it_is_said() -> None:
    differences = np.random.default_rng(5).normal(0.25, 1, size=21)
    test, again = (sign_flip_test(differences, rng=np.random.default_rng(8)) for _ in range(2))
    assert test == again
    assert "100,000 random" in test.method
    assert test.smallest == 1 / 100_001
    exact = float(enumerated(differences[None, :])[0])
    assert test.p == pytest.approx(exact, abs=4 * (exact / 100_000) ** 0.5)


def test_twenty_participants_are_still_enumerated() -> None:
    test = sign_flip_test(np.ones(20), rng=np.random.default_rng(0))
    assert test.p == test.smallest == 2.0**-19


@pytest.mark.parametrize(("differences", "said"), [([], "no participant"), ([0.4], "only one participant")])
def test_too_few_participants_have_no_test_and_a_reason(differences: list[float], said: str) -> None:
    test = sign_flip_test(np.array(differences), rng=np.random.default_rng(0))
    assert test.p is None
    assert said in (test.reason or "")


def test_drawn_signs_never_give_zero() -> None:
    assert sampled(np.ones((1, 40)), rng=np.random.default_rng(0), flips=999)[0] == 1 / 1000


def test_rate_of_false_positives_is_what_it_should_be() -> None:
    """With ten participants the largest p below .05 is 50 / 1024; four standard errors either way."""
    null = np.random.default_rng(11).normal(size=(6_000, 10))
    rate = float(np.mean(enumerated(null) <= 0.05))
    assert abs(rate - 50 / 1024) < 4 * (0.0488 * 0.9512 / 6_000) ** 0.5


def test_holms_correction_worked_by_hand() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm_defined([0.01, None, 0.04]) == [pytest.approx(0.02), None, pytest.approx(0.04)]
    assert holm_defined([None]) == [None]


@settings(max_examples=10)  # theirs takes its time
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holms_correction_is_what_statsmodels_says(p: list[float]) -> None:
    ours = holm(np.array([p, p[::-1]]))
    theirs = multipletests(p, method="holm")[1].tolist()
    assert ours.tolist() == [pytest.approx(theirs), pytest.approx(theirs[::-1])]
