"""`manage.py agreement` reads what people have, says what is wrong and where, and prints numbers that can be quoted."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotator import __version__
from tests.agreement.samples import FOUR_BY_TWELVE, Table
from tests.servers import ROOT

COEFFICIENTS = (
    "unanimous",
    "pairwise_agreement",
    "krippendorff_alpha",
    "fleiss_kappa",
    "conger_kappa",
    "gwet_ac",
    "brennan_prediger",
)
HEADER = "item,annotator,value\n"
SMALL = HEADER + "1,ann,x\n1,bob,x\n2,ann,y\n2,bob,x\n3,ann,y\n3,bob,y\n"


def rows_of(table: Table) -> list[str]:
    return [f"{i},r{j},{v}" for i, row in enumerate(table) for j, v in enumerate(row) if v is not None]


class Print:
    """Writes a file, runs the command on it, and gives what was printed."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.file = folder / "ratings.csv"
        self.capsys = capsys

    def __call__(self, text: str | bytes, *options: str) -> str:
        self.file.write_bytes(text.encode() if isinstance(text, str) else text)
        call_command("agreement", str(self.file), "--bootstrap", "50", *options)
        return self.capsys.readouterr().out

    def json(self, text: str | bytes, *options: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self(text, *options))
        return answer

    def refusal(self, text: str | bytes, *options: str) -> str:
        with pytest.raises(CommandError) as caught:
            self(text, *options)
        assert self.capsys.readouterr().out == ""
        return str(caught.value)


@pytest.fixture
def printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Print:
    return Print(tmp_path, capsys)


def test_json_has_the_promised_shape(printed: Print) -> None:
    found = printed.json(SMALL, "--seed", "7")
    promised = ["question", "items", "items_used", "items_left_out", "raters", "ratings", *COEFFICIENTS]
    assert list(found)[: len(promised)] == promised
    assert [found[name] for name in promised[:6]] == ["", 3, 3, 0, 2, 6]
    for name in COEFFICIENTS:
        assert list(found[name]) == ["value", "low", "high", "reason"]
    assert found["unanimous"]["value"] == pytest.approx(2 / 3)
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"], pair["items"]) == ("ann", "bob", 3)
    assert pair["cohen_kappa"]["value"] == pytest.approx(0.4)
    assert found["interval"] == {
        "method": "percentile bootstrap over items, 50 resamples",
        "share": "Wilson",
        "resamples": 50,
        "seed": 7,
        "confidence": 0.95,
    }


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_levels_are_those_of_krippendorff(printed: Print, level: str, alpha: float) -> None:
    found = printed.json(HEADER + "\n".join(rows_of(FOUR_BY_TWELVE)), "--level", level)
    assert found["krippendorff_alpha"]["value"] == pytest.approx(alpha, abs=5e-4)
    assert (found["items"], found["items_used"], found["left_out"]) == (12, 11, {"one rating only": 1})


def test_each_question_is_a_line_of_json(printed: Print) -> None:
    text = "item,annotator,value,question\n1,a,x,why\n1,b,x,why\n2,a,x,why\n1,a,5,how much\n1,b,6,how much\n"
    first, second = (json.loads(line) for line in printed(text).splitlines())
    assert (first["question"], first["items"], first["items_left_out"]) == ("why", 2, 1)
    assert (second["question"], second["items"], second["raters"]) == ("how much", 1, 2)


