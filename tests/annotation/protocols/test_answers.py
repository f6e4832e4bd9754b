from __future__ import annotations

from typing import Any

import pytest
from django.http import QueryDict

from labeling.annotation.protocols.answers import answers_in_form, check_answers
from labeling.annotation.protocols.codebook import Codebook
from labeling.corpus.payloads import FieldError
from tests.annotation.protocols.samples import FULL, codebook, options, question, when

BOOK = Codebook.read(FULL)
GOOD: dict[str, Any] = {"fit": "yes", "sure": "high", "minutes": 3}


def test_answers_are_kept_in_the_order_of_the_codebook() -> None:
    checked = check_answers(BOOK, {"words": "fine", "sure": "low", "why": ["body", "name"], "fit": "no"})
    assert list(checked.items()) == [("fit", "no"), ("why", ["name", "body"]), ("sure", "low"), ("words", "fine")]


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"fit": None}, "answers.fit", "“What about fit?” needs an answer"),
        ({"fit": "  "}, "answers.fit", "needs an answer"),
        ({"fit": "maybe"}, "answers.fit", "must be one of yes, no, not “maybe”"),
        ({"fit": ["yes"]}, "answers.fit", "not a list"),
        ({"fit": True}, "answers.fit", "must be one of"),
        ({"fit": "yes\x00"}, "answers.fit", "must be one of"),
        ({"fit": "no", "minutes": None, "why": []}, "answers.why", "needs an answer"),
        ({"fit": "no", "minutes": None, "why": "name"}, "answers.why", "must be a list"),
        ({"fit": "no", "minutes": None, "why": ["name", "name"]}, "answers.why", "names an option twice"),
        ({"fit": "no", "minutes": None, "why": [{}]}, "answers.why", "must be one of"),
        ({"fit": "no", "minutes": None, "why": ["name"] * 100_000}, "answers.why", "twice"),
        ({"why": ["name"]}, "answers.why", "is asked only when fit is no"),
        ({"minutes": float("nan")}, "answers.minutes", "must be a number"),
        ({"minutes": float("inf")}, "answers.minutes", "finite"),
        ({"minutes": -(10**400)}, "answers.minutes", "too large"),
        ({"minutes": -0.5}, "answers.minutes", "must be at least 0, not -0.5"),
        ({"minutes": 61}, "answers.minutes", "must be at most 60.5, not 61"),
        ({"minutes": "3"}, "answers.minutes", "must be a number"),
        ({"minutes": True}, "answers.minutes", "must be a number"),
        ({"words": "a\x00b"}, "answers.words", "NUL"),
        ({"words": "x" * 1_000_000}, "answers.words", "at most 5,000"),
        ({"words": "x" * 1_000_001}, "answers.words", "1,000,001 characters"),
        ({"words": 3}, "answers.words", "must be text"),
        ({"colour": "red"}, "answers.colour", "is not a question"),
        ({1: "red"}, "answers.1", "is not a question"),
        ({"x" * 999: "red"}, f"answers.{'x' * 40}", "is not a question"),
    ],
)
def test_bad_answer_names_its_question(changes: dict[Any, Any], field: str, said: str) -> None:
    with pytest.raises(FieldError) as caught:
        check_answers(BOOK, {**GOOD, **changes})
    assert caught.value.field == field
    assert said in caught.value.reason


@pytest.mark.parametrize("given", [None, [], "yes", 3])
def test_answers_that_are_no_object(given: object) -> None:
    with pytest.raises(FieldError, match="must be an object"):
        check_answers(BOOK, given)


def test_bounds_themselves_are_inside() -> None:
    for minutes in (0, 60.5):
        assert check_answers(BOOK, {**GOOD, "minutes": minutes})["minutes"] == minutes


CHAIN = Codebook.read(
    codebook(
        question("one"),
        question("two", when=when("one", "yes")),
        question("three", when=when("two", "yes")),
        question("four", form="multiple", required=False),
        question("five", when=when("four", "no")),
    )
)


def test_question_whose_condition_was_not_asked_itself_is_not_asked() -> None:
    assert check_answers(CHAIN, {"one": "no"}) == {"one": "no"}
    with pytest.raises(FieldError, match=r"answers\.two: is asked only when one is yes"):
        check_answers(CHAIN, {"one": "no", "two": "yes", "three": "yes"})
    with pytest.raises(FieldError, match=r"answers\.three: is asked only when two is yes"):
        check_answers(CHAIN, {"one": "no", "three": "yes"})
    with pytest.raises(FieldError, match=r"answers\.three: .* needs an answer"):
        check_answers(CHAIN, {"one": "yes", "two": "yes"})


def test_condition_on_one_of_several_choices() -> None:
    with pytest.raises(FieldError, match=r"answers\.five: .* needs an answer"):
        check_answers(CHAIN, {"one": "no", "four": ["yes", "no"]})
    assert check_answers(CHAIN, {"one": "no", "four": ["yes"]}) == {"one": "no", "four": ["yes"]}


def test_form_gives_the_answers_as_a_script_would() -> None:
    sent = QueryDict(
        "answers.fit=no&answers.why=name&answers.why=body&answers.sure=low&answers.words=+a+&answers.minutes=&note=x"
    )
    found = answers_in_form(BOOK, sent)
    assert found == {"fit": "no", "why": ["name", "body"], "sure": "low", "words": "a"}
    assert check_answers(BOOK, found) == found


@pytest.mark.parametrize(("text", "number"), [("3", 3), ("2,5", 2.5), ("1e3", 1000), ("three", "three")])
def test_number_in_a_form(text: str, number: float | str) -> None:
    data = QueryDict(mutable=True)
    data["answers.minutes"] = text
    assert answers_in_form(BOOK, data) == {"minutes": number}


def test_options_are_told_apart_by_their_keys_alone() -> None:
    same = [{"key": "a", "label": "Same"}, {"key": "b", "label": "Same"}]
    book = Codebook.read(codebook(question(options=same), question("x", options=options("a", "b"))))
    assert check_answers(book, {"fit": "b", "x": "a"}) == {"fit": "b", "x": "a"}
