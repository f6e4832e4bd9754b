"""What a comment and the commit say, piece by piece: what shows it, and what only looks like it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labeling.mining.links.linking import link
from tests.mining.review_helpers import AFTER, COMMITS, RENAME, change, comment, link_one, signs_of, text_of


@pytest.mark.parametrize(
    "body", ["readLedgerEntry", "`readLedgerEntry(int)`, no?", "or _readLedgerEntry_", "x.readLedgerEntry()"]
)
def test_new_name_is_the_strongest_word(body: str) -> None:
    found = link_one(comment(body))
    assert signs_of(found) == {"new_name": 5.0}
    assert "readLedgerEntry" in text_of(found, "new_name")


@pytest.mark.parametrize("body", ["readLedgerEntryNow", "doReadLedgerEntry", "READLEDGERENTRYX"])
def test_longer_name_is_not_the_new_name(body: str) -> None:
    assert "new_name" not in signs_of(link_one(comment(body)))


@pytest.mark.parametrize(
    ("body", "share"),
    [
        ("It reads one record.", 0.5),
        ("It reads from the ledger.", 1.0),
        ("The ledgers, I suppose", 0.5),
        ("As in `parseLedgerRow`", 0.5),
        ("It opens a file.", 0.0),
    ],
)
def test_words_of_the_new_name_count_by_their_share(body: str, share: float) -> None:
    assert signs_of(link_one(comment(body))) == ({"new_words": 2.5 * share} if share else {})


def test_words_of_the_new_name_are_shown_as_the_comment_writes_them() -> None:
    assert text_of(link_one(comment("It READS from ledgers.")), "new_words") == "READS, ledgers"


def test_common_words_count_only_when_written_as_code() -> None:
    rename = {"fixed_name": "loadEntryIfNew"}
    assert signs_of(link_one(comment("Only if it is new."), rename=rename)) == {}
    assert signs_of(link_one(comment("Perhaps `storeIfAbsent`."), rename=rename)) == {"new_words": 1.25}


@pytest.mark.parametrize(
    "body", ["`size`", "call it 'size'", "size() is it", "see #size", "**size**", "```java\nsize\n```"]
)
def test_name_that_is_a_plain_word_must_be_written_as_code(body: str) -> None:
    rename = {"buggy_name": "entry", "fixed_name": "size"}
    assert signs_of(link_one(comment(body), rename=rename)) == {"new_name": 5.0}
    assert signs_of(link_one(comment("what size is it?"), rename=rename)) == {"new_words": 2.5}


def test_odd_backtick_marks_nothing() -> None:
    rename = {"buggy_name": "entry", "fixed_name": "size"}
    assert signs_of(link_one(comment("it`s a matter of size, they say"), rename=rename)) == {"new_words": 2.5}


def test_suggested_change_outweighs_all() -> None:
    body = "Hm:\n```suggestion\n    Entry readLedgerEntry(int row) {\n```\nBut see."
    assert signs_of(link_one(comment(body))) == {"suggested": 6.0}


def test_suggested_change_that_keeps_the_old_name_does_not_speak_of_it() -> None:
    assert signs_of(link_one(comment("```suggestion\nprivate Entry loadEntry(int row) {\n```"))) == {}
    assert signs_of(link_one(comment("```java\nprivate Entry loadEntry(int row) {\n```"))) == {"old_name": 2.0}


def test_old_name() -> None:
    assert signs_of(link_one(comment("What does `loadEntry` do?"))) == {"old_name": 2.0}


def test_dropped_words_count_without_the_old_name() -> None:
    assert signs_of(link_one(comment("Nothing is loaded here."))) == {"dropped_words": 0.75}


def test_quoted_lines_are_not_what_the_comment_says() -> None:
    assert signs_of(link_one(comment("> rename loadEntry to readLedgerEntry\n\nNo."))) == {}


@pytest.mark.parametrize(
    ("body", "weight"),
    [("A typo", 1.0), ("A confusing name", 1.25), ("`name`: a typo, a misleading prefix", 1.5), ("String name;", 1.0)],
)
def test_naming_words_weigh_more_together(body: str, weight: float) -> None:
    assert signs_of(link_one(comment(body))) == {"naming_words": weight}


def test_naming_words_in_a_block_of_code_are_code() -> None:
    assert signs_of(link_one(comment("```\nString name;\n```"))) == {}


def test_caller_chooses_the_naming_words() -> None:
    found = link(change(comment("Ein schlechter Name, uneindeutig.")), [RENAME], naming_words=["uneindeutig"])
    assert text_of(found[0], "naming_words") == "uneindeutig"


@pytest.mark.parametrize("form", ["zähleEinträge", "za\u0308hleEintra\u0308ge"])
def test_accents_typed_apart_are_the_same_name(form: str) -> None:
    rename = {"fixed_name": "zähleEinträge"}
    assert signs_of(link_one(comment(f"lieber {form}?"), rename=rename)) == {"new_name": 5.0}


@pytest.mark.parametrize(
    ("message", "signs"),
    [
        ("Use readLedgerEntry", {"message_names": 0.5}),
        ("A better NAME", {"message_naming": 0.25}),
        ("Address review", {"message_review": 0.5}),
        ("Feedback: rename `loadEntry`", {"message_names": 0.5, "message_naming": 0.25, "message_review": 0.5}),
        ("Sort the rows", {}),
        ("", {}),
    ],
)
def test_message_of_the_commit_lifts_a_comment_that_has_a_sign(message: str, signs: dict[str, float]) -> None:
    found = link_one(comment("A typo"), comment("Hm."), rename={"message": message})
    assert signs_of(found, 0) == {"naming_words": 1.0, **signs}
    assert signs_of(found, 1) == {}
    assert found.best
    assert all((piece.comment is None) == piece.sign.startswith("message") for piece in found.best.evidence)


def test_message_and_time_are_looked_up_in_the_change() -> None:
    commits = [*COMMITS[:2], replace(COMMITS[2], message="As reviewer said", at="2024-03-02T10:00:00Z")]
    rename = {"message": "", "committed_at": ""}
    found = link_one(comment("A typo", at=AFTER), rename=rename, commits=commits)
    assert signs_of(found) == {"naming_words": 1.0, "message_review": 0.5, "after": -4.0}
