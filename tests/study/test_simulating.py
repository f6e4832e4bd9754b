"""The simulator: what it counts is right, what it assumes can be changed, and what it costs is bounded."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import cochrans_q

from labeling.agreement.statistics.intervals import wilson_interval
from labeling.refusals import Invalid
from labeling.study.design.sheets import Layout
from labeling.study.design.simulating import Assumptions, Simulation, q_rejects, simulate, wilson_widths

PAPER = Layout(sheets=10, methods_per_sheet=20)
EQUAL = Assumptions({"buggy": 0.5, "fixed": 0.5, "cognac": 0.5, "gtnm": 0.5}, preference_sd=0.5)
APART = Assumptions({"buggy": 0.3, "fixed": 0.8, "cognac": 0.25})


def run(
    assumptions: Assumptions = APART, layout: Layout = PAPER, *, repetitions: int = 200, seed: int = 1
) -> Simulation:
    return simulate(assumptions, layout, repetitions=repetitions, rng=np.random.default_rng(seed))


def test_primary_test_keeps_its_level_where_cochrans_q_does_not() -> None:
    """The issue's own experience with ten participants was .24 for Q."""
    found = run(EQUAL, repetitions=1_500)
    assert 0.01 < found.false_positives.value < 0.06
    assert found.q_false_positives.value > 0.18
    assert found.any_pair.value < 0.06  # no origin is better, so that power is false positives too


def test_q_is_right_where_participants_like_the_same() -> None:
    found = run(replace(EQUAL, preference_sd=0.0), repetitions=1_500)
    assert 0.025 < found.q_false_positives.value < 0.075


def test_large_differences_are_found_and_small_ones_are_not() -> None:
    found = run(repetitions=400)
    power = {(pair.a, pair.b): pair.power.value for pair in found.pairs}
    assert power["buggy", "fixed"] > 0.95
    assert power["buggy", "cognac"] < 0.4
    assert found.any_pair.value >= max(power.values())
    assert found.q_power.value > 0.95


def test_more_participants_make_narrower_intervals_and_more_power() -> None:
    few, many = run(), run(layout=Layout(sheets=40, methods_per_sheet=20))
    assert "all sign flips" in few.test
    assert "1,000 random sign flips" in many.test
    for narrow, wide in zip(many.shares, few.shares, strict=True):
        assert narrow.bootstrap_width < 0.7 * wide.bootstrap_width
        assert narrow.wilson_width == pytest.approx(wide.wilson_width / 2, rel=0.05)
    assert many.pairs[1].power.value > few.pairs[1].power.value


def test_participants_who_differ_widen_the_bootstrap_and_not_wilsons() -> None:
    alike, unlike = run(replace(APART, participant_sd=0.0)), run(replace(APART, participant_sd=1.5))
    assert unlike.shares[0].bootstrap_width > 1.4 * alike.shares[0].bootstrap_width
    assert unlike.shares[0].wilson_width < 1.2 * alike.shares[0].wilson_width


def test_without_spreads_the_rates_come_back() -> None:
    found = run(Assumptions({"a": 0.3, "b": 0.8}, 0, 0, 0, 0))
    assert [share.share for share in found.shares] == pytest.approx([0.3, 0.8], abs=0.01)


def test_names_seen_by_all_are_no_independent_evidence() -> None:
    """Where all participants judge the same few names, those names alone tell origins apart; the plan must show it."""
    equal = replace(EQUAL, preference_sd=0.0, name_sd=1.5)
    apart = run(equal, Layout(10, 10), repetitions=600)
    same = run(equal, Layout(10, 10, shared=10, participants_per_shared=10), repetitions=600)
    assert apart.false_positives.value < 0.06
    assert same.false_positives.value > 0.3


def test_same_seed_gives_the_same_simulation() -> None:
    assert run(repetitions=50) == run(repetitions=50)
    assert run(repetitions=50) != run(repetitions=50, seed=2)
    json.dumps(run(repetitions=50).to_dict(), allow_nan=False)


def test_widths_are_those_of_wilsons_interval() -> None:
    for count in (0, 3, 60, 119, 120):
        interval = wilson_interval(count, 120, 0.95)
        assert interval.low is not None
        assert interval.high is not None
        assert wilson_widths(np.array([count / 120]), 120)[0] == pytest.approx(interval.high - interval.low, abs=1e-12)


def test_q_is_what_statsmodels_says() -> None:
    answers = np.random.default_rng(3).random((40, 3, 5, 4)) < np.array([0.5, 0.5, 0.5, 0.75])
    answers[0] = True  # all the same: no test, no rejection
    theirs = [float(cochrans_q(one.reshape(-1, 4).astype(float)).pvalue) <= 0.05 for one in answers[1:]]
    assert q_rejects(answers, 0.05).tolist() == [False, *theirs]
    assert 0 < sum(theirs) < 39


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"assumptions": Assumptions({"a": 0.5})}, "two origins or more"),
        ({"assumptions": Assumptions({"a": 0.5, "b": 1.0})}, "rate of yes for b must lie between 0 and 1; it is 1"),
        ({"assumptions": Assumptions({"a": 0.5, "b": 0.5}, name_sd=-1)}, "name_sd must lie between 0 and 10"),
        ({"layout": Layout(1, 20)}, "two participants or more"),
        (
            {"layout": Layout(3, 2, 5, 2)},
            "5 methods judged by 2 participants each need 10 places; 3 sheets of 2 have 6",
        ),
        ({"repetitions": 0}, "can be repeated 1 to 20,000 times; 0 were asked for"),
        ({"repetitions": 10**6}, "can be repeated 1 to 20,000 times"),
        ({"layout": Layout(1000, 100)}, "can be repeated 1 to 83 times; 200 were asked for"),
        ({"alpha": 0.0}, "alpha must lie"),
    ],
)
def test_what_cannot_be_simulated_is_refused(wrong: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {
        "assumptions": APART,
        "layout": PAPER,
        "repetitions": 200,
        "rng": np.random.default_rng(1),
    } | wrong
    with pytest.raises(Invalid, match=said):
        simulate(**given)
