"""What stands beside the primary test, against published examples and second implementations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from labeling.agreement.statistics.arrays import Floats, Ints
from labeling.agreement.statistics.resampling import Resampling
from labeling.study.statistics.analysing import analyse
from labeling.study.statistics.blocks import cochrans_q
from labeling.study.statistics.clusters import Clusters
from labeling.study.statistics.comparing import PairComparison, compare_pairs, matched_odds_ratio, mcnemar_test
from labeling.study.statistics.judgements import UNANSWERED, Judgement, Judgements, match
from labeling.study.statistics.modelling import fit_model
from labeling.study.statistics.reasons import homogeneity_test, reason_table
from tests.study.samples import QUICK, REASONS, answered, random_study, study_of


def pair_of(judgements: Judgements, how: Resampling = QUICK) -> PairComparison:
    matched = match(judgements)
    return compare_pairs(matched, Clusters(matched.participants, how), how)[0]


def test_a_pair_of_origins_worked_by_hand() -> None:
    """Differences of the participants: 2/3 − 0, 1/2 − 1/2 and 1 − 0."""
    pair = pair_of(answered([["yn", "yn", "nn"], ["yn", "ny"], ["yn", "y-"]]))
    assert (pair.a, pair.b, pair.pairs, pair.identical) == ("a", "b", 6, 0)
    assert pair.primary.statistic == pytest.approx((2 / 3 + 0 + 1) / 3)
    assert (pair.primary.p, pair.primary.adjusted, pair.primary.n) == (0.5, 0.5, 3)
    assert pair.risk_difference.value == pytest.approx(3 / 6)
    assert pair.odds_ratio.value == 4
    assert pair.mcnemar.p == pytest.approx(2 * (1 + 5) / 32)


def test_holms_family_is_all_pairs() -> None:
    found = analyse(random_study(3), how=QUICK).pairs
    assert len(found) == 6
    least = min(found, key=lambda pair: pair.primary.p or 0)
    assert least.primary.adjusted == pytest.approx(6 * (least.primary.p or 0))


def test_one_name_of_two_origins_makes_no_difference_between_them() -> None:
    shared = [Judgement(f"P{p}", f"m{p}", "same", ("a", "b"), bool(p % 2)) for p in range(4)]
    apart = [Judgement(f"P{p}", f"k{p}", origin, (origin,), origin == "a") for p in range(4) for origin in ("a", "b")]
    pair = pair_of(study_of(shared + apart, origins=("a", "b")))
    assert (pair.pairs, pair.identical) == (8, 4)
    assert pair.primary.statistic == pytest.approx(0.5)  # 1 on one method, 0 on the other
    assert pair.risk_difference.value == pytest.approx(0.5)
    alone = pair_of(study_of(shared, origins=("a", "b")))
    assert alone.primary.p == 1
    assert alone.mcnemar.p is None


@pytest.mark.parametrize(("only_a", "only_b"), [(1, 9), (0, 5), (7, 7), (30, 12)])
def test_mcnemars_test_is_what_statsmodels_says(only_a: int, only_b: int) -> None:
    theirs = mcnemar([[10, only_a], [only_b, 10]], exact=True).pvalue
    assert mcnemar_test(only_a, only_b, 100).p == pytest.approx(theirs)


def test_matched_odds_ratio_has_the_exact_interval() -> None:
    """Clopper & Pearson's interval for 8 of 10 is .4439 to .9748 as many tables have it."""
    found = matched_odds_ratio(8, 2, 50, names=("a", "b"), confidence=0.95)
    assert found.value == 4
    assert found.low == pytest.approx(0.4439 / 0.5561, rel=1e-3)
    assert found.high == pytest.approx(0.9748 / 0.0252, rel=5e-3)


