"""Whatever comes in, numbers come out that JSON can hold, and what is undefined says why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from labeling.study.statistics.analysing import analyse
from labeling.study.statistics.judgements import Judgement, Judgements, match
from tests.study.samples import ORIGINS, QUICK, REASONS, answered, study_of


def silent(value: Any, where: str = "") -> Iterator[str]:
    """Where a value, a p or an end of an interval is missing without a reason beside it."""
    if isinstance(value, dict):
        for key in ("value", "p", "mean"):
            beside = value.get("reason") or (value.get("odds_ratio") or {}).get("reason")
            if key in value and value[key] is None and not beside:
                yield f"{where}.{key}"
        if "low" in value and None in (value["low"], value["high"]) and not value.get("reason"):
            yield f"{where}.low"
        for key, part in value.items():
            yield from silent(part, f"{where}.{key}")
    if isinstance(value, list):
        for place, part in enumerate(value):
            yield from silent(part, f"{where}[{place}]")


def results_of(judgements: Judgements) -> dict[str, Any]:
    found = analyse(judgements, how=QUICK).to_dict()
    json.dumps(found, allow_nan=False)
    agreement = found.pop("agreement")  # the agreement stage has tests of its own
    assert agreement["agreement"] is not None or agreement["reason"]
    assert list(silent(found)) == []
    return found


@st.composite
def studies(draw: st.DrawFn) -> Judgements:
    rows = []
    for p in range(draw(st.integers(0, 4))):
        for m in range(draw(st.integers(1, 3))):
            for number, origins in enumerate(draw(st.sampled_from([((0,), (1,)), ((0, 1),), ((0,), (1, 2)), ((2,),)]))):
                answer = draw(st.sampled_from([True, False, None]))
                reason = draw(st.sampled_from([None, *REASONS])) if answer is False else None
                names = tuple(ORIGINS[one] for one in origins)
                position = draw(st.sampled_from([None, number + 1]))
                seconds = draw(st.sampled_from([None, 0.0, 3.5]))
                name = f"n{origins}"
                rows.append(Judgement(f"P{p}", f"m{m}", name, names, answer, reason, position, seconds))
    return study_of(rows, flagged=draw(st.sampled_from([(), ("P0",)])))


@settings(max_examples=40)
@given(studies())
def test_every_study_has_results_and_every_gap_a_reason(judgements: Judgements) -> None:
    results_of(judgements)


def test_study_without_judgements() -> None:
    found = results_of(study_of([]))
    assert found["counts"]["participants"] == 0
    assert found["shares"][0]["yes"]["reason"] == "Nobody answered a name of buggy."
    assert "no participant" in found["pairs"][0]["primary"]["reason"]


def test_one_participant() -> None:
    found = results_of(answered([["yn", "nn", "yy"]]))
    assert "only one participant" in found["pairs"][0]["primary"]["reason"]
    assert found["shares"][0]["yes"]["bootstrap"]["reason"] == "No interval over participants: there is only one."
    assert found["shares"][0]["yes"]["wilson"]["low"] > 0
    assert "participants for a standard error; there are 1" in found["model"]["reason"]
    assert found["notes"] == []


def test_unanimous_participants() -> None:
    found = results_of(answered([["yy", "yy"]] * 4))
    pair = found["pairs"][0]
    assert pair["primary"]["p"] == 1
    assert "same answer on every method" in pair["mcnemar"]["reason"]
    assert "all origins got the same answer" in found["cochrans_q"]["reason"]
    assert "every resample gives the same value" in pair["risk_difference"]["reason"]
    assert found["model"]["pairs"][0]["odds_ratio"]["reason"] == "No odds ratio: a got only yes."


def test_separated_origins() -> None:
    """All yes to one origin and all no to the other: the strongest difference there is, without finite odds."""
    found = results_of(answered([["yn", "yn"]] * 6))
    pair = found["pairs"][0]
    assert pair["primary"]["p"] == 2 / 64
    assert pair["risk_difference"]["value"] == 1
    assert pair["odds_ratio"]["value"] is None
    assert pair["odds_ratio"]["low"] > 1


def test_few_participants_are_warned_of() -> None:
    assert "fewer than 20 participants" in results_of(answered([["yn"], ["ny"], ["nn"]]))["notes"][0]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([Judgement("P", "m", "x", ("other",), True)], "P on x of m: the origins"),
        ([Judgement("P", "m", "x", (), True)], "must be some of"),
        ([Judgement("P", "m", "x", ("buggy",), True, "typo")], "needs the answer no"),
        ([Judgement("P", "m", "x", ("buggy",), False, "other")], "to be one of"),
        ([Judgement("P", "m", "x", ("buggy",), True, None, 0)], "positions count from 1"),
        ([Judgement("P", "m", "x", ("buggy",), True, None, 1, float("nan"))], "seconds are a number"),
        ([Judgement("P", "m", "x", ("buggy",), True)] * 2, "judged the same name twice"),
    ],
)
def test_rows_that_contradict_themselves_are_refused(rows: list[Judgement], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        study_of(rows)


def test_two_names_of_one_origin_on_one_page_are_refused() -> None:
    rows = [Judgement("P", "m", name, ("buggy",), True) for name in "xy"]
    with pytest.raises(ValueError, match="two names of one origin"):
        match(study_of(rows))
