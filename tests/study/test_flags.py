"""Speeders and straight-liners are told with their numbers; ordinary participants are left alone."""

from __future__ import annotations

import pytest

from labeling.study.statistics.flags import FlagRules, flag_participants
from labeling.study.statistics.judgements import Judgement
from tests.study.samples import ORIGINS, random_study, study_of


def pages(who: str, words: list[str], *, seconds: float | None = 10.0) -> list[Judgement]:
    """A word a page in display order; names sort the other way round, so that only positions tell the order."""
    return [
        Judgement(who, f"m{m}", f"n{9 - place}", (ORIGINS[place],), letter == "y", None, place + 1, seconds)
        for m, word in enumerate(words)
        for place, letter in enumerate(word)
    ]


ORDINARY = ["ynny", "nnyn", "ynnn", "nyyn", "nnny"]


def test_ordinary_participants_have_no_flags() -> None:
    assert flag_participants(study_of(pages("P", ORDINARY) + pages("Q", ORDINARY[::-1]))) == {}
    assert flag_participants(random_study(1)) == {}


def test_who_is_much_faster_than_the_median_is_flagged_with_both_numbers() -> None:
    rows = [row for number in range(4) for row in pages(f"P{number}", ORDINARY, seconds=10 + number)]
    found = flag_participants(study_of(rows + pages("Q", ORDINARY, seconds=3)))
    assert found == {
        "Q": ["Fast: 3.0 s a judgement (median), less than 40 % of the 11.0 s that participants typically take."]
    }
    assert flag_participants(study_of(rows + pages("Q", ORDINARY, seconds=3)), FlagRules(speed=0.2)) == {}


def test_exactly_the_threshold_is_not_too_fast() -> None:
    rows = pages("P", ORDINARY) + pages("Q", ORDINARY) + pages("R", ORDINARY, seconds=4)
    assert flag_participants(study_of(rows)) == {}


def test_nobody_is_fast_alone_or_without_times() -> None:
    assert flag_participants(study_of(pages("P", ORDINARY, seconds=0.1))) == {}
    assert flag_participants(study_of(pages("P", ORDINARY) + pages("Q", ORDINARY, seconds=None))) == {}


@pytest.mark.parametrize("letter", ["y", "n"])
def test_same_answer_to_everything(letter: str) -> None:
    found = flag_participants(study_of(pages("P", [letter * 4] * 5)))
    assert found == {"P": ["The same answer to all 20 names."]}


def test_few_answers_are_no_evidence() -> None:
    assert flag_participants(study_of(pages("P", ["yyyy"]))) == {}
    assert flag_participants(study_of(pages("P", ["ynnn"] * 4))) == {}


def test_same_pattern_down_every_page_in_the_order_of_display() -> None:
    found = flag_participants(study_of(pages("P", [*["ynnn"] * 5, "yn"])))
    assert found == {"P": ["The same pattern down the page on all 5 pages with 4 names."]}


def test_one_page_that_differs_breaks_the_pattern() -> None:
    assert flag_participants(study_of(pages("P", [*["ynnn"] * 9, "nynn"]))) == {}