def test_infinite_odds_ratio_has_its_lower_end_and_a_reason() -> None:
    found = matched_odds_ratio(6, 0, 50, names=("a", "b"), confidence=0.95)
    assert (found.value, found.high) == (None, None)
    assert found.low == pytest.approx(stats.beta.ppf(0.025, 6, 1) / (1 - stats.beta.ppf(0.025, 6, 1)))
    assert "yes for b alone" in (found.reason or "")
    none = matched_odds_ratio(0, 6, 50, names=("a", "b"), confidence=0.95)
    assert (none.value, none.low) == (0, 0)


def test_cochrans_q_of_three_drugs() -> None:
    """46 patients on three drugs (Grizzle, Starmer & Koch 1969); packages print Q = 8.4706, p = .0145."""
    counts = {"yyy": 6, "yyn": 16, "yny": 2, "ynn": 4, "nyy": 2, "nyn": 4, "nny": 6, "nnn": 6}
    words = [word for word, times in counts.items() for _ in range(times)]
    test = cochrans_q(match(answered([words], origins=("A", "B", "C"))))
    assert test.n == 46
    assert test.statistic == pytest.approx(8.4706, abs=5e-5)
    assert test.p == pytest.approx(0.0145, abs=5e-5)


# Stuart (1955): unaided distance vision of 7,477 women, right eye by left eye.
VISION = np.array([[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]])


def test_stuarts_own_table() -> None:
    test = homogeneity_test(VISION)
    assert test.statistic == pytest.approx(11.957, abs=5e-4)
    assert test.p == pytest.approx(0.0075, abs=5e-5)
    assert "3 degrees" in test.method


def test_unused_reasons_are_left_out_of_the_table() -> None:
    wider = np.zeros((6, 6), dtype=np.int64)
    wider[np.ix_([0, 2, 3, 5], [0, 2, 3, 5])] = VISION
    assert homogeneity_test(wider) == homogeneity_test(VISION)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([[0, 0], [0, 0]], "no method got a no"),
        ([[5, 0], [0, 0]], "all of these noes have the same reason"),
        ([[5, 0], [0, 3]], "on every one of these methods"),
        ([[5, 2, 0, 0], [1, 4, 0, 0], [0, 0, 3, 1], [0, 0, 2, 4]], "never exchanged"),
    ],
)
def test_undefined_tables_of_reasons_say_why(table: list[list[int]], said: str) -> None:
    test = homogeneity_test(np.array(table))
    assert test.p is None
    assert said in (test.reason or "")


def test_only_pairs_of_noes_with_reasons_are_in_the_table() -> None:
    def row(method: str, origin: str, reason: str | None) -> Judgement:
        return Judgement("P", method, origin, (origin,), reason == "yes", None if reason in {None, "yes"} else reason)

    pairs = [("typo", "style"), ("typo", "typo"), ("typo", None), ("yes", "typo"), ("yes", "yes")]
    rows = [
        row(f"m{m}", origin, reason) for m, pair in enumerate(pairs) for origin, reason in zip("ab", pair, strict=True)
    ]
    table = reason_table(match(study_of(rows, origins=("a", "b"))), 0, 1)
    assert table.sum() == 2
    assert table[REASONS.index("typo"), REASONS.index("style")] == 1


def mancl_derouen(answer: Floats, design: Floats, cluster: Ints, correlation: float) -> tuple[Floats, Floats]:
    """A second implementation: Newton steps to the coefficients, then the corrected sandwich."""
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        bread, score = np.zeros((len(beta), len(beta))), np.zeros(len(beta))
        for one in np.unique(cluster):
            x, y = design[cluster == one], answer[cluster == one]
            mean = 1 / (1 + np.exp(-x @ beta))
            spread = np.sqrt(mean * (1 - mean))
            working = np.outer(spread, spread) * (correlation + (1 - correlation) * np.eye(len(y)))
            slope = x * (mean * (1 - mean))[:, None]
            bread += slope.T @ np.linalg.inv(working) @ slope
            score += slope.T @ np.linalg.inv(working) @ (y - mean)
        beta = beta + np.linalg.solve(bread, score)
    inverse, meat = np.linalg.inv(bread), np.zeros_like(bread)
    for one in np.unique(cluster):
        x, y = design[cluster == one], answer[cluster == one]
        mean = 1 / (1 + np.exp(-x @ beta))
        spread = np.sqrt(mean * (1 - mean))
        weight = np.linalg.inv(np.outer(spread, spread) * (correlation + (1 - correlation) * np.eye(len(y))))
        slope = x * (mean * (1 - mean))[:, None]
        leverage = slope @ inverse @ slope.T @ weight
        part = slope.T @ weight @ np.linalg.solve(np.eye(len(y)) - leverage, y - mean)
        meat += np.outer(part, part)
    return beta, inverse @ meat @ inverse


