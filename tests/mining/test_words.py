from __future__ import annotations

import pytest

from labeling.mining.links.words import NAMING_WORDS, match_words, stem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Could the NAME be more Descriptive?", ["name", "descriptive"]),
        ("This is a `misleading` one", ["misleading"]),
        ("**naming**: _typo_, (rename)", ["naming", "rename", "typo"]),
        ("name's", ["name"]),
        ("use getName and file_name, not the filename, surname or renameTo", []),
        ("", []),
    ],
)
def test_naming_words_match_as_whole_words(text: str, words: list[str]) -> None:
    assert match_words(text) == words


def test_caller_chooses_the_words_and_phrases() -> None:
    words = ["Benennung", "better name", "größe", " "]
    assert match_words("Die BENENNUNG der GRÖSSE. A better\n  name?", words) == ["Benennung", "better name", "größe"]
    assert match_words("a name, better", words) == []


def test_default_words_hold_those_of_the_paper() -> None:
    assert {"naming", "name", "inconsistent", "descriptive"} <= set(NAMING_WORDS)
    assert len(set(NAMING_WORDS)) == len(NAMING_WORDS)


@pytest.mark.parametrize(
    "family",
    [
        "approximate approximated approximates approximating",
        "entry entries",
        "class classes",
        "borrow borrowed Borrows",
    ],
)
def test_word_is_found_again_with_another_ending(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize(("one", "other"), [("as", "a"), ("red", "r"), ("class", "clas")])
def test_short_words_keep_their_ending(one: str, other: str) -> None:
    assert stem(one) != stem(other)