@pytest.mark.parametrize("options", [(), ("--cluster",), ("--interval", "bca"), ("--level", "ordinal")])
def test_order_of_the_rows_changes_no_digit(printed: Print, options: tuple[str, ...]) -> None:
    rows = [f"{row},g{int(row.split(',')[0]) % 5}" for row in rows_of(FOUR_BY_TWELVE)]
    header = "item,annotator,value,group\n"
    before = printed(header + "\n".join(rows), "--seed", "3", *options)
    Random(1).shuffle(rows)  # noqa: S311 (a test)
    assert printed(header + "\n".join(rows), "--seed", "3", *options) == before


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf" + SMALL.encode(),
        SMALL.replace(",", ";"),
        SMALL.replace(",", "\t"),
        SMALL.replace("\n", "\r\n"),
        SMALL.replace("\n", "\n\n"),
        SMALL.rstrip("\n"),
        SMALL.replace("item,annotator,value", "Item, Annotator ,VALUE"),
        SMALL.replace("ann,", '"ann",').replace("1,", " 1 ,"),
        SMALL.replace(",x", ",x,note").replace(",y", ",y,note").replace(",value", ",value,remark"),
        SMALL.replace(",x", ",x,a\u2028b\x85c\x0bd\x1ce").replace(",y", ",y,").replace(",value", ",value,remark"),
    ],
    ids=[
        "BOM",
        "semicolons",
        "tabs",
        "CRLF",
        "blank lines",
        "no last line end",
        "header",
        "quotes",
        "more columns",
        "characters that end a line elsewhere",
    ],
)
def test_file_is_read_however_it_was_saved(printed: Print, text: str | bytes) -> None:
    assert printed.json(text) == printed.json(SMALL)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("", (), "The file is empty"),
        ("\n\n", (), "The file is empty"),
        ("\n" + SMALL, (), "Line 1 is blank: it needs the names of the columns"),
        (HEADER, (), "The file has no ratings"),
        (
            "item,rater,value\n1,a,x\n",
            (),
            "Line 1: there is no column “annotator”. The columns are: item, rater, value.",
        ),
        ("item,item,annotator,value\n", (), "Line 1: the column “item” is there twice."),
        (SMALL + "2,ann,x\n", (), "Line 8: “ann” rated the item “2” already on line 4."),
        (SMALL + "\n\n3,bob,y\n", (), "Line 10: “bob” rated the item “3” already on line 7."),
        (SMALL + "4,ann\n", (), "Line 8: 2 cells, where line 1 has 3."),
        (SMALL + "4,ann,x,y\n", (), "Line 8: 4 cells, where line 1 has 3."),
        (SMALL + ",ann,x\n", (), "Line 8: there is no item."),
        (SMALL + "4, ,x\n", (), "Line 8: there is no annotator."),
        (SMALL + '4,"ann"s,x\n', (), "Line 8 is not CSV"),
        (SMALL.encode() + b"4,\xff,x\n", (), "Line 8 is not UTF-8"),
        (SMALL.replace("\n", "\r").encode() + b"4,\xff,x\n", (), "Line 8 is not UTF-8"),
        ((HEADER + "1,ann,\n" * 9_000).encode() + b"4,f\xe4hig,x\n" + SMALL.encode(), (), "Line 9002 is not UTF-8"),
        (SMALL + '4,"a\u2028nn",x\n4,bob\n', (), "Line 9: 2 cells, where line 1 has 3."),
        (SMALL, ("--level", "interval"), "Line 2: “x” is no number, which the interval level needs."),
        (HEADER + "1,a,3\n1,b,1e400\n", ("--level", "interval"), "Line 3: “1e400” is no number"),
        (HEADER + "1,a,3\n1,b,nan\n", ("--level", "ratio"), "Line 3: “nan” is no number"),
        (HEADER + "1,a,3\n1,b,1_0\n", ("--level", "ratio"), "Line 3: “1_0” is no number"),
        ("item;annotator;value\n1;a;1,5\n", ("--level", "interval"), "Line 2: “1,5” is no number"),
        (HEADER + "1,a,-3\n", ("--level", "ratio"), "Line 2: -3 lies below zero"),
        (SMALL, ("--level", "ordinal"), "Line 2: “x” is no number, which the ordinal level needs. Name the categories"),
        (SMALL, ("--categories", "x,z"), "Line 4: “y” is none of the categories x, z."),
        (SMALL, ("--categories", "x,x"), "A category is named twice."),
        (SMALL, ("--categories", "1,2", "--level", "ratio"), "Categories can be named at the nominal and the ordinal"),
        (SMALL, ("--cluster",), "Line 1: intervals over groups need a column “group”."),
        (SMALL, ("--bootstrap", "-1"), "--bootstrap takes a number of resamples from 0"),
        (SMALL, ("--seed", "-1"), "--seed takes a number of zero or more."),
        (SMALL, ("--level", "nominel"), "invalid choice: 'nominel'"),
    ],
)
def test_bad_input_is_named_with_its_line(
    printed: Print, text: str | bytes, options: tuple[str, ...], said: str
) -> None:
    assert said in printed.refusal(text, *options)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("1,a,x,g\n1,b,x,h\n", "Line 3: the item “1” is in the group “h” here and in “g” above."),
        ("1,a,x,g\n2,b,x,\n", "Line 3: the item “2” has no group."),
    ],
)
def test_groups_must_be_one_for_each_item(printed: Print, rows: str, said: str) -> None:
    text = "item,annotator,value,group\n" + rows
    assert said in printed.refusal(text, "--cluster")
    assert printed.json(text)["items"] == len(rows.splitlines()) - ("1,b" in rows)


def test_nothing_is_printed_when_a_later_question_is_wrong(printed: Print) -> None:
    text = "item,annotator,value,question\n1,a,x,one\n1,b,x,one\n1,a,x,two\n1,a,x,two\n"
    assert "in the question “two” already on line 4" in printed.refusal(text)


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nothing\.csv cannot be read: No such file or directory\."):
        call_command("agreement", str(tmp_path / "nothing.csv"))


def test_cell_that_is_far_too_long_is_refused(printed: Print) -> None:
    before = csv.field_size_limit(100)
    try:
        assert "Line 2 is not CSV: field larger than field limit" in printed.refusal(HEADER + "1,a," + "x" * 500 + "\n")
    finally:
        csv.field_size_limit(before)


def test_empty_value_is_a_missing_rating_and_not_a_category(printed: Print) -> None:
    found = printed.json(SMALL + "1,cyd,\n4,ann,\n")
    assert (found["items"], found["items_used"], found["raters"], found["ratings"]) == (4, 3, 2, 6)
    assert found["left_out"] == {"no rating": 1}


