"""Other implementations, which must say the same."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from nltk.metrics.distance import jaccard_distance, masi_distance
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa
from statsmodels.stats.proportion import proportion_confint

from labeling.agreement.statistics.intervals import student_quantile, wilson_interval
from labeling.agreement.statistics.measuring import measure
from labeling.agreement.statistics.ratings import Ratings
from labeling.agreement.statistics.scales import Distance, Level, set_distances, set_scale
from tests.agreement.samples import WITHOUT_INTERVALS, agreement_of, random_table, values_of

SEEDS = range(8)
IRRCAC: list[dict[str, Any]] = json.loads(Path(__file__).with_name("irrcac.json").read_text())
WEIGHTS_OF = {
    "identity": Level.NOMINAL,
    "ordinal": Level.ORDINAL,
    "quadratic": Level.INTERVAL,
    "ratio": Level.RATIO,
}


@pytest.mark.parametrize("level", [Level.NOMINAL, Level.ORDINAL, Level.INTERVAL, Level.RATIO])
@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_is_what_krippendorff_says(seed: int, level: Level) -> None:
    table = random_table(seed, items=40, raters=2 + seed % 5, size=2 + seed % 4, missing=0.3)
    matrix = np.array([[np.nan if cell is None else cell for cell in row] for row in table], dtype=float).T
    ask: Any = krippendorff.alpha
    theirs = ask(reliability_data=matrix, level_of_measurement=level.value)
    assert values_of(table, level=level)["krippendorff_alpha"] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS_OF)
@pytest.mark.parametrize("case", range(len(IRRCAC)))
def test_coefficients_and_standard_errors_are_what_irrcac_says(case: int, weights: str) -> None:
    asked = IRRCAC[case]
    found = agreement_of(asked["table"], level=WEIGHTS_OF[weights], size=asked["size"])
    for name in ("krippendorff_alpha", "fleiss_kappa", "gwet_ac", "brennan_prediger", "conger_kappa"):
        value, error, low = asked["answers"][f"{weights}.{name}"]
        if name == "krippendorff_alpha" and weights == "ordinal":
            continue  # irrCAC has the weights of Gwet there and not the distance of Krippendorff
        ours = name if weights == "identity" or name in {"krippendorff_alpha", "gwet_ac"} else f"{name}_weighted"
        assert found[ours].value == pytest.approx(value, abs=1e-9)
        assert found.errors[ours].error == pytest.approx(error, abs=1e-9)
        assert found.errors[ours].low == pytest.approx(low, abs=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_fleiss_without_gaps_is_what_statsmodels_says(seed: int) -> None:
    table = random_table(seed, items=50, raters=3 + seed % 4, size=4, missing=0)
    counted, _ = aggregate_raters(np.array(table))
    assert values_of(table)["fleiss_kappa"] == pytest.approx(fleiss_kappa(counted), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_cohen_of_each_pair_is_what_scikit_learn_says(seed: int) -> None:
    table = random_table(seed, items=60, raters=4, size=4)
    found = agreement_of(table, level=Level.ORDINAL, size=4)
    for pair, (a, b) in zip(found.pairs, combinations(range(4), 2), strict=True):
        both = [(row[a], row[b]) for row in table if row[a] is not None and row[b] is not None]
        first, second = zip(*both, strict=True)
        assert pair.items == len(both)
        for name, weights in (("", None), ("_linear", "linear"), ("_quadratic", "quadratic")):
            theirs = cohen_kappa_score(first, second, weights=weights, labels=[1, 2, 3, 4])
            assert pair.coefficients[f"cohen_kappa{name}"].value == pytest.approx(theirs, abs=1e-12)


def test_cohen_of_two_raters_is_what_statsmodels_says() -> None:
    table = random_table(3, items=80, raters=2, size=3, missing=0)
    counts = np.zeros((3, 3))
    for first, second in table:
        counts[(first or 1) - 1, (second or 1) - 1] += 1
    assert agreement_of(table, size=3).pairs[0].cohen_kappa.value == pytest.approx(
        cohens_kappa(counts, return_results=False), abs=1e-12
    )


def random_sets(seed: int, count: int) -> list[frozenset[str]]:
    rng = np.random.default_rng(seed)
    return [frozenset(option for option in "abcd" if rng.random() < 0.5) for _ in range(count)]


@pytest.mark.parametrize("distance", Distance)
def test_distances_of_sets_are_what_nltk_says(distance: Distance) -> None:
    theirs = {Distance.MASI: masi_distance, Distance.JACCARD: jaccard_distance}[distance]
    sets = [one for one in random_sets(1, 40) if one]
    ours = set_distances(sets, distance)
    for i, a in enumerate(sets):
        for j, b in enumerate(sets):
            # nltk rounds MASI's thirds to two digits
            assert ours[i, j] == pytest.approx(theirs(a, b), abs=5e-3 if distance is Distance.MASI else 1e-12)


@pytest.mark.parametrize("distance", Distance)
def test_alpha_of_sets_is_the_definition_written_out(distance: Distance) -> None:
    """Every pair of values of an item against every pair of values at all, one by one."""
    sets = sorted(set(random_sets(2, 30)), key=sorted)
    table = [[int(v) for v in row] for row in np.random.default_rng(5).integers(len(sets), size=(25, 3))]
    item, rater = np.divmod(np.arange(75), 3)
    scale = set_scale(sets, distance)
    value = np.array(table).ravel()
    found = measure(Ratings(item, rater, value, scale, ("a", "b", "c"), 25), how=WITHOUT_INTERVALS)
    delta = set_distances(sets, distance)
    observed = sum(delta[x, y] for row in table for x, y in combinations(row, 2)) * 2 / 2 / 75
    expected = sum(delta[x, y] for x, y in combinations(value, 2)) * 2 / (75 * 74)
    assert found["krippendorff_alpha"].value == pytest.approx(1 - observed / expected, abs=1e-12)


@pytest.mark.parametrize("degrees", [1, 2, 5, 11, 30, 899, 100_000, 10_000_000])
@pytest.mark.parametrize("probability", [0.9, 0.975, 0.995])
def test_students_quantile_is_what_scipy_says(degrees: int, probability: float) -> None:
    assert student_quantile(probability, degrees) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-8)


@pytest.mark.parametrize(("count", "total"), [(0, 5), (5, 5), (1, 3), (945, 1212)])
def test_wilsons_interval_is_what_statsmodels_says(count: int, total: int) -> None:
    ours = wilson_interval(count, total, 0.95)
    assert (ours.low, ours.high) == pytest.approx(proportion_confint(count, total, method="wilson"), abs=1e-12)


def test_nothing_heavy_is_loaded_with_the_app() -> None:
    import subprocess
    import sys

    heavy = {"numpy", "altair", "vl_convert", "pandas", "scipy", "sklearn", "statsmodels", "krippendorff", "nltk"}
    program = "import django,sys;django.setup();import annotator.urls,labeling.tasks;print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"DJANGO_SETTINGS_MODULE": "annotator.settings", "PATH": ""},
    )
    assert not heavy & set(done.stdout.split())
