"""Shares, reasons, durations, order and agreement, worked by hand and by going through participants one by one."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from labeling.agreement.statistics.resampling import Resampling
from labeling.study.statistics.analysing import analyse
from labeling.study.statistics.clusters import Clusters
from labeling.study.statistics.judgements import Judgement, match
from labeling.study.statistics.ordering import measure_order, position_slopes
from labeling.study.statistics.shares import measure_durations, reason_shares, yes_shares
from labeling.study.statistics.sharing import measure_agreement
from tests.study.samples import NO_RESAMPLES, ORIGINS, QUICK, REASONS, answered, random_study, study_of


def test_name_of_two_origins_counts_for_each_and_unanswered_for_none() -> None:
    rows = [
        Judgement("P", "m", "x", ("buggy", "fixed"), True),
        Judgement("P", "m", "y", ("cognac",), False, "typo"),
        Judgement("P", "m", "z", ("gtnm",), None),
    ]
    matched = match(study_of(rows))
    found = yes_shares(matched, Clusters(1, NO_RESAMPLES))
    assert [(one.yes.count, one.yes.n, one.yes.value) for one in found] == [
        (1, 1, 1.0),
        (1, 1, 1.0),
        (0, 1, 0.0),
        (0, 0, None),
    ]
    assert found[3].yes.reason == "Nobody answered a name of gtnm."
    assert found[3].participants == 0


def test_intervals_of_a_share() -> None:
    study = random_study(2, participants=8)
    how = Resampling(resamples=300, seed=5)
    share = yes_shares(match(study), Clusters(8, how))[1].yes
    assert (share.wilson.low, share.wilson.high) == pytest.approx(
        proportion_confint(share.count, share.n, method="wilson")
    )
    replicates = []
    for weights in Clusters(8, how).weights.astype(int):
        drawn = [
            study.answer[(study.participant == one) & study.origin[:, 1] & study.answered]
            for one, times in enumerate(weights)
            for _ in range(times)
        ]
        replicates.append(np.concatenate(drawn).mean())
    assert (share.bootstrap.low, share.bootstrap.high) == pytest.approx(
        np.quantile(replicates, [0.025, 0.975]).tolist()
    )


def test_bootstrap_draws_as_many_participants_as_there_are() -> None:
    weights = Clusters(7, Resampling(resamples=4_000, seed=2)).weights
    assert weights.sum(axis=1).tolist() == [7] * 4_000
    assert np.abs(weights.mean(axis=0) - 1).max() < 0.06


def test_bca_intervals_are_to_be_had() -> None:
    percentile, bca = (
        yes_shares(match(random_study(2)), Clusters(6, Resampling(500, 3, method)))[0].yes.bootstrap
        for method in ("percentile", "bca")
    )
    assert bca.low is not None
    assert (bca.low, bca.high) != (percentile.low, percentile.high)


def test_reasons_have_both_denominators() -> None:
    rows = [
        Judgement("P", f"m{number}", "x", ("buggy",), answer, reason)
        for number, (answer, reason) in enumerate(
            [(False, "typo"), (False, "typo"), (False, "style"), (False, None), (True, None), (True, None)]
        )
    ]
    found = reason_shares(match(study_of(rows)), Clusters(1, NO_RESAMPLES))[0]
    typo = found.reasons[REASONS.index("typo")]
    assert (found.answers, found.noes, found.without_reason) == (6, 4, 1)
    assert (typo.of_no.count, typo.of_no.n, typo.of_no.value) == (2, 4, 0.5)
    assert (typo.of_all.n, typo.of_all.value) == (6, 2 / 6)
    assert typo.of_no.wilson.low == pytest.approx(proportion_confint(2, 4, method="wilson")[0])


def test_durations_by_judgement_page_and_participant() -> None:
    seconds: dict[tuple[str, str], list[float | None]] = {
        ("P", "m"): [1, 2],
        ("P", "n"): [3, 4],
        ("Q", "m"): [10, None],
    }
    rows = [
        Judgement(who, method, ORIGINS[place], (ORIGINS[place],), True, seconds=one)
        for (who, method), times in seconds.items()
        for place, one in enumerate(times)
    ]
    found = measure_durations(study_of(rows), QUICK)
    assert (found.judgement.n, found.judgement.mean, found.judgement.median) == (5, 4, 3)
    assert (found.page.n, found.page.shortest, found.page.longest) == (3, 3, 10)
    assert (found.participant.n, found.participant.mean) == (2, 10)
    # Of two participants three resamples can be drawn: P twice (10 s of 4), both (20 s of 5), Q twice (10 s of 1).
    assert (found.judgement.interval.low, found.judgement.interval.high) == (2.5, 10)
    assert (found.page.interval.low, found.page.interval.high) == (5, 10)
    assert found.participant.interval.low is None  # both took 10 s


def test_without_times_durations_say_so() -> None:
    found = measure_durations(answered([["yn"]]), QUICK)
    assert found.page.reason == found.page.interval.reason == "No time was recorded."


def positioned(table: list[list[str]]) -> list[Judgement]:
    """A row a participant, a word a page in display order."""
    return [
        Judgement(f"P{p}", f"m{m}", str(place), (ORIGINS[place],), letter == "y", None, place + 1)
        for p, words in enumerate(table)
        for m, word in enumerate(words)
        for place, letter in enumerate(word)
    ]


def test_order_effect_is_the_slope_of_yes_on_position() -> None:
    judgements = study_of(positioned([["yyn", "ynn"], ["ynn"], ["yyn"], ["yny", "ynn"]]))
    found = measure_order(judgements, QUICK)
    assert [(one.position, one.yes.count, one.yes.n) for one in found.positions] == [(1, 6, 6), (2, 2, 6), (3, 1, 6)]
    slopes = position_slopes(judgements)
    by_numpy = [
        np.polyfit(judgements.position[mine], judgements.answer[mine], 1)[0]
        for mine in (judgements.participant == one for one in range(4))
    ]
    assert slopes.tolist() == pytest.approx(by_numpy)
    assert found.test.p == 2 / 16


def test_order_without_positions_has_no_test_and_a_reason() -> None:
    found = measure_order(answered([["yn"], ["yy"]]), QUICK)
    assert found.positions == []
    assert "two positions or more" in (found.test.reason or "")


def test_agreement_is_over_names_that_several_answered() -> None:
    rows = [
        Judgement(who, "m", origin, (origin,), answer == "y")
        for who, answers in {"P": "yyn", "Q": "ynn"}.items()
        for origin, answer in zip(ORIGINS, answers, strict=False)
    ]
    found = measure_agreement(study_of([*rows, Judgement("P", "own", "x", ("buggy",), True)]), NO_RESAMPLES)
    assert (found.methods, found.names) == (1, 3)
    assert found.agreement is not None
    assert found.agreement["pairwise_agreement"].value == pytest.approx(2 / 3)
    assert found.agreement.pairs[0].cohen_kappa.value == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))


def test_agreement_without_shared_methods_says_so() -> None:
    assert measure_agreement(answered([["yn"], ["yn"]]), QUICK).reason == "No name was answered by two participants."


def test_sensitivity_leaves_out_what_it_says() -> None:
    found = analyse(random_study(9), how=QUICK)
    everything, unflagged, distinct = found.sensitivity
    assert everything.counts == found.counts
    assert everything.pairs == found.pairs
    assert (found.counts.participants, found.counts.flagged) == (6, 1)
    assert (unflagged.counts.participants, unflagged.counts.flagged) == (5, 0)
    assert found.counts.several_origins > 0
    assert distinct.counts.several_origins == 0
    assert distinct.counts.judgements == found.counts.judgements - found.counts.several_origins
    assert all(pair.identical == 0 for pair in distinct.pairs)


def test_same_seed_gives_the_same_results_whatever_the_order_of_the_rows() -> None:
    rows = positioned([["ynyn", "nnyn"], ["yyyn", "nnyy"], ["nyyn", "yyyy"]])
    found = analyse(study_of(rows), how=QUICK)
    assert analyse(study_of(rows[::-1]), how=QUICK).to_dict() == found.to_dict()


def test_another_seed_gives_other_intervals() -> None:
    one, other = (analyse(random_study(4), how=Resampling(resamples=100, seed=seed)).shares[0].yes for seed in (1, 2))
    assert one.bootstrap != other.bootstrap
    assert one.wilson == other.wilson
