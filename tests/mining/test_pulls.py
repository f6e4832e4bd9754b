"""What is read from GitHub: pull requests, comments, commits, files and contents."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from labeling.mining.github.exchanges import AnswerError, NotFoundError
from labeling.mining.github.pulls import list_pulls, read_change, read_file, read_files
from labeling.mining.reviews import Commit, ReviewedChange
from tests.mining.conftest import Ask
from tests.mining.github_samples import commit, file, inline, pull, read_blob, remark, review, sha, user
from tests.mining.github_server import GitHubServer

SHAPES = "acme/shapes"


def test_a_pull_request_is_read_with_all_that_was_said(ask: Ask) -> None:
    change = read_change(ask(), SHAPES, 7)
    assert (change.repository, change.number, change.title) == (SHAPES, 7, "Tidy up part 7")
    assert (change.state, change.author, change.reviewers) == ("merged", "ada", ["bea"])
    assert (change.created_at, change.closed_at) == ("2024-03-01T00:07:00Z", "2024-03-05T10:00:00Z")
    assert [(comment.id, comment.where, comment.author) for comment in change.comments] == [
        ("71", "inline", "bea"),
        ("72", "inline", "bea"),
        ("73", "review", "bea"),
        ("75", "talk", "ada"),
    ]
    first, reply, text, below = change.comments
    assert (first.path, first.line, first.original_line) == ("src/Circle.java", 12, 11)
    assert (first.original_commit, first.association) == (sha("first"), "MEMBER")
    assert first.hunk.endswith("double calc() {")
    assert first.url.endswith("#discussion_r71")
    assert reply.reply_to == "71"
    assert (text.original_commit, text.at) == (sha("first"), "2024-03-02T10:00:00Z")
    assert below.association == "CONTRIBUTOR"
    assert change.commits == [
        Commit(sha("first"), sha("base"), "Make the first change", "2024-03-02T12:00:00Z"),
        Commit(sha("second"), sha("first"), "Rename calc to area", "2024-03-02T12:00:00Z"),
    ]
    assert change.extra == {}
    assert ReviewedChange.read(change.write()) == change


def test_comments_come_in_the_order_of_time(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].talk[7] = [remark(1, "Any news?", created_at="2024-03-01T00:00:00Z")]
    assert [comment.id for comment in read_change(ask(), SHAPES, 7).comments] == ["1", "71", "72", "73"]


def test_deleted_users_and_lost_lines_stay_empty(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].pulls[0]["user"] = None
    server.repositories[SHAPES].inline[7] = [inline(1, "Rename this.", user=None, line=None)]
    server.repositories[SHAPES].reviews[7] = [review(2, "Fine.", user=None)]
    change = read_change(ask(), SHAPES, 7)
    assert (change.author, change.reviewers) == ("", [])
    assert (change.comments[0].author, change.comments[0].line, change.comments[0].original_line) == ("", None, 11)


def test_texts_lose_what_no_database_takes(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].inline[7] = [inline(1, "zero \x00 half \ud83d end")]
    assert read_change(ask(), SHAPES, 7).comments[0].body == "zero \ufffd half ? end"


def test_a_root_commit_has_no_parent_and_a_merge_its_first(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].pull_commits[7] = [commit("root", parents=[]), commit("merge", parents=["a", "b"])]
    assert [found.parent for found in read_change(ask(), SHAPES, 7).commits] == ["", sha("a")]


def test_what_is_counted_as_none_is_not_asked_for(server: GitHubServer, ask: Ask) -> None:
    assert read_change(ask(), SHAPES, 8).comments == []
    assert sorted(server.asked) == [
        "/repos/acme/shapes/pulls/8",
        "/repos/acme/shapes/pulls/8/commits?per_page=100",
        "/repos/acme/shapes/pulls/8/reviews?per_page=100",
    ]


def test_commits_are_asked_for_only_when_the_talk_is_wanted(server: GitHubServer, ask: Ask) -> None:
    bored = read_change(ask(), SHAPES, 7, wanted=lambda change: "banana" in change.comments[0].body)
    assert len(bored.comments) == 4
    assert bored.commits == []
    assert not any("commits" in address for address in server.asked)
    assert len(read_change(ask(), SHAPES, 7, wanted=lambda change: len(change.comments) == 4).commits) == 2


def test_long_lists_are_followed_by_their_links(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].inline[7] = [inline(number, "Rename it.") for number in range(250)]
    change = read_change(ask(), SHAPES, 7)
    assert [comment.id for comment in change.comments if comment.where == "inline"] == [str(n) for n in range(250)]
    assert sum(count for address, count in server.asked.items() if "pulls/7/comments" in address) == 3


def test_a_link_to_another_host_is_not_followed(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].inline[7] = [inline(number, "Rename it.") for number in range(101)]
    server.links_elsewhere = "http://127.0.0.1:1"
    with pytest.raises(AnswerError, match=r"not its own: http://127\.0\.0\.1:1/repos"):
        read_change(ask(), SHAPES, 7)


def test_more_commits_than_github_lists_are_reported(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].pull_commits[7] = [commit(str(number)) for number in range(312)]
    change = read_change(ask(), SHAPES, 7)
    assert len(change.commits) == 250
    assert change.extra == {"truncated": {"commits": {"listed": 250, "total": 312}}}
    server.repositories[SHAPES].pull_commits[7] = [commit(str(number)) for number in range(249)]
    assert read_change(ask(), SHAPES, 7).extra == {}


def test_the_java_files_of_a_commit(ask: Ask) -> None:
    found = read_files(ask(), SHAPES, sha("second"))
    assert found.commit == Commit(sha("second"), sha("first"), "Rename calc to area", "2024-03-02T12:00:00Z")
    circle, disc, huge = found.files
    assert (circle.path, circle.previous_path, circle.status) == ("src/Circle.java", "src/Circle.java", "modified")
    assert circle.patch is not None
    assert circle.patch.endswith("+    double area() {")
    assert circle.blob == sha("src/Circle.java")
    assert (disc.path, disc.previous_path, disc.status) == ("src/Disc.java", "src/Round.java", "renamed")
    assert (huge.path, huge.patch) == ("src/Huge.java", None)
    assert found.extra == {}


@pytest.mark.parametrize(
    ("files", "listed", "extra"),
    [
        (700, 700, {}),
        (3100, 3000, {"truncated": {"files": {"listed": 3000}}}),
    ],
)
def test_many_files_are_paged_and_too_many_reported(
    server: GitHubServer, ask: Ask, files: int, listed: int, extra: dict[str, object]
) -> None:
    server.repositories[SHAPES].commits[sha("first")]["files"] = [file(f"A{number}.java") for number in range(files)]
    found = read_files(ask(), SHAPES, sha("first"))
    assert len({changed.path for changed in found.files}) == listed
    assert found.extra == extra


def test_contents_are_raw_bytes(ask: Ask) -> None:
    assert read_file(ask(), SHAPES, "src/Circle é #1.java", commit=sha("second")) == b"class Circle {}\r\n\xff"
    assert read_blob(ask(), SHAPES, sha("src/Circle.java")) == b"\xef\xbb\xbfclass Circle {}"


def test_a_comment_on_a_commit_that_was_pushed_away_is_kept(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].inline[7] = [inline(1, "Rename it.", original_commit_id=sha("lost"))]
    change = read_change(ask(), SHAPES, 7)
    assert change.comments[0].original_commit == sha("lost")
    assert sha("lost") not in {found.sha for found in change.commits}


@pytest.mark.parametrize("status", [404, 422])
def test_a_commit_that_was_pushed_away_is_named(server: GitHubServer, ask: Ask, status: int) -> None:
    server.fail("commits", status, message="No commit found")
    with pytest.raises(NotFoundError, match=rf"no commit {sha('lost')} in acme/shapes.*{status}"):
        read_files(ask(), SHAPES, sha("lost"))
    with pytest.raises(NotFoundError, match=f"no file A.java at commit {sha('lost')} in acme/shapes"):
        read_file(ask(), SHAPES, "A.java", commit=sha("lost"))


def test_pull_requests_are_listed_newest_first_and_by_state(server: GitHubServer, ask: Ask) -> None:
    assert [(found.number, found.state) for found in list_pulls(ask(), SHAPES)] == [
        (9, "open"),
        (8, "closed"),
        (7, "merged"),
    ]
    assert [found.number for found in list_pulls(ask(), SHAPES, state="merged")] == [7]
    assert server.asked["/repos/acme/shapes/pulls?state=closed&sort=created&direction=desc&per_page=100"] == 1
    assert [found.number for found in list_pulls(ask(), SHAPES, state="closed")] == [8]
    assert [found.number for found in list_pulls(ask(), SHAPES, state="open")] == [9]


def test_listing_stops_at_the_date(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].pulls = [pull(number) for number in range(1, 351)]
    since = datetime(2024, 3, 5, 4, 0, tzinfo=UTC)  # that of number 240
    numbers = [found.number for found in list_pulls(ask(), SHAPES, since=since)]
    assert numbers == list(range(350, 239, -1))
    assert sum(server.asked.values()) == 2
    assert all("sort=updated&direction=desc" in address for address in server.asked)


def test_a_pull_request_that_moves_to_the_next_page_is_listed_once(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].pulls = [pull(number) for number in range(1, 151)]
    listing = list_pulls(ask(), SHAPES)
    numbers = [next(listing).number]
    server.repositories[SHAPES].pulls.append(pull(151))
    numbers += [found.number for found in listing]
    assert numbers == list(range(150, 0, -1))


def test_a_renamed_repository_is_followed(server: GitHubServer, ask: Ask) -> None:
    server.moved["acme/figures"] = SHAPES
    assert [found.number for found in list_pulls(ask(), "acme/figures", state="merged")] == [7]


@pytest.mark.parametrize("name", ["acme", "acme/shapes/pulls", "../shapes", "acme/..", "acme/sha pes", "acme/a?b", ""])
def test_what_is_no_repository_is_not_asked_for(server: GitHubServer, ask: Ask, name: str) -> None:
    with pytest.raises(NotFoundError, match="owner/name"):
        list(list_pulls(ask(), name))
    assert not server.asked


def test_an_answer_of_another_shape_names_the_pull_request(server: GitHubServer, ask: Ask) -> None:
    server.repositories[SHAPES].inline[7] = [inline(1, "Rename it.", line="twelve")]
    with pytest.raises(AnswerError, match=r"pull request 7 in acme/shapes cannot be read.*comments\[0\]\.line"):
        read_change(ask(), SHAPES, 7)
    server.repositories[SHAPES].inline[7] = [{"user": user("bea")}]
    with pytest.raises(AnswerError, match="pull request 7 in acme/shapes cannot be read"):
        read_change(ask(), SHAPES, 7)


def test_a_conversation_that_is_switched_off_is_reported_missing(server: GitHubServer, ask: Ask) -> None:
    server.fail("issues/7", 410, message="Issues are disabled for this repo")
    change = read_change(ask(), SHAPES, 7)
    assert [comment.where for comment in change.comments] == ["inline", "inline", "review"]
    assert "Issues are disabled" in change.extra["missing"]["talk"]
