"""What votes settle under a rule."""

from __future__ import annotations

from typing import Any

import pytest

from labeling.annotation.protocols.codebook import Codebook
from labeling.consensus.rules import Outcome, derive
from tests.annotation.samples import CODEBOOK

BOOK = Codebook.read(CODEBOOK)
NO = {"include": "no"}


def yes(*criteria: str) -> dict[str, Any]:
    return {"include": "yes", "criteria": list(criteria)}


def outcome(*votes: dict[str, Any], wanted: int = 3, way: str = "discussion", others: str = "discussion") -> Outcome:
    return derive(BOOK, votes, wanted=wanted, way=way, others=others)


def test_equal_votes_settle_the_item() -> None:
    found = outcome(NO, NO, NO)
    assert (found.how, found.answers, found.differing, found.pattern) == ("unanimous", NO, (), "")


def test_two_against_one_settle_nothing_unless_the_rule_says_majority() -> None:
    votes = yes("suggested"), yes("suggested"), NO
    assert not outcome(*votes).is_settled
    assert not outcome(*votes, way="adjudicator").is_settled
    found = outcome(*votes, way="majority")
    assert (found.how, found.answers) == ("majority", yes("suggested"))
    assert found.differing == ("include", "criteria")


def test_half_is_no_majority() -> None:
    assert not outcome(NO, NO, yes("suggested"), yes("suggested"), way="majority").is_settled


def test_majority_compares_the_other_questions_among_those_who_agree() -> None:
    votes = yes("suggested"), yes("convention"), NO
    assert not outcome(*votes, way="majority").is_settled
    found = outcome(*votes, way="majority", others="union")
    assert found.answers == yes("suggested", "convention")


@pytest.mark.parametrize(
    ("others", "criteria"),
    [("union", ["suggested", "convention"]), ("majority", ["suggested"]), ("intersection", ["suggested"])],
)
def test_criteria_are_settled_as_the_rule_says(others: str, criteria: list[str]) -> None:
    found = outcome(yes("suggested"), yes("suggested"), yes("suggested", "convention"), others=others)
    assert (found.how, found.answers["criteria"]) == ("unanimous", criteria)
    assert found.differing == ("criteria",)


def test_a_difference_in_the_criteria_alone_is_a_case_when_all_questions_are_compared() -> None:
    found = outcome(yes("suggested"), yes("convention"), yes("suggested"))
    assert not found.is_settled
    assert found.pattern == "criteria: suggested ×2, convention ×1"


def test_an_empty_intersection_leaves_a_required_question_open() -> None:
    assert not outcome(yes("suggested"), yes("convention"), wanted=2, others="intersection").is_settled


def test_one_vote_of_three_settles_nothing_and_one_of_one_does() -> None:
    found = outcome(NO)
    assert found.too_few
    assert not found.is_settled
    assert outcome(NO, wanted=1).how == "single"
    assert outcome().too_few


def test_the_pattern_does_not_depend_on_who_voted_how() -> None:
    one, other = outcome(NO, yes("suggested"), NO), outcome(NO, NO, yes("suggested"))
    assert one.pattern == other.pattern == "include: no ×2, yes ×1; criteria: – ×2, suggested ×1"


def test_texts_never_make_a_disagreement() -> None:
    question = {"key": "why", "text": "Why?", "form": "text"}
    book = Codebook.read({**CODEBOOK, "questions": [*CODEBOOK["questions"], question]})
    votes = [{**NO, "why": "a"}, {**NO, "why": "b"}]
    found = derive(book, votes, wanted=2, way="discussion", others="discussion")
    assert (found.how, found.answers) == ("unanimous", NO)
