from __future__ import annotations

import json
from typing import Any

import pytest

from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.payloads import FieldError, field_types, from_cell, to_cell, without_blanks
from tests.corpus.samples import review_rename


def test_what_is_written_is_what_was_read() -> None:
    data = review_rename(colour="red", extra={"nested": [1, {"a": None}]})
    written = ReviewRename.read(data).write()
    assert ReviewRename.read(written) == ReviewRename.read(data)
    assert written["colour"] == "red"
    assert written["nested"] == [1, {"a": None}]


def test_smallest_item() -> None:
    smallest = {"buggy_name": "a", "fixed_name": "b", "body_before": "void a() {}"}
    assert ReviewRename.read(smallest).write() == smallest


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"buggy_name": None}, "buggy_name", "must be text, not nothing"),
        ({"buggy_name": "two words"}, "buggy_name", "not a Java identifier"),
        ({"buggy_name": "1st"}, "buggy_name", "not a Java identifier"),
        ({"fixed_name": "load1"}, "fixed_name", "the same as buggy_name"),
        ({"body_before": " \n"}, "body_before", "is empty"),
        ({"body_before": "a\x00b"}, "body_before", "NUL"),
        ({"body_before": "x" * 1_000_001}, "body_before", "1,000,001 characters"),
        ({"pull_request": {"title": "x"}}, "pull_request.number", "is missing"),
        ({"pull_request": {"number": "7"}}, "pull_request.number", "must be a whole number, not “7”"),
        ({"pull_request": {"number": True}}, "pull_request.number", "must be a whole number"),
        ({"pull_request": {"number": 1, "state": "lost"}}, "pull_request.state", "must be one of merged, closed, open"),
        ({"pull_request": {"number": 1, "colour": "red"}}, "pull_request.colour", "is not a field"),
        ({"thread": {}}, "thread", "must be a list, not an object"),
        ({"thread": [{"body": "a"}, "b"]}, "thread[1]", "must be an object"),
        ({"thread": [{"body": "a", "line": 1.5}]}, "thread[0].line", "must be a whole number"),
        ({"thread": [{"body": "a", "linked": "yes"}]}, "thread[0].linked", "must be true or false"),
        ({"evidence": [{"sign": "x", "weight": "much"}]}, "evidence[0].weight", "must be a number"),
        ({"evidence": [{"sign": "x", "weight": 1, "comment": 9}]}, "evidence[0].comment", "no comment 9"),
    ],
)
def test_wrong_field_is_named(change: dict[str, Any], field: str, reason: str) -> None:
    with pytest.raises(FieldError) as caught:
        ReviewRename.read(review_rename(**change))
    assert caught.value.field == field
    assert reason in caught.value.reason


@pytest.mark.parametrize("data", [None, [], "text", 3])
def test_what_is_no_object_is_refused(data: object) -> None:
    with pytest.raises(FieldError, match="must be an object"):
        ReviewRename.read(data)


def test_unicode_names_are_java_names() -> None:
    assert ReviewRename.read(review_rename(fixed_name="größe_$1")).fixed_name == "größe_$1"


def test_blanks_do_not_make_another_item() -> None:
    first, second = (
        ReviewRename.read(review_rename(body_before=body)) for body in ("void load1() { }", "void  load1()\n{\n}")
    )
    assert first.sameness == second.sameness
    assert first.sameness != ReviewRename.read(review_rename(2)).sameness


def test_cells_come_back_as_they_were() -> None:
    types = field_types(ReviewRename)
    assert types["pull_request.number"] is int
    values = {"pull_request.number": 7, "thread": [{"body": "a|b"}], "matched_words": ["name"], "body_before": "{ }"}
    for name, value in values.items():
        assert from_cell(types[name], to_cell(value), name) == value
    assert from_cell(types["matched_words"], "name|rename", "") == ["name", "rename"]
    assert json.loads(to_cell({"b": 1, "a": 2})) == {"a": 2, "b": 1}


@pytest.mark.parametrize("letter", ["a", "ü", "\u3000"])
def test_without_blanks_nothing_is_left_of_any_white_space(letter: str) -> None:
    every = [chr(code) for code in range(0x3100)]
    blanks = "".join(one for one in every if one.isspace() and (one.isascii() or not letter.isascii()))
    kept = "".join(one for one in every if not one.isspace() and (one.isascii() or not letter.isascii()))
    assert without_blanks(f"{blanks}{letter}{blanks}{kept}{blanks}") == f"{letter.strip()}{kept}"
