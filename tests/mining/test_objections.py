"""What speaks against a comment: too late, the author, a bot, another method."""

from __future__ import annotations

from dataclasses import replace
from time import tzset

import pytest

from labeling.mining.links.conversations import is_bot, parse_time
from labeling.mining.links.linking import link
from tests.mining.review_helpers import (
    BEFORE,
    COMMITS,
    NEW_FILE,
    RENAME,
    best_of,
    change,
    comment,
    link_one,
    seated,
    signs_of,
)


@pytest.mark.parametrize(
    ("at", "is_after"),
    [
        ("2024-03-02T10:00:01Z", True),
        ("2024-03-02T10:00:00Z", False),
        ("2024-03-02T11:30:00+02:00", False),
        ("2024-03-02T06:00:00-05:00", True),
        ("2024-03-02T10:00:01", True),
        ("2024-03-03", True),
        ("", False),
        ("yesterday", False),
        ("0001-01-01T00:00:00+14:00", False),
    ],
)
def test_comment_after_the_commit_counts_against(at: str, is_after: bool) -> None:
    assert signs_of(link_one(comment(at=at))) == ({"after": -4.0} if is_after else {})


def test_zone_of_the_commit_is_heeded() -> None:
    rename = {"committed_at": "2024-03-01T12:30:00+01:00"}
    assert signs_of(link_one(comment(at="2024-03-01T12:00:00Z"), rename=rename)) == {"after": -4.0}
    assert signs_of(link_one(comment(at="2024-03-01T11:00:00Z"), rename=rename)) == {}


@pytest.mark.parametrize("version", ["c3" * 20, "c4" * 20])
def test_comment_on_a_version_that_has_the_rename_came_after_whatever_the_clock_says(version: str) -> None:
    found = link_one(seated(version=version))
    assert signs_of(found) == {"same_file": 0.5, "after": -4.0}


def test_comment_on_a_line_that_has_the_new_name_came_after() -> None:
    hunk = NEW_FILE + "+  Entry readLedgerEntry(int row) {"
    assert signs_of(link_one(seated(None, "rebased", hunk)))["after"] == -4.0
    assert "after" not in signs_of(link_one(seated(None, COMMITS[0].sha, hunk)))  # an overload had it before


def test_answer_is_judged_by_its_time_alone() -> None:
    first = seated(version="c4" * 20, id="1")
    found = link_one(first, seated(version="c4" * 20, id="2", reply_to="1"))
    assert ("after" in signs_of(found, 0), "after" in signs_of(found, 1)) == (True, False)


def test_note_of_the_author_counts_less() -> None:
    assert signs_of(link_one(comment(author="ADA"))) == {"author_alone": -1.5}


def test_answer_of_the_author_does_not_outrank_what_it_answers() -> None:
    found = link_one(
        comment("I find this confusing.", id="1"),
        comment("Renamed it to readLedgerEntry", id="2", reply_to="1", author="ada"),
    )
    assert signs_of(found, 1) == {"new_name": 5.0, "naming_words": 1.0, "author_answers": -2.5}
    assert best_of(found) == 0


@pytest.mark.parametrize("author", ["tidy[bot]", "lint-bot", "CheckBot", "k9-ci-robot"])
def test_bots_count_less(author: str) -> None:
    assert signs_of(link_one(comment(author=author))) == {"bot": -3.0}


@pytest.mark.parametrize("author", ["talbot", "", "botany", "Abbot"])
def test_people_are_no_bots(author: str) -> None:
    assert not is_bot(author)


def test_deleted_accounts_are_not_taken_for_the_author() -> None:
    assert signs_of(link_one(comment(author=""), author="")) == {}
    assert signs_of(link_one(comment(author=""))) == {}


def test_comment_that_names_another_renamed_method_counts_against() -> None:
    other = replace(RENAME, buggy_name="sumUp", fixed_name="countTotal", line_before=90)
    comments = change(comment("`sumUp` is a bad name"), comment("`sumUp` and `loadEntry`"), comment("`weighAll`"))
    found, _ = link(comments, [RENAME, other])
    assert signs_of(found, 0) == {"naming_words": 1.0, "other_rename": -2.0}
    assert signs_of(found, 1) == {"old_name": 2.0}
    assert signs_of(found, 2) == {}


def test_time_without_a_zone_is_utc_wherever_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    tzset()
    try:
        assert parse_time("2024-03-01T10:00:00") == parse_time("2024-03-01T10:00:00Z")
    finally:
        monkeypatch.undo()
        tzset()


@pytest.mark.parametrize("text", [BEFORE, "2024-03-01T10:00:00", "2024-03-01T15:00:00+05:00"])
def test_times_are_read_in_any_zone(text: str) -> None:
    assert parse_time(text) == parse_time("2024-03-01T10:00:00+00:00")
