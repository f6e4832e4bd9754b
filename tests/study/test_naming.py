from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from labeling.study.naming import artefacts_of, camel_case, is_java_name, why_no_name


@pytest.mark.parametrize(
    ("name", "signs", "better"),
    [
        ("getUserName", [], "getUserName"),
        ("parseURL", [], "parseURL"),
        ("x", [], "x"),
        ("get user name", ["separators"], "getUserName"),
        ("get|user|name", ["separators"], "getUserName"),
        ("get <unk> name", ["unknown", "separators"], "getName"),
        ("foo<UNK>", ["unknown"], "foo"),
        ("getUnkName", ["unknown"], "getName"),
        ("get_user_name", ["underscores"], "getUserName"),
        ("GetName", ["casing"], "getName"),
        ("GET_NAME", ["underscores", "casing"], "getName"),
        ("URLParse", ["casing"], "urlParse"),
        ("get_2_x", ["underscores"], "get2X"),
        ("größeÄndern", [], "größeÄndern"),
    ],
)
def test_signs_that_give_a_technique_away(name: str, signs: list[str], better: str) -> None:
    assert artefacts_of(name) == signs
    assert camel_case(name) == better
    assert why_no_name(name) == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("123", "“123” is not a Java identifier"),
        ("get(x)", ""),  # signs between words become camelCase
        ("<unk>", "is not a Java identifier"),
        ("int", "“int” is not a Java identifier"),
        ("2 fast", "is not a Java identifier"),
        ("a\x07b", "cannot be shown"),
        ("x" * 301, "301 characters"),
    ],
)
def test_what_is_no_name_is_told_why(name: str, said: str) -> None:
    assert said in why_no_name(name)
    assert bool(said) == bool(why_no_name(name))


@given(st.text(max_size=30))
@example("¹aA")  # a digit that is no digit to a regular expression, and only single letters
def test_camel_case_of_anything_is_a_java_name_or_was_never_one(text: str) -> None:
    better = camel_case(text)
    if is_java_name(better):
        assert camel_case(better) == better or "casing" not in artefacts_of(better)
        assert "separators" not in artefacts_of(better)
        assert why_no_name(text) == "" or not (artefacts_of(text) or is_java_name(text)) or not text.isprintable()