def test_model_is_what_a_second_implementation_gives() -> None:
    matched = match(random_study(7, participants=9, methods=6))
    model = fit_model(matched, confidence=0.95)
    page, origin = np.nonzero(matched.answer != UNANSWERED)
    beta, covariance = mancl_derouen(
        matched.answer[page, origin].astype(float),
        np.eye(4)[origin],
        matched.participant[page],
        model.correlation or 0.0,
    )
    for pair, (a, b) in zip(model.pairs, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], strict=True):
        log_ratio = beta[a] - beta[b]
        error = np.sqrt(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b])
        reach = stats.t.ppf(0.975, 9 - 4) * error
        found = pair.odds_ratio
        assert found.value == pytest.approx(np.exp(log_ratio), rel=1e-4)
        assert (found.low, found.high) == pytest.approx(
            (np.exp(log_ratio - reach), np.exp(log_ratio + reach)), rel=1e-3
        )
        assert pair.p == pytest.approx(2 * stats.t.sf(abs(log_ratio) / error, 5), rel=1e-2)


def test_model_of_equal_sheets_has_the_odds_of_the_shares() -> None:
    judgements = answered([["yn", "yy", "nn"], ["yn", "nn", "yn"], ["ny", "yn", "yn"], ["yn", "yn", "ny"]])
    found = fit_model(match(judgements), confidence=0.95).pairs[0].odds_ratio
    assert found.value == pytest.approx((8 / 4) / (3 / 9), rel=1e-6)


def test_origin_without_a_no_is_left_out_of_the_model_and_the_others_stay() -> None:
    rows = [["yyn", "yny"], ["yny", "yyn"], ["yyy", "ynn"], ["yny", "ynn"], ["yyn", "yyn"]]
    model = fit_model(match(answered(rows, origins=("a", "b", "c"))), confidence=0.95)
    assert [pair.odds_ratio.value is None for pair in model.pairs] == [True, True, False]
    assert model.pairs[0].odds_ratio.reason == "No odds ratio: a got only yes."
    assert model.reason is None


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([["yn", "ny"], ["yn", "nn"]], "2 origins need at least 3 participants"),
        ([["yn", "yn"], ["yn", "yn"], ["yn", "yn"]], "fewer than two origins got both"),
        ([["y-", "ny"], ["ny"], ["yn"]], "did not come to an end"),
    ],
)
def test_model_says_why_there_is_none(table: list[list[str]], said: str) -> None:
    model = fit_model(match(answered(table)), confidence=0.95)
    assert said in (model.reason or "")
    assert all(pair.odds_ratio.value is None and pair.odds_ratio.reason for pair in model.pairs)


def test_participants_who_answered_no_modelled_origin_do_not_count_for_the_model() -> None:
    table = [["yn-", "ny-"], ["yn-", "nn-"], ["--y"], ["--y"]]
    model = fit_model(match(answered(table, origins=("a", "b", "c"))), confidence=0.95)
    assert (model.participants, model.answers) == (2, 8)
    assert "there are 2" in (model.reason or "")


def test_odds_ratio_without_a_spread_has_no_interval_and_a_reason() -> None:
    model = fit_model(match(answered([["yn", "yy", "yn", "ny"]] * 5)), confidence=0.95)
    found = model.pairs[0]
    assert found.odds_ratio.value == pytest.approx(3)
    assert (found.odds_ratio.low, found.p) == (None, None)
    assert "no spread can be seen" in (found.odds_ratio.reason or "")
