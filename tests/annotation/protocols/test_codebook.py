from __future__ import annotations

from typing import Any

import pytest

from labeling.annotation.protocols.codebook import Codebook
from labeling.corpus.payloads import FieldError
from tests.annotation.protocols.samples import FULL, codebook, options, question, when


def refused(data: object) -> FieldError:
    with pytest.raises(FieldError) as caught:
        Codebook.read(data)
    return caught.value


def numbered(count: int, **changes: Any) -> list[dict[str, Any]]:
    return options(*(f"o{number}" for number in range(count)), **changes)


def test_full_codebook_is_read_and_written_alike() -> None:
    assert Codebook.read(FULL).write() == FULL


BAD = {
    "nothing": ([], "", "must be an object"),
    "no title": ({"questions": [question()]}, "title", "is missing"),
    "blank title": (codebook(title=" "), "title", "is empty"),
    "long title": (codebook(title="x" * 121), "title", "at most 120"),
    "title of two lines": (codebook(title="a\nb"), "title", "one line"),
    "unknown field": (codebook(colour="red"), "colour", "is not a field"),
    "no question": ({"title": "x", "questions": []}, "questions", "must be 1 to 30"),
    "31 questions": (codebook(*(question(f"q{n}") for n in range(31))), "questions", "not 31"),
    "question twice": (codebook(question(), question()), "questions", "key “fit” is used twice"),
    "question without a key": (codebook({"text": "x"}), "questions[0].key", "is missing"),
    "key with a blank": (codebook(question("a b")), "questions[0].key", "must be lower-case"),
    "key with a line end": (codebook(question("ab\n")), "questions[0].key", "must be lower-case"),
    "key that is a number": (codebook(question(1)), "questions[0].key", "must be text"),  # type: ignore[arg-type]
    "blank question": (codebook(question(text=" ")), "questions[0].text", "is empty"),
    "long question": (codebook(question(text="x" * 501)), "questions[0].text", "at most 500"),
    "unknown form": (codebook(question(form="slider")), "questions[0].form", "must be one of single"),
    "level of another form": (codebook(question(level="set")), "questions[0].level", "nominal or ordinal"),
    "unknown level": (codebook(question(level="high")), "questions[0].level", "nominal or ordinal"),
    "level of a text": (
        codebook(question(form="text", options=[], level="nominal")),
        "questions[0].level",
        "form text is none",
    ),
    "no options": (codebook(question(options=[])), "questions[0].options", "at least two"),
    "one option": (codebook(question(options=options("yes"))), "questions[0].options", "must be 2 to 40"),
    "41 options": (codebook(question(options=numbered(41))), "questions[0].options", "not 41"),
    "201 options": (
        codebook(*(question(f"q{n}", options=numbered(40)) for n in range(5)), question("last")),
        "questions",
        "202 options in all",
    ),
    "number with options": (codebook(question(form="number")), "questions[0].options", "has no options"),
    "option twice": (codebook(question(options=options("a", "a"))), "questions[0].options", "key “a” is used"),
    "option without a label": (
        codebook(question(options=[*options("a"), {"key": "b", "label": ""}])),
        "questions[0].options[1].label",
        "is empty",
    ),
    "NUL in a label": (
        codebook(question(options=[*options("a"), {"key": "b", "label": "x\x00"}])),
        "questions[0].options[1].label",
        "NUL",
    ),
    "control character": (codebook(guideline="x\x1b[0m"), "guideline", "U+001B"),
    "half a character": (codebook(guideline="x\ud800"), "guideline", "U+D800"),
    "guideline of 1 MB": (codebook(guideline="x" * 1_000_000), "guideline", "at most 50,000"),
    "help in all": (
        codebook(*(question(f"q{n}", help="x" * 1000) for n in range(30)), guideline="x" * 50_000, title="x"),
        None,
        "",
    ),
    "too much in all": (
        codebook(
            *(question(f"q{n}", options=[{**o, "help": "x" * 1000} for o in numbered(20)]) for n in range(5)),
            guideline="x" * 50,
        ),
        "questions",
        "characters in all",
    ),
    "hotkey of two letters": (
        codebook(question(options=[*options("a"), {"key": "b", "label": "b", "hotkey": "xy"}])),
        "questions[0].options[1].hotkey",
        "one lower-case letter",
    ),
    "hotkey of an action": (
        codebook(question(options=options("a", "b", hotkeys="as"))),
        "questions[0].options[1].hotkey",
        "is the key for “skip”",
    ),
    "capital hotkey": (
        codebook(question(options=options("a", "b", hotkeys="aB"))),
        "questions[0].options[1].hotkey",
        "one lower-case letter",
    ),
    "bounds of a choice": (codebook(question(low=1)), "questions[0].low", "has no bounds"),
    "bounds the wrong way": (
        codebook(question(form="number", options=[], low=2, high=2)),
        "questions[0].high",
        "must be more than low",
    ),
    "infinite bound": (
        codebook(question(form="number", options=[], high=float("inf"))),
        "questions[0].high",
        "finite",
    ),
    "bound that is no number": (
        codebook(question(form="number", options=[], low=float("nan"))),
        "questions[0].low",
        "must be a number",
    ),
    "bound beyond all numbers": (
        codebook(question(form="number", options=[], low=-(10**400))),
        "questions[0].low",
        "too large",
    ),
    "condition on itself": (
        codebook(question(when=when("fit", "yes"))),
        "questions[0].when.question",
        "no earlier question “fit”",
    ),
    "condition on a later one": (
        codebook(question("a", when=when("fit", "yes")), question()),
        "questions[0].when.question",
        "no earlier",
    ),
    "condition without answers": (
        codebook(question(), question("a", when=when("fit"))),
        "questions[1].when.answers",
        "is empty",
    ),
    "condition on an unknown option": (
        codebook(question(), question("a", when=when("fit", "maybe"))),
        "questions[1].when.answers",
        "“maybe” is not an option of fit",
    ),
    "condition on a text": (
        codebook(question(form="text", options=[]), question("a", when=when("fit", "x"))),
        "questions[1].when.answers",
        "is not an option",
    ),
    "condition that is a text": (codebook(question(when="fit")), "questions[0].when", "must be an object"),
    "required that is a text": (codebook(question(required="yes")), "questions[0].required", "true or false"),
}


