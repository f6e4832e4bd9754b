"""What others answered in the thread."""

from __future__ import annotations

import pytest

from labeling.mining.links.conversations import find_consent
from tests.mining.review_helpers import best_of, comment, link_one, signs_of


def test_new_name_in_an_answer_counts_for_what_it_answers() -> None:
    found = link_one(comment("Hm?", id="1"), comment("Say readLedgerEntry", id="2", reply_to="1", author="cem"))
    assert signs_of(found, 0) == {"new_name_in_thread": 3.0}
    assert signs_of(found, 1) == {"new_name": 5.0}
    assert best_of(found) == 1


def test_new_name_counts_once_for_a_comment_that_says_it_itself() -> None:
    found = link_one(comment("readLedgerEntry", id="1"), comment("readLedgerEntry, yes", id="2", reply_to="1"))
    assert signs_of(found, 0) == {"new_name": 5.0}


def test_new_name_said_before_does_not_count_for_what_follows() -> None:
    found = link_one(comment("Say readLedgerEntry", id="1"), comment("Right.", id="2", reply_to="1", author="cem"))
    assert signs_of(found, 1) == {}


@pytest.mark.parametrize(
    "body", ["Done", "> do it\n\nfixed!", "Good idea, I have renamed it.", "Will do", "I'll rename it"]
)
def test_author_says_that_it_is_done(body: str) -> None:
    found = link_one(comment(id="1"), comment(body, id="2", reply_to="1", author="Ada"))
    assert signs_of(found)["done"] == 1.5
    assert "done" not in signs_of(found, 1)


@pytest.mark.parametrize(
    "body", ["Not done yet", "It isn't really fixed", "I will not rename it", "Why?", "> done\nno", "x " * 30 + "done"]
)
def test_what_is_no_consent(body: str) -> None:
    found = link_one(comment(id="1"), comment(body, id="2", reply_to="1", author="ada"))
    assert signs_of(found) == {}


def test_consent_of_somebody_else_or_in_another_thread_says_nothing() -> None:
    found = link_one(comment(id="1"), comment("done", id="2", reply_to="1", author="cem"),
                     comment(id="3"), comment("done", id="4", reply_to="3", author="ada"))  # fmt: skip
    assert signs_of(found, 0) == {}
    assert signs_of(found, 2) == {"done": 1.5}


def test_author_does_not_consent_to_their_own_words() -> None:
    found = link_one(comment(id="1", author="ada"), comment("done", id="2", reply_to="1", author="ada"))
    assert signs_of(found, 0) == {"author_alone": -1.5}


def test_without_a_known_author_anybody_else_may_consent() -> None:
    answers = [comment("done", id="2", reply_to="1", author=author) for author in ("", "bea")]
    assert signs_of(link_one(comment(id="1"), answers[0], author="")) == {"done": 1.5}
    assert signs_of(link_one(comment(id="1"), answers[1], author="")) == {}


@pytest.mark.parametrize(
    ("sha", "expected"),
    [
        ("c3c3c3c", {"commit_cited": 2.0, "done": 1.5}),
        ("c4c4c4c", {}),
        ("0123abc", {"done": 1.5}),
        ("c3c3c3", {"done": 1.5}),
    ],
)
def test_answer_that_cites_a_commit(sha: str, expected: dict[str, float]) -> None:
    found = link_one(comment(id="1"), comment(f"done with {sha.upper()}", id="2", reply_to="1", author="ada"))
    assert signs_of(found) == expected


@pytest.mark.parametrize(
    ("prose", "word"), [("", ""), ("Done.", "done"), ("will change", "change"), ("change will", "")]
)
def test_consent_is_a_word(prose: str, word: str) -> None:
    assert find_consent(prose) == word
