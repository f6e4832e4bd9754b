from __future__ import annotations

import textwrap
import time

import pytest

from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.files import LARGEST_FILE, built_in, read_codebook, write_codebook
from labeling.refusals import Invalid
from tests.annotation.protocols.samples import FULL, codebook, options, question
from tests.servers import ROOT

SMALL = """\
title: Fit
questions:
- key: fit
  text: Does it fit?
  options:
  - key: yes
    label: Yes
    hotkey: 1
  - key: no
    label: 5
"""


def refusal(text: str | bytes) -> str:
    with pytest.raises(Invalid) as caught:
        read_codebook(text)
    return str(caught.value)


NASTY = [
    "", " ", "\n", "a\n", "\na", "a\n\n\nb\n\n", "  indented\n back", "trailing blank \nx", "tab\there", "# no comment",
    "key: value", "- list", "*alias", "&anchor", "!!tag x", "yes", "null", "1", "1e3", "2026-01-01", "=", "<<",
    "---\nx", "...", "“quotes” 'single' \"double\"", "日本語 🙂 \u202eright to left", "\u2028 \x85 \ufeff", "a: b # c",
    "line\r\nend\r", "%x", "{{ x }}",
]  # fmt: skip


@pytest.mark.parametrize("name", ["rename4j", "equivalence", "paraphrase"])
def test_built_in_protocol_survives_export_and_import(name: str) -> None:
    book = built_in()[name]
    assert read_codebook(write_codebook(book)) == book


@pytest.mark.parametrize("text", NASTY)
def test_every_text_survives_export_and_import(text: str) -> None:
    book = Codebook.read(codebook(question(help=text), guideline=text))
    again = read_codebook(write_codebook(book).encode())
    assert again == book


def test_full_codebook_survives_export_and_import() -> None:
    book = Codebook.read(FULL)
    assert read_codebook(write_codebook(book)) == book


def test_largest_codebook_fits_a_file() -> None:
    many = options(*(f"o{number}" for number in range(40)))
    book = Codebook.read(
        codebook(
            *(question(f"q{number}", options=many, help="🙂" * 1000) for number in range(5)), guideline="🙂" * 50_000
        )
    )
    text = write_codebook(book).encode()
    assert len(text) < LARGEST_FILE
    assert read_codebook(text) == book


def test_words_mean_what_they_say() -> None:
    first, second = read_codebook(SMALL).questions[0].options
    assert (first.key, first.hotkey, second.key, second.label) == ("yes", "1", "no", "5")


def test_field_without_a_value_is_not_there() -> None:
    assert read_codebook(SMALL + "  level:\n  when:\n  required: false\nguideline:\n").questions[0].required is False


def test_utf_8_with_a_mark_is_read() -> None:
    assert read_codebook(b"\xef\xbb\xbf" + SMALL.encode()).title == "Fit"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The file is empty"),
        ("# only a comment\n", "The file is empty"),
        ("just words", "line 1: must be an object with named fields, not “just words”"),
        ("- 1\n- 2", "line 1: must be an object"),
        ("title: x\n", "line 1, questions: is missing"),
        (SMALL.replace("  text: Does it fit?\n", ""), "line 3, questions[0].text: is missing"),
        (SMALL.replace("hotkey: 1", "hotkey: xy"), "line 8, questions[0].options[0].hotkey: “xy” must be one"),
        (SMALL.replace("key: no", "key: yes"), "line 5, questions[0].options: the key “yes” is used twice"),
        (SMALL + "title: again\n", "line 11, title: stands here twice"),
        (
            SMALL.replace("    label: Yes", "    label: Yes\n    label: No"),
            "line 8, questions[0].options[0].label: stands",
        ),
        (SMALL + "  required: maybe\n", "line 11, questions[0].required: must be true or false"),
        (SMALL + "  colour: red\n", "line 11, questions[0].colour: is not a field"),
        (SMALL + "  low: .inf\n  form: number\n", "questions[0].options: a question of form number has no options"),
        (SMALL + f"  low: {'9' * 5000}\n", "line 11, questions[0].low: is too large a number"),
        (SMALL + f"  low: 1{':59' * 40}\n", "line 11, questions[0].low: is too large a number"),
        (SMALL + "? [a, b]\n: x\n", "line 11: the name of a field must be a word"),
        ("a: [1, 2", "this is not YAML"),
        ("a: b: c", "line 1: this is not YAML"),
        ("a: \x01", "a character that YAML does not allow"),
        ("title: x\n---\ntitle: y\n", "line 2: this is not YAML"),
        (
            "title: !!python/object/apply:os.system [id]\n",
            "line 1, title: the tag tag:yaml.org,2002:python/object/apply",
        ),
        ("title: !!python/name:os.system x\n", "line 1, title: the tag tag:yaml.org,2002:python/name:os.system"),
        ("title: !mine x\n", "line 1, title: the tag !mine is not taken"),
        ("title: &a x\nguideline: *a\n", "line 2: *a refers to another place"),
        ("[" * 5000, "The file is nested too deeply"),
        ("x" * (LARGEST_FILE + 1), "The file is larger than"),
        (b"title: \xff", "The file is not UTF-8: byte 8"),
    ],
)
def test_bad_file_is_refused_with_its_line(text: str | bytes, said: str) -> None:
    assert said in refusal(text)


def test_billion_laughs_are_refused_at_once() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, after in zip("abcdefgh", "bcdefghi", strict=True)
    )
    started = time.process_time()
    assert "refers to another place" in refusal(bomb)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("name", ["rename4j", "equivalence", "paraphrase"])
def test_built_in_protocol_has_a_key_and_a_help_for_every_option_and_a_guideline(name: str) -> None:
    book = built_in()[name]
    options_ = [option for question in book.questions for option in question.options]
    assert all(option.hotkey and option.help for option in options_)
    for heading in ("# What you judge", "# Edge cases", "# Source"):
        assert heading in book.guideline


def test_rename4j_asks_for_criteria_or_a_reason() -> None:
    decision, criteria, reason = built_in()["rename4j"].questions
    assert decision.option_keys == ["include", "exclude"]
    assert criteria.option_keys == ["suggested", "inspired", "convention", "consistency"]
    assert reason.option_keys == ["unconnected", "not_accepted", "typo", "example", "not_method", "other"]
    assert [question.measured for question in (decision, criteria, reason)] == ["nominal", "set", "nominal"]
    assert criteria.when
    assert reason.when
    assert (criteria.when.answers, reason.when.answers) == (["include"], ["exclude"])


def test_file_in_the_documentation_is_read() -> None:
    text = (ROOT / "docs" / "formats.md").read_text()
    start = text.index("    title: Does the name fit?")
    example = textwrap.dedent(text[start : text.index("| field | meaning |", start)])
    assert read_codebook(example).questions[1].option_keys == ["vague", "wrong"]
