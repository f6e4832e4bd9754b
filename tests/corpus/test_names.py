from __future__ import annotations

import pytest

from labeling.corpus.names import (
    NamePart,
    compare_names,
    list_added,
    list_dropped,
    similarity,
    split_name,
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
    ("one", "other", "share"),
    [
        ("getRows", "get_rows", 1.0),
        ("getRows", "fetchRows", 0.5),
        ("toURL", "toUrl", 1.0),
        ("load", "store", 0.0),
        ("_", "_", 1.0),
        ("_", "$", 0.0),
    ],
)
def test_names_are_alike_by_the_words_they_share(one: str, other: str, share: float) -> None:
    assert similarity(one, other) == share


def shorten(part: NamePart) -> str:
    if part.state == "kept":
        return f"={part.before}/{part.after}"
    return f"-{part.before}" if part.state == "dropped" else f"+{part.after}"
