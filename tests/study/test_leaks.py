"""What is found in a body, what masking leaves of it, and what is none of our business."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, strategies as st

from labeling.study.leaks import BLANK, Leak, Named, declared_name, find_leaks, mask_body, show_name

NONE: Mapping[str, str] = {}


def kinds(body: str, *names: str) -> list[tuple[str, str, tuple[int, ...]]]:
    found = find_leaks(Named("m", body, names), shown=NONE)
    return [(leak.kind, leak.name, leak.lines) for leak in found]


def masked(body: str, *names: str, only: str = "") -> str:
    def rule(leak: Leak) -> str:
        return "mask" if not only or leak.kind == only else "waive"

    return mask_body(Named("m", body, names), shown=NONE, rule=rule)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("load(x);", "own_call"),
        ("this.load(x);", "own_call"),
        ("run(this::load);", "own_call"),
        ("other.load(x);", "other_call"),
        ("map(Other::load);", "other_call"),
        ("int load = 3;", "identifier"),
        ("new load(3);", "identifier"),
        ("// now load it", "comment"),
        ("/* load\n */", "comment"),
        ("/* not closed: load", "comment"),
        ('log.info("cannot load");', "text"),
        ('String s = """\n  please load\n""";', "text"),
    ],
)
def test_name_in_a_body_is_found_and_masked(line: str, kind: str) -> None:
    body = f"void head(int x) {{\n{line}\n}}"
    ((found, name, lines),) = kinds(body, "load")
    assert (found, name, lines[0] >= 2) == (kind, "load", True)
    hidden = masked(body, "load")
    assert kinds(hidden, "load") == []
    assert hidden.count("\n") == body.count("\n")
    assert hidden == body.replace("load", BLANK).replace("head", BLANK)


@pytest.mark.parametrize("line", ["reload(x);", "loadAll();", "// loading", "'l';", "int $load;", '"downloads"'])
def test_part_of_a_word_is_no_leak(line: str) -> None:
    assert kinds(f"void head() {{ {line} }}", "load") == []


@pytest.mark.parametrize("words", ["get user name", "get_user_name", "GET-USER-NAME", "getUserName", "GetUserName"])
def test_words_of_a_name_in_prose_are_a_leak(words: str) -> None:
    assert kinds(f"void head() {{ // {words}\n}}", "getUserName") == [("comment", "getUserName", (1,))]
    assert kinds(f'void head() {{ log("{words}"); }}', "getUserName") == [("text", "getUserName", (1,))]


def test_words_over_two_lines_are_left_alone() -> None:
    assert kinds("void head() { /* get\n user name */ }", "getUserName") == []


def test_one_small_word_in_prose_counts_only_as_it_is_written() -> None:
    assert kinds("void head() { // Run it\n}", "run") == []
    assert kinds("void head() { // run it\n}", "run") == [("comment", "run", (1,))]


def test_declared_name_is_always_blanked_and_its_recursion_is_a_leak_of_its_own() -> None:
    body = '@Named("of(x)") public <T> List<T> load(int a) {\n  return a > 0 ? load(a - 1) : null;\n}'
    assert declared_name(body) == "load"
    assert kinds(body, "fetch") == [("own_call", "load", (2,))]
    assert masked(body, "fetch", only="nothing").splitlines()[0] == body.splitlines()[0].replace(" load(", f" {BLANK}(")


@pytest.mark.parametrize("body", ["return x;", "{ load(); }", "x = load();", "new Load();", "if (x) y();", "", "@"])
def test_body_without_a_head_declares_nothing(body: str) -> None:
    assert declared_name(body) == ""


def test_longest_name_in_prose_is_masked_whole() -> None:
    body = "void head() { // get user name\n}"
    assert masked(body, "getUser", "getUserName") == f"void {BLANK}() {{ // {BLANK}\n}}"


def test_body_is_searched_for_names_as_they_are_shown_too() -> None:
    named = Named("m", "void head() { getUser(); }", ("get user",))
    found = find_leaks(named, shown={"get user": "getUser"})
    assert [(leak.kind, leak.name) for leak in found] == [("separators", "get user"), ("own_call", "getUser")]


def test_only_what_is_ruled_is_masked() -> None:
    body = "void head() {\n  load(); // load\n}"
    assert masked(body, "load", only="comment") == f"void {BLANK}() {{\n  load(); // {BLANK}\n}}"


def test_name_is_normalised_when_one_of_its_signs_is_ruled_so() -> None:
    def rule(leak: Leak) -> str:
        return "normalise" if leak.kind == "separators" else "waive"

    assert show_name("Get name", "m", rule=rule) == "getName"
    assert show_name("GetName", "m", rule=rule) == "GetName"


@given(st.text(alphabet="ab(){}\"'/*\n\\ ._:;@$x", max_size=60))
def test_any_text_is_masked_without_a_trace_and_keeps_its_lines(text: str) -> None:
    hidden = masked(text, "a", "ab")
    assert hidden.count("\n") == text.count("\n")
    assert [leak for leak in kinds(hidden, "a", "ab") if leak[1] in {"a", "ab"}] == []