@pytest.mark.parametrize("name", [name for name in BAD if BAD[name][1] is not None])
def test_bad_codebook_names_its_field(name: str) -> None:
    data, field, said = BAD[name]
    error = refused(data)
    assert error.field == field
    assert said in error.reason


def test_codebook_at_its_bounds_is_taken() -> None:
    assert len(Codebook.read(BAD["help in all"][0]).questions) == 30


@pytest.mark.parametrize(
    ("form", "measured"),
    [("single", "nominal"), ("multiple", "set"), ("likert", "ordinal"), ("number", "interval"), ("text", "none")],
)
def test_level_that_is_not_named_is_the_first_of_the_form(form: str, measured: str) -> None:
    plain = question(form=form, options=[] if form in {"number", "text"} else options("a", "b"))
    assert Codebook.read(codebook(plain)).questions[0].measured == measured


def test_level_that_is_named_counts() -> None:
    assert [question.measured for question in Codebook.read(FULL).questions] == [
        "ordinal",
        "set",
        "interval",
        "ratio",
        "none",
    ]


def test_hotkey_twice_in_one_question() -> None:
    error = refused(codebook(question(options=options("a", "b", hotkeys="xx"))))
    assert (error.field, error.reason) == ("questions[0].options", "the hotkey “x” is used twice")


def pair(first: dict[str, Any], second: dict[str, Any], *before: dict[str, Any]) -> dict[str, Any]:
    """Two questions with the same hotkeys under these conditions."""
    keyed = options("a", "b", hotkeys="12")
    return codebook(
        *before, question("one", options=keyed, **first), question("two", options=keyed, **second), title="x"
    )


def test_hotkey_in_two_questions_that_are_asked_together() -> None:
    error = refused(pair({}, {}))
    assert error.field == "questions[1].options"
    assert error.reason == "the hotkey “1” is used twice, here and in “one”"


@pytest.mark.parametrize(
    ("first", "second", "before"),
    [
        ({"when": when("fit", "yes")}, {"when": when("fit", "no")}, []),
        (
            {"when": when("more", "yes")},
            {"when": when("fit", "no")},
            [question("more", when=when("fit", "yes"))],
        ),
        ({"when": when("fit", "yes")}, {"when": when("fit", "no")}, [question("between")]),
    ],
)
def test_hotkey_may_serve_two_questions_that_are_never_asked_together(
    first: dict[str, Any], second: dict[str, Any], before: list[dict[str, Any]]
) -> None:
    assert Codebook.read(pair(first, second, question(), *before)).questions[-1].options[0].hotkey == "1"


@pytest.mark.parametrize(
    ("first", "second", "before"),
    [
        ({"when": when("fit", "yes")}, {}, [question()]),
        ({"when": when("fit", "yes")}, {"when": when("fit", "yes", "no")}, [question()]),
        # Both options of a multiple choice can be ticked, and then both questions are on the page.
        ({"when": when("fit", "yes")}, {"when": when("fit", "no")}, [question(form="multiple")]),
        ({"when": when("fit", "yes")}, {"when": when("other", "no")}, [question(), question("other")]),
    ],
)
def test_hotkey_of_questions_that_may_be_asked_together_is_refused(
    first: dict[str, Any], second: dict[str, Any], before: list[dict[str, Any]]
) -> None:
    assert "is used twice" in refused(pair(first, second, *before)).reason