@pytest.mark.parametrize("level", ["interval", "ratio"])
@pytest.mark.parametrize("unit", ["e307", "e200", "e-200", "e-307"])
@pytest.mark.filterwarnings("error")
def test_unit_of_the_numbers_changes_no_coefficient(printed: Print, level: str, unit: str) -> None:
    text = HEADER + "1,ann,10{0}\n1,bob,10{0}\n2,ann,17{0}\n2,bob,10{0}\n3,ann,0{0}\n3,bob,0{0}\n"
    plain = printed.json(text.format(""), "--level", level)
    other = printed.json(text.format(unit), "--level", level)
    for name in ("krippendorff_alpha", "gwet_ac", "fleiss_kappa_weighted", "conger_kappa_weighted"):
        assert other[name] == pytest.approx(plain[name])
    assert other["pairs"][0]["cohen_kappa_quadratic"] == pytest.approx(plain["pairs"][0]["cohen_kappa_quadratic"])


def test_numbers_are_categories_by_value_and_not_by_spelling(printed: Print) -> None:
    found = printed.json(HEADER + "1,a,1\n1,b,1.0\n2,a,10\n2,b,2\n", "--level", "interval")
    assert found["unanimous"]["value"] == 0.5
    assert [category["label"] for category in found["categories"]] == ["1", "2", "10"]


def test_cell_that_was_made_safe_for_spreadsheets_is_the_number_it_was(printed: Print) -> None:
    found = printed.json(HEADER + "1,a,'-1\n1,b,-1\n2,a,3\n2,b,3\n", "--level", "interval")
    assert found["unanimous"]["value"] == 1


def test_named_categories_give_order_and_count_also_where_unused(printed: Print) -> None:
    text = HEADER + "1,a,low\n1,b,high\n2,a,low\n2,b,low\n3,a,high\n3,b,high\n"
    found = printed.json(text, "--level", "ordinal", "--categories", "low,middle,high")
    assert [category["label"] for category in found["categories"]] == ["low", "middle", "high"]
    assert found["brennan_prediger"]["value"] == pytest.approx((2 / 3 - 1 / 3) / (2 / 3))


@pytest.mark.parametrize(("distance", "apart"), [("masi", 1 - 2 / 3 / 2), ("jaccard", 0.5)])
def test_sets_are_compared_as_sets(printed: Print, distance: str, apart: float) -> None:
    text = HEADER + "1,a,x|y\n1,b,y | x\n2,a,x\n2,b,x|y\n3,a,\n3,b,\n"
    found = printed.json(text, "--level", "set", "--distance", distance)
    observed = apart * 2 / 6
    expected = 2 * (3 * 1 * apart + 3 * 2 * 1 + 1 * 2 * 1) / (6 * 5)
    assert found["krippendorff_alpha"]["value"] == pytest.approx(1 - observed / expected)
    assert found["unanimous"]["value"] == pytest.approx(2 / 3)
    assert [option["label"] for option in found["options"]] == ["x", "y"]


def test_one_item_gets_an_answer(printed: Print) -> None:
    found = printed.json(HEADER + "1,a,x\n1,b,y\n")
    assert (found["items"], found["pairwise_agreement"]["value"]) == (1, 0)
    assert found["fleiss_kappa"]["value"] == -1
    assert found["fleiss_kappa"]["low"] is None


def test_latex_names_everything_that_a_reviewer_asks_for(printed: Print) -> None:
    text = "item,annotator,value,question\n" + "".join(f"{row},50%_of & more\n" for row in rows_of(FOUR_BY_TWELVE))
    latex = printed(text, "--format", "latex", "--seed", "7", "--level", "ordinal", "--interval", "bca")
    for said in (
        r"\begin{table}",
        r"50\%\_of \& more",
        r"Krippendorff's $\alpha$ (ordinal) & $0.815$",
        r"Unanimous items & 72.73\,\%",
        "12 items, of which 11 have two or more and 1 were left out",
        "Missing ratings were not imputed",
        "BCa bootstrap over items, 50 resamples, seed 7",
        "ordinal weights",
        f"Concord {__version__} (numpy ",
    ):
        assert said in latex
    assert all(ord(character) < 128 for character in latex)


def test_latex_says_why_a_coefficient_is_undefined(printed: Print) -> None:
    latex = printed(HEADER + "1,a,x\n1,b,x\n", "--format", "latex")
    assert r"Fleiss' $\kappa$ & -- & undefined" in latex
    assert r"Fleiss' $\kappa$ is undefined: Every rating that counts here is the same" in latex


def test_text_is_a_table_with_its_sentences(printed: Print) -> None:
    text = printed(SMALL, "--format", "text", "--seed", "7")
    assert "3 of 3 items used, 0 left out; 6 ratings by 2 raters" in text
    assert "ann – bob (3 items)" in text
    assert "Krippendorff (2004: .667, .800)" in text
    assert "percentile bootstrap over items, 50 resamples, seed 7" in text


def test_version_is_the_one_of_the_project() -> None:
    assert f'\nversion = "{__version__}"\n' in (ROOT / "pyproject.toml").read_text()
