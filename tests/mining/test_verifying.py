from __future__ import annotations

import pytest

from labeling.mining.renames.java import Method, parse_methods
from labeling.mining.renames.matching import Match, Tier
from labeling.mining.renames.verifying import parse_method, verify
from tests.mining.finding_helpers import in_class


def read(method: str) -> Method:
    return parse_methods(in_class(method).encode())[0]


@pytest.mark.parametrize(
    ("before", "after", "tier"),
    [
        ("int a(int n) { return n + 1; }", "int b(int n) { return n + 1; }", "exact"),
        ("int a(int n) { return a(n); }", "int b(int n) { return b(n); }", "self_call"),
        ("int a(int n) { return this.a(n); }", "int b(int n) { return this.b(n); }", "self_call"),
        ("public int a() { return 1; }", "@X int b() { return 1; }", "modifiers"),
        ("int a() { return 1; }", "long b() { return 1; }", "return_type"),
        ("default int a() { return 1; }", "default int b() { return 1; }", "exact"),
        ("abstract int a();", "abstract int b();", "exact"),
    ],
)
def test_javalang_agrees_with_what_the_tier_allows(before: str, after: str, tier: Tier) -> None:
    assert verify(Match(read(before), read(after), tier)) == "javalang"


@pytest.mark.parametrize(
    ("before", "after", "tier"),
    [
        ("int a(int n) { return n + 1; }", "int b(int n) { return n + 2; }", "exact"),
        ("int a(int n) { return n + 1; }", "int b(long n) { return n + 1; }", "exact"),
        ("int a(int n) { return a(n); }", "int b(int n) { return b(n); }", "exact"),
        ("int a(int n) { return x.a(n); }", "int b(int n) { return x.b(n); }", "self_call"),
        ("public int a() { return 1; }", "int b() { return 1; }", "exact"),
        ("int a() { return 1; }", "long b() { return 1; }", "modifiers"),
    ],
)
def test_javalang_disagrees_beyond_that(before: str, after: str, tier: Tier) -> None:
    assert verify(Match(read(before), read(after), tier)) == "tokens"


def test_sum_of_more_parts_than_python_compares_is_left_to_the_tokens() -> None:
    body = "{ return 1" + "+ 1" * 5_000 + "; }"
    assert parse_method(read("int a() " + body)) is not None
    assert verify(Match(read("int a() " + body), read("int b() " + body), "exact")) == "tokens"


def test_expression_nested_too_deep_for_python_is_left_to_the_tokens() -> None:
    body = "{ return " + "(" * 5_000 + "1" + ")" * 5_000 + "; }"
    method = read("int a() " + body)
    assert parse_method(method) is None
    assert verify(Match(method, read("int b() " + body), "exact")) == "tokens"
