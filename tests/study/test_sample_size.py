"""How many judgements a share needs, as a function and as a command."""

from __future__ import annotations

import math
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, strategies as st
from scipy.stats import norm

from labeling.refusals import Invalid
from labeling.study.design.sizes import design_effect, sample_size


@pytest.mark.parametrize(
    ("population", "confidence", "margin", "needed"),
    [
        (400, 0.95, 0.05, 197),  # the paper's
        # Krejcie & Morgan (1970, table 1); they round to the nearest number where we round up.
        (10, 0.95, 0.05, 10),
        (100, 0.95, 0.05, 80),
        (1_000, 0.95, 0.05, 278),
        (10_000, 0.95, 0.05, 370),
        (1_000_000_000, 0.95, 0.05, 385),
        (1, 0.95, 0.05, 1),
    ],
)
def test_known_sizes(population: int, confidence: float, margin: float, needed: int) -> None:
    assert sample_size(population, confidence=confidence, margin=margin).needed == needed


def test_extreme_confidence_has_a_size() -> None:
    assert sample_size(400, confidence=1e-300, margin=0.05).needed == 1
    assert sample_size(400, confidence=1 - 2**-53, margin=0.05).needed == 378


@given(
    population=st.integers(1, 10**6),
    confidence=st.floats(0.5, 0.999),
    margin=st.floats(0.005, 0.3),
    proportion=st.floats(0.05, 0.95),
)
def test_size_is_the_smallest_that_keeps_the_margin(
    population: int, confidence: float, margin: float, proportion: float
) -> None:
    """The margin of n of N without replacement: z √(p (1 − p) / n · (N − n) / (N − 1))."""
    needed = sample_size(population, confidence=confidence, margin=margin, proportion=proportion).needed
    z = norm.ppf((1 + confidence) / 2)

    def margin_of(size: int) -> float:
        left = (population - size) / max(population - 1, 1)
        return float(z * math.sqrt(proportion * (1 - proportion) / size * left))

    assert 1 <= needed <= population
    assert margin_of(needed) <= margin * (1 + 1e-6)
    assert needed == 1 or margin_of(needed - 1) > margin * (1 - 1e-6)


def test_clustering_multiplies_the_size_and_says_where_it_exceeds_the_population() -> None:
    assert design_effect(20, 0.05) == pytest.approx(1.95)
    assert design_effect(1, 0.7) == 1
    size = sample_size(400, confidence=0.95, margin=0.05, design_effect=design_effect(20, 0.1))
    assert size.needed == math.ceil(2.9 * 196.2066)
    assert size.note.startswith("569 judgements are needed of a population of 400")
    assert sample_size(400, confidence=0.95, margin=0.05).note == ""
    assert size.to_dict()["without_population"] == 385


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"population": 0}, "population must lie between 1 and"),
        ({"confidence": 1.0}, "confidence must lie between 0 and 1; it is 1"),
        ({"population": 10**400}, "population must lie between 1 and"),
        ({"margin": 0.0}, "margin must lie between 0 and 1"),
        ({"margin": 1e-200}, "need more than 1,000,000,000,000,000 judgements"),
        ({"margin": math.nan}, "it is nan"),
        ({"proportion": -0.5}, "proportion must lie"),
        ({"design_effect": 0.0}, "design effect must be a number above 0"),
        ({"design_effect": math.inf}, "design effect must be a number above 0"),
    ],
)
def test_what_cannot_be_computed_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        sample_size(**({"population": 400, "confidence": 0.95, "margin": 0.05} | wrong))


@pytest.mark.parametrize(("cluster_size", "icc"), [(0.5, 0.1), (20, -0.1), (20, 1.1), (math.nan, 0.1), (20, math.nan)])
def test_impossible_clusters_are_refused(cluster_size: float, icc: float) -> None:
    with pytest.raises(Invalid):
        design_effect(cluster_size, icc)


PAPER = ("sample_size", "--population", "400", "--confidence", "0.95", "--margin", "0.05")


def test_command_prints_the_number_alone(capsys: pytest.CaptureFixture[str]) -> None:
    call_command(*PAPER)
    assert capsys.readouterr() == ("197\n", "")


def test_command_knows_clusters(capsys: pytest.CaptureFixture[str]) -> None:
    call_command(*PAPER, "--cluster-size", "20", "--icc", "0.1")
    call_command(*PAPER, "--design-effect", "2.9")
    printed = capsys.readouterr()
    assert printed.out == "569\n569\n"
    assert "several participants" in printed.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--cluster-size", "20"), "--cluster-size and --icc go together."),
        (("--cluster-size", "20", "--icc", "0.1", "--design-effect", "2"), "not both"),
        (("--icc", "3", "--cluster-size", "20"), "intraclass correlation"),
        (("--margin", "5"), "The margin must lie between 0 and 1; it is 5."),
        (("--population", "x"), "invalid int value: 'x'"),
    ],
)
def test_command_says_what_is_wrong(options: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command(*PAPER, *options)
