from __future__ import annotations

import pytest

from labeling.mining.links.words import (
    NAMING_WORDS,
    NamePart,
    compare_names,
    list_added,
    list_dropped,
    match_words,
    split_name,
    stem,
    subtokens,
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("borrowBook", "borrow Book"),
        ("getHTTPStatus", "get HTTP Status"),
        ("toJSON", "to JSON"),
        ("listURLs", "list URLs"),
        ("parseV2Header", "parse V 2 Header"),
        ("utf8", "utf 8"),
        ("shelf_row__count", "shelf row count"),
        ("MAX_ROWS", "MAX ROWS"),
        ("lambda$sort$0", "lambda sort 0"),
        ("_hidden", "hidden"),
        ("x", "x"),
        ("aBCd", "a B Cd"),
        ("zähleÜberträge", "zähle Überträge"),
        ("ÉTATInitial", "ÉTAT Initial"),
        ("本を借りるNow", "本を借りる Now"),
        ("ряд٣Ряд", "ряд ٣ Ряд"),
        ("_", ""),
        ("$$", ""),
    ],
)
def test_name_is_taken_apart_into_its_words(name: str, words: str) -> None:
    assert list(subtokens(name)) == words.split()


@pytest.mark.parametrize("name", ["a_b$c", "__x", "getHTTPUrl2", "Überträge_İ", "two words-3", "", "e\u0301tat"])
def test_pieces_joined_are_the_name_again(name: str) -> None:
    assert "".join(split_name(name)) == name


@pytest.mark.parametrize(
    ("buggy", "fixed", "parts"),
    [
        ("loadEntry", "readLedgerEntry", ["-load", "+read", "+Ledger", "=Entry/Entry"]),
        ("rows", "countRows", ["+count", "=rows/Rows"]),
        ("getRows", "rows", ["-get", "=Rows/rows"]),
        ("shelf_row", "shelfRow", ["=shelf/shelf", "-_", "=row/Row"]),
        ("toURL", "toUrl", ["=to/to", "=URL/Url"]),
        ("a", "b", ["-a", "+b"]),
        ("añoNuevo", "AÑONuevo", ["=año/AÑO", "=Nuevo/Nuevo"]),
    ],
)
def test_difference_of_two_names_is_kept_dropped_and_added_in_order(buggy: str, fixed: str, parts: list[str]) -> None:
    assert [shorten(part) for part in compare_names(buggy, fixed)] == parts


@pytest.mark.parametrize(
    ("buggy", "fixed"), [("a_bC", "cB_a"), ("x" * 9 + "Y" * 900, "zZ" * 900), ("loadLoad", "load")]
)
def test_difference_holds_both_names_whole(buggy: str, fixed: str) -> None:
    parts = compare_names(buggy, fixed)
    assert "".join(part.before for part in parts) == buggy
    assert "".join(part.after for part in parts) == fixed


def test_underscores_are_no_words_that_changed() -> None:
    parts = compare_names("load_Entry", "readEntry$")
    assert (list_dropped(parts), list_added(parts)) == (["load"], ["read"])


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


def shorten(part: NamePart) -> str:
    if part.state == "kept":
        return f"={part.before}/{part.after}"
    return f"-{part.before}" if part.state == "dropped" else f"+{part.after}"
