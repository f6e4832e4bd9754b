"""Comments ranked for a rename: in combination, in threads, for siblings, and when there are very many."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import pytest

from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.mining.links.linking import RankedThread, link, show
from labeling.mining.reviews import ReviewedChange
from tests.mining.review_helpers import (
    AFTER,
    NEW_FILE,
    RENAME,
    best_of,
    change,
    comment,
    link_one,
    seated,
    signs_of,
    text_of,
)

DECLARED = NEW_FILE + "+  Entry loadEntry(int row) {"
ELSEWHERE = NEW_FILE + "+  int total = 0;"


def positions(threads: tuple[RankedThread, ...]) -> list[list[int]]:
    return [[ranked.position for ranked in thread.comments] for thread in threads]


def test_asking_with_both_names_on_the_declaration_adds_up() -> None:
    found = link_one(
        comment("Looks good overall, thanks."),
        seated(hunk=DECLARED, body="nit: rename `loadEntry`, say `readLedgerEntry`?", id="2"),
        comment("Good point, done in c3c3c3c3", id="3", reply_to="2", author="ada", at=AFTER),
        rename={"message": "Address review comments"},
    )
    assert best_of(found) == 1
    assert signs_of(found, 1) == {
        "new_name": 5.0, "old_name": 2.0, "same_file": 0.5, "on_declaration": 3.0, "naming_words": 1.0,
        "commit_cited": 2.0, "done": 1.5, "message_review": 0.5,
    }  # fmt: skip
    assert positions(found.threads) == [[1, 2], [0]]


def test_convention_asked_for_on_the_declaration_without_any_name_beats_naming_talk_elsewhere() -> None:
    found = link_one(
        comment("Please watch the naming conventions; many names are inconsistent."),
        seated(hunk=ELSEWHERE, line=12, body="Confusing name, `total` of what?"),
        seated(hunk=DECLARED, body="The others here have no verb. I would like consistency."),
    )
    assert best_of(found) == 2


def test_comment_that_names_another_renamed_method_loses_to_one_further_off_that_names_none() -> None:
    other = replace(RENAME, buggy_name="sumUp", fixed_name="countTotal", line_before=44)
    comments = change(
        seated(40, body="Down there, rename `sumUp` to `countTotal`"), seated(41, body="Misleading, it reads")
    )
    assert [best_of(found) for found in link(comments, [RENAME, other])] == [1, 0]


def test_comment_before_the_commit_beats_a_better_one_after_it() -> None:
    late = comment("rename `loadEntry` to `readLedgerEntry`", at=AFTER)
    assert best_of(link_one(late, seated(hunk=DECLARED, body="A confusing name"))) == 1


def test_person_beats_bot_and_reviewer_beats_author() -> None:
    said = "`loadEntry` could be `readLedgerEntry`"
    found = link_one(*(comment(said, author=author) for author in ("tidy[bot]", "ada", "bea")))
    assert positions(found.threads) == [[2], [1], [0]]


def test_nothing_speaks_for_any_comment() -> None:
    found = link_one(comment("Hm."), comment("A typo", at=AFTER))
    assert found.best is None
    assert positions(found.threads) == [[0], [1]]
    assert link_one().best is None
    assert link_one().threads == ()
    assert link(change(comment()), []) == []


def test_ties_go_by_position() -> None:
    found = link_one(*(comment("A bad name") for _ in range(5)))
    assert best_of(found) == 0
    assert positions(found.threads) == [[0], [1], [2], [3], [4]]


def test_ranking_is_the_same_each_time() -> None:
    comments = change(*(comment(f"name {word} loadEntry", id=word) for word in "abcdef"))
    renames = [RENAME, replace(RENAME, container="Shelves"), replace(RENAME, buggy_name="x", fixed_name="y")]
    assert link(comments, renames) == link(comments, renames)


def test_threads_stay_together_and_rank_as_their_best_comment() -> None:
    found = link_one(
        comment("A typo", id="1"),
        comment("Hm.", id="2"),
        comment("`readLedgerEntry`", id="3", reply_to="2"),
        comment("So?", id="4", reply_to="1"),
    )
    assert positions(found.threads) == [[1, 2], [0, 3]]
    assert [thread.score for thread in found.threads] == [5.0, 1.0]


def test_thread_is_read_in_the_order_it_was_held() -> None:
    found = link_one(
        comment("`readLedgerEntry`", id="3", reply_to="2", at="2024-03-01T12:00:00+02:00", author="cem"),
        comment("And?", id="2", reply_to="1", at="2024-03-01T09:30:00Z"),
        comment("Hm.", id="1", at="2024-03-01T09:00:00Z"),
    )
    assert positions(found.threads) == [[2, 1, 0]]
    assert "new_name_in_thread" in signs_of(found, 1)


def test_without_times_a_thread_is_read_by_position() -> None:
    found = link_one(comment(id="2", reply_to="1", at=""), comment(id="1"), comment(id="3", reply_to="1"))
    assert positions(found.threads) == [[1, 0, 2]]


def test_answers_to_a_comment_that_is_gone_stay_together() -> None:
    found = link_one(comment(id="5", reply_to="1"), comment(id="6"), comment(id="7", reply_to="1"))
    assert positions(found.threads) == [[0, 2], [1]]


def test_comments_that_answer_each_other_in_a_circle_are_one_thread() -> None:
    found = link_one(comment(id="1", reply_to="2"), comment(id="2", reply_to="1"), comment(id="3", reply_to="3"))
    assert positions(found.threads) == [[0, 1], [2]]


# Siblings


def test_override_of_the_same_rename_inherits_at_a_lower_score() -> None:
    override = replace(RENAME, path="src/Shelves.java", container="Shelves", commit="c4" * 20, line_before=9)
    asked, inherited = link(change(seated(hunk=DECLARED, body="Confusing.")), [RENAME, override])
    assert signs_of(asked) == {"same_file": 0.5, "on_declaration": 3.0, "naming_words": 1.0}
    assert signs_of(inherited) == {"on_old_name": 1.0, "naming_words": 1.0, "sibling": 0.7}
    assert inherited.best


def test_same_words_changed_by_the_same_commit_inherit() -> None:
    sibling = replace(RENAME, container="Desk", buggy_name="loadRow", fixed_name="readLedgerRow", line_before=90)
    comments = change(comment("no"), comment("`loadEntry` → `readLedgerEntry`"), commits=[])
    asked, inherited = link(comments, [RENAME, sibling])
    assert signs_of(asked, 1) == {"new_name": 5.0, "old_name": 2.0}
    assert best_of(inherited) == 1
    assert signs_of(inherited, 1) == {"new_words": 2.5, "dropped_words": 0.75, "sibling": 0.95}
    assert text_of(inherited, "sibling", 1) == "Books: loadEntry → readLedgerEntry"


def test_words_that_only_changed_their_case_beside_the_new_one_are_the_same_change() -> None:
    names = [("rows", "countRows"), ("shelves", "countShelves")]
    renames = [replace(RENAME, buggy_name=buggy, fixed_name=fixed) for buggy, fixed in names]
    found = link(change(comment("`rows()`: say `countRows`")), renames)[1]
    assert signs_of(found) == {"new_words": 2.5, "sibling": 1.7}


def test_best_linked_sibling_is_the_one_to_inherit_from() -> None:
    siblings = [replace(RENAME, buggy_name=f"load{word}", fixed_name=f"readLedger{word}") for word in ("Row", "Page")]
    comments = change(comment("`loadRow`?"), comment("`loadPage` → `readLedgerPage`"), comment("`loadRow`?"))
    found = link(comments, [RENAME, *siblings])[0]
    assert text_of(found, "sibling", 1) == "Books: loadPage → readLedgerPage"


def test_siblings_keep_what_speaks_against_the_comment() -> None:
    earlier = replace(RENAME, path="src/Desk.java", commit="c1" * 20, committed_at="2024-02-01T00:00:00Z")
    _, inherited = link(change(seated(hunk=DECLARED, body="Confusing.")), [RENAME, earlier])
    assert signs_of(inherited) == {"on_old_name": 1.0, "naming_words": 1.0, "sibling": 0.7, "after": -4.0}
    assert inherited.best is None


def test_same_words_in_another_commit_are_no_siblings() -> None:
    other = replace(RENAME, buggy_name="loadRow", fixed_name="readLedgerRow", commit="c4" * 20)
    _, alone = link(change(comment("`loadEntry` → `readLedgerEntry`")), [RENAME, other])
    assert "sibling" not in signs_of(alone)


def test_own_comment_beats_an_inherited_one() -> None:
    sibling = replace(RENAME, buggy_name="loadRow", fixed_name="readLedgerRow")
    comments = change(comment("`loadEntry` → `readLedgerEntry`"), comment("`loadRow` → `readLedgerRow`"))
    assert [best_of(found) for found in link(comments, [RENAME, sibling])] == [0, 1]


def test_siblings_of_which_nobody_spoke_inherit_nothing() -> None:
    for found in link(change(comment("Hm.")), [RENAME, replace(RENAME, container="Desk")]):
        assert signs_of(found) == {}


@pytest.mark.parametrize(
    ("buggy", "fixed", "inherits"), [("hasURL", "hasUrl", True), ("asXML", "asXml", False), ("to_row", "toRow", False)]
)
def test_change_of_case_alone_makes_siblings_of_the_same_word_only(buggy: str, fixed: str, inherits: bool) -> None:
    renames = [replace(RENAME, buggy_name=old, fixed_name=new) for old, new in [("toURL", "toUrl"), (buggy, fixed)]]
    found = link(change(comment("`toURL`, better `toUrl`")), renames)
    assert ("sibling" in signs_of(found[1])) is inherits


# What it becomes


def test_shown_thread_and_evidence_make_an_item() -> None:
    reviewed = change(
        comment("Nice."),
        seated(hunk=DECLARED, body="`loadEntry`?", id="1", url="https://books.example/1", association="MEMBER"),
        comment("`readLedgerEntry`, done", id="2", reply_to="1", author="ada", line=3),
    )
    found = link(reviewed, [replace(RENAME, message="review")])[0]
    thread, evidence = show(reviewed, found)
    item = ReviewRename(buggy_name="a", fixed_name="b", body_before="{}", thread=thread, evidence=evidence)
    assert ReviewRename.read(item.write()) == item
    assert [(shown.body[:3], shown.linked, shown.line) for shown in thread] == [
        ("`lo", True, 40), ("`re", False, 3), ("Nic", False, None)
    ]  # fmt: skip
    assert {(piece.sign, piece.comment) for piece in evidence} >= {
        ("old_name", 0), ("new_name_in_thread", 1), ("done", 1), ("message_review", None)
    }  # fmt: skip
    assert (thread[0].url, thread[0].association, thread[0].hunk) == ("https://books.example/1", "MEMBER", DECLARED)


def test_as_many_threads_are_shown_as_fit_and_the_best_one_whole() -> None:
    talk = [comment("typo", id="0"), *(comment(id=str(n), reply_to="0") for n in range(1, 5)), comment("loadEntry")]
    reviewed = change(*talk, comment("Hm."))
    found = link_one(*talk, comment("Hm."))
    assert len(show(reviewed, found, most=1)[0]) == 1
    assert len(show(reviewed, found, most=6)[0]) == 6
    assert len(show(reviewed, link_one(*talk[:5]), most=1)[0]) == 5


def test_without_a_best_comment_none_is_marked() -> None:
    reviewed = change(comment("Hm."))
    thread, evidence = show(reviewed, link(reviewed, [RENAME])[0])
    assert [shown.linked for shown in thread] == [False]
    assert evidence == []


# Very many and very long


def spent(reviewed: ReviewedChange) -> float:
    start = process_time()
    link(reviewed, [RENAME])
    return process_time() - start


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "aA",
        "`",
        "` `` ``` ",
        "```\n",
        "> ",
        "_",
        "name ",
        "a(",
        "\n",
        "e\u0301",
        "A",
        "c3c3c3c3 ",
        "```suggestion\nA\n",
    ],
)
def test_very_long_comments_take_linear_time(unit: str) -> None:
    body = (unit * (1_000_000 // len(unit)))[:1_000_000]
    assert spent(change(comment(body, hunk=body))) < 20


def test_very_long_thread_takes_linear_time() -> None:
    replies = [comment(f"`readLedgerEntry` {n}", id=str(n), reply_to=str(n - 1)) for n in range(1, 20_000)]
    assert spent(change(comment("name", id="0"), *replies)) < 15
