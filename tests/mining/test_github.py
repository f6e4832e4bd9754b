"""How GitHub is asked: with the cache, through faults, and what is said when it does not work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from labeling.mining.github.answers import Answers
from labeling.mining.github.exchanges import (
    CacheError,
    GitHubError,
    GoneError,
    NotFoundError,
    RefusedError,
    TokenError,
    UnreachableError,
)
from labeling.mining.github.pulls import list_pulls, read_change, read_file, read_files
from tests.mining.conftest import Ask, Clock
from tests.mining.github_samples import inline, pull, read_blob, sha
from tests.mining.github_server import GitHubServer

SHAPES = "acme/shapes"
ROOT = Path(__file__).resolve().parents[2]


def test_the_second_run_gets_only_not_modified(server: GitHubServer, ask: Ask) -> None:
    first = read_change(ask(), SHAPES, 7)
    asked, used = len(server.statuses), server.used
    assert read_change(ask(), SHAPES, 7) == first
    assert server.statuses[asked:] == [304] * asked
    assert server.used == used


def test_what_changed_is_read_anew(server: GitHubServer, ask: Ask) -> None:
    read_change(ask(), SHAPES, 7)
    server.repositories[SHAPES].inline[7].append(inline(79, "One more name."))
    assert "79" in {comment.id for comment in read_change(ask(), SHAPES, 7).comments}


def test_a_page_after_a_full_one_is_not_missed(server: GitHubServer, ask: Ask) -> None:
    comments = server.repositories[SHAPES].inline[7] = [inline(number, "Rename it.") for number in range(100)]
    read_change(ask(), SHAPES, 7)
    comments.append(inline(100, "And this one."))
    assert "100" in {comment.id for comment in read_change(ask(), SHAPES, 7).comments}


def test_commits_and_contents_are_asked_for_once(server: GitHubServer, ask: Ask) -> None:
    for _ in range(2):
        github = ask()
        read_files(github, SHAPES, sha("first"))
        read_blob(github, SHAPES, sha("src/Circle.java"))
        read_file(github, SHAPES, "src/Circle é #1.java", commit=sha("second"))
    assert set(server.asked.values()) == {1}
    assert len(server.asked) == 3


def test_a_branch_is_asked_for_again(server: GitHubServer, ask: Ask) -> None:
    contents = server.repositories[SHAPES].contents
    contents["A.java", "main"] = b"old"
    read_file(ask(), SHAPES, "A.java", commit="main")
    contents["A.java", "main"] = b"new"
    assert read_file(ask(), SHAPES, "A.java", commit="main") == b"new"


def test_a_job_that_goes_on_repeats_no_finished_request(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    start = clock.now()
    read_change(ask(fresh_since=start), SHAPES, 7, wanted=lambda _change: False)
    clock.seconds += 600
    change = read_change(ask(fresh_since=start), SHAPES, 7)
    assert len(change.commits) == 2
    assert set(server.asked.values()) == {1}
    clock.seconds += 1
    for _ in range(2):  # what was only confirmed counts as finished too
        read_change(ask(fresh_since=clock.now()), SHAPES, 7)
    assert set(server.asked.values()) == {2}


def test_answers_survive_a_killed_process(server: GitHubServer, ask: Ask, tmp_path: Path) -> None:
    script = (
        "import os, sys, pathlib\n"
        "from labeling.mining.github.client import GitHub\n"
        "from labeling.mining.github.pulls import read_change\n"
        "github = GitHub(sys.argv[1], 'good-token', cache_dir=pathlib.Path(sys.argv[2]))\n"
        "read_change(github, 'acme/shapes', 7)\n"
        f"os.kill(os.getpid(), {int(signal.SIGKILL)})\n"
    )
    command = [sys.executable, "-c", script, server.url, str(tmp_path / "cache")]
    assert subprocess.run(command, cwd=ROOT, env=os.environ.copy()).returncode == -signal.SIGKILL
    asked = len(server.statuses)
    assert read_change(ask(), SHAPES, 7).number == 7
    assert server.statuses == [200] * asked + [304] * asked


def test_the_token_is_sent_and_never_written_down(server: GitHubServer, ask: Ask, tmp_path: Path) -> None:
    read_change(ask(), SHAPES, 7)
    assert {headers["authorization"] for headers in server.headers} == {"token good-token"}
    files = list((tmp_path / "cache").iterdir())
    assert files
    assert not any(b"good-token" in path.read_bytes() for path in files)


def test_one_token_does_not_find_what_another_may_see(server: GitHubServer, ask: Ask) -> None:
    server.tokens.add("other-token")
    read_blob(ask(), SHAPES, sha("src/Circle.java"))
    read_blob(ask("other-token"), SHAPES, sha("src/Circle.java"))
    assert set(server.asked.values()) == {2}


def test_several_can_open_a_new_cache_at_once(tmp_path: Path) -> None:
    together = Barrier(6)

    def open_cache(number: int) -> None:
        together.wait(timeout=5)
        Answers(tmp_path / str(number // 6)).close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(open_cache, range(600)))


def test_a_file_that_is_no_cache_is_named(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "github.sqlite3").write_bytes(b"no database at all" * 100)
    with pytest.raises(CacheError, match=r"github\.sqlite3 cannot be used"):
        ask()


@pytest.mark.parametrize("status", [500, 502, 503])
def test_faults_of_the_server_are_retried(server: GitHubServer, ask: Ask, clock: Clock, status: int) -> None:
    server.fail("pulls", status, times=3)
    assert len(list(list_pulls(ask(), SHAPES))) == 3
    assert clock.slept == [1, 2, 4]
    assert str(status) in clock.waits[0][1]


def test_faults_that_do_not_end_are_an_error_that_names_the_address(
    server: GitHubServer, ask: Ask, clock: Clock
) -> None:
    server.fail("pulls", 502, times=99)
    with pytest.raises(UnreachableError, match=r"http://127.*/repos/acme/shapes/pulls\?.*6 attempts.*502"):
        list(list_pulls(ask(), SHAPES))
    assert clock.slept == [1, 2, 4, 8, 16]


@pytest.mark.parametrize(("how", "words"), [("cut", "cut off or is no JSON"), ("close", "connection failed")])
def test_cut_answers_are_retried_and_never_kept(
    server: GitHubServer, ask: Ask, clock: Clock, how: str, words: str
) -> None:
    server.fail("pulls", how=how, times=2)
    assert len(list(list_pulls(ask(), SHAPES))) == 3
    assert clock.slept == [1, 2]
    server.repositories[SHAPES].pulls.pop()
    server.fail("pulls", how=how, times=99)
    with pytest.raises(UnreachableError, match=rf"/repos/acme/shapes/pulls\?.*{words}"):
        list(list_pulls(ask(), SHAPES))
    server.faults.clear()
    assert len(list(list_pulls(ask(), SHAPES))) == 2


def test_a_host_that_is_not_there_is_an_error(ask: Ask, clock: Clock) -> None:
    with pytest.raises(UnreachableError, match="connection failed"):
        list(list_pulls(ask(base_url="http://127.0.0.1:9/api/v3"), SHAPES))
    assert len(clock.slept) == 5


def test_no_such_repository_is_said_with_its_name(ask: Ask) -> None:
    with pytest.raises(NotFoundError, match="no repository acme/nowhere that this token may see"):
        list(list_pulls(ask(), "acme/nowhere"))
    with pytest.raises(NotFoundError, match="no pull request 99 in acme/shapes"):
        read_change(ask(), SHAPES, 99)


def test_a_wrong_token_is_said_at_once(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    with pytest.raises(TokenError, match=r"does not accept the token.*Bad credentials"):
        list(list_pulls(ask("wrong-token"), SHAPES))
    assert (sum(server.asked.values()), clock.slept) == (1, [])


@pytest.mark.parametrize("token", ["good-token\nHost: elsewhere", "good token", "gööd-token"])
def test_a_token_that_cannot_be_one_is_refused_without_being_shown(ask: Ask, token: str) -> None:
    with pytest.raises(TokenError) as caught:
        ask(token)
    assert token not in str(caught.value)


def test_blanks_around_a_token_do_not_matter(ask: Ask) -> None:
    assert len(list(list_pulls(ask(" good-token\n"), SHAPES))) == 3


def test_without_a_token_it_works_and_says_so(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    github = ask("")
    assert "60 requests an hour" in github.notice
    assert ask().notice == ""
    server.limit = 1
    read_change(github, SHAPES, 8, wanted=lambda _change: False)
    assert "authorization" not in server.headers[0]
    assert clock.waits[0][1].endswith("; no token is set")
    with pytest.raises(NotFoundError, match="no repository acme/nowhere that can be seen without a token"):
        list(list_pulls(github, "acme/nowhere"))


@pytest.mark.parametrize("status", [410, 451])
def test_what_was_taken_down_is_said(server: GitHubServer, ask: Ask, clock: Clock, status: int) -> None:
    server.fail("pulls", status, message="Repository access blocked")
    with pytest.raises(GoneError, match=f"repository acme/shapes .{status}: Repository access blocked"):
        list(list_pulls(ask(), SHAPES))
    assert clock.slept == []


def test_a_refusal_that_is_no_limit_is_final(server: GitHubServer, ask: Ask, clock: Clock) -> None:
    server.fail("blobs", 403, message="This blob is too large")
    with pytest.raises(RefusedError, match=r"refuses blob .* in acme/shapes .403: This blob is too large"):
        read_blob(ask(), SHAPES, sha("src/Circle.java"))
    assert clock.slept == []


def test_an_enterprise_server_is_asked_below_its_path(server: GitHubServer, ask: Ask) -> None:
    server.prefix = "/api/v3"
    server.repositories[SHAPES].pulls = [pull(number) for number in range(1, 151)]
    assert len(list(list_pulls(ask(base_url=f"{server.url}/api/v3/"), SHAPES))) == 150


def test_an_address_that_is_none_is_refused(ask: Ask) -> None:
    with pytest.raises(GitHubError, match="no address"):
        ask(base_url="api.github.example")


def test_githubkit_is_not_imported_before_it_is_needed() -> None:
    script = "import sys, labeling.mining.github.pulls; print({'githubkit', 'httpx', 'django'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"
