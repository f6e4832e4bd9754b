"""Mining from GitHub to items, against a server of ours that answers like its REST API."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from labeling import tasks
from labeling.corpus.models import Item, Project
from labeling.jobs import running
from labeling.jobs.models import Job, State
from labeling.mining import collecting
from labeling.mining.models import MinedChange, Stage
from labeling.people.models import User
from tests.api.test_projects import caller
from tests.mining.conftest import TOKEN
from tests.mining.github_samples import commit, file, inline, pull, sha
from tests.mining.github_server import GitHubServer, Repository

BEFORE = b"class Circle {\n    double calc() {\n        return 3 * r * r;\n    }\n}\n"
AFTER = BEFORE.replace(b"calc", b"area")
PATCH = "@@ -1,3 +1,3 @@\n class Circle {\n-    double calc() {\n+    double area() {"


def shapes(numbers: range) -> Repository:
    """Every pull request renames the method of a file of its own; the even ones were asked to."""
    found = Repository()
    for number in numbers:
        change = commit(f"change {number}", parents=["base"], message="Say what it is")
        path = f"src/Circle{number}.java"
        said = "Please rename this, `area` is what it is." if number % 2 == 0 else "Looks good."
        found.pulls.append(pull(number))
        found.inline[number] = [inline(100 + number, said, path=path, original_commit_id=sha("base"), original_line=2)]
        found.pull_commits[number] = [change]
        found.commits[change["sha"]] = change | {"files": [file(path, patch=PATCH)]}
        found.contents[path, sha("base")] = BEFORE
        found.contents[path, change["sha"]] = AFTER
    return found


@pytest.fixture
def hosted(server: GitHubServer, settings: Settings, project: Project) -> GitHubServer:
    server.repositories["acme/shapes"] = shapes(range(1, 9))
    settings.GITHUB_API_URL, settings.GITHUB_TOKEN = server.url, TOKEN
    return server


def mine(*arguments: str) -> None:
    call_command("mine", "names", "--github", "acme/shapes", *arguments)


def test_pull_requests_become_items(hosted: GitHubServer, project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    mine()
    funnel = json.loads(capsys.readouterr().out)
    assert (funnel["pull_requests"], funnel["with_naming_words"]) == (8, 4)
    assert {funnel[name] for name in ("commits", "files", "renames", "linked", "items")} == {4}
    payload = Item.objects.earliest("pk").payload
    assert (payload["buggy_name"], payload["fixed_name"], payload["tier"]) == ("calc", "area", "exact")
    assert payload["pull_request"]["state"] == "merged"
    assert next(comment for comment in payload["thread"] if comment.get("linked"))["author"] == "bea"


def test_again_asks_only_for_the_list(hosted: GitHubServer, project: Project) -> None:
    mine()
    asked = sum(hosted.asked.values())
    mine()
    assert sum(hosted.asked.values()) - asked <= 2
    assert Item.objects.count() == 4


def test_interrupted_mining_repeats_no_finished_request(
    hosted: GitHubServer, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, stored = collecting.store, []

    def die_at_the_third(change: MinedChange, *arguments: Any) -> None:
        stored.append(change.number)
        if len(stored) == 3:
            raise running.ClaimLost
        store(change, *arguments)

    monkeypatch.setattr(collecting, "store", die_at_the_third)
    job = collecting.start_mining(project, by=None, github="acme/shapes", state="merged")
    running.run(job.pk, tasks.WORK)
    Job.objects.filter(pk=job.pk).update(state=State.QUEUED, claim=None)
    running.run(job.pk, tasks.WORK)
    job.refresh_from_db()
    assert job.state == State.FINISHED, job.error
    assert Item.objects.count() == 4
    assert {count for address, count in hosted.asked.items() if "state=closed" not in address} == {1}


def test_one_pull_request_that_github_will_not_give_fails_alone(hosted: GitHubServer, project: Project) -> None:
    hosted.fail(r"/pulls/4$", 451)
    mine()
    failed = project.mined_changes.get(stage=Stage.FAILED)
    assert failed.number == 4
    assert failed.reason
    assert Item.objects.count() == 3
    mine("--retry-failed")
    assert Item.objects.count() == 4


@pytest.mark.parametrize(
    ("token", "repository", "said"), [("wrong", "acme/shapes", "token"), (TOKEN, "acme/none", "acme/none")]
)
def test_wrong_token_and_unknown_repository_are_said(
    hosted: GitHubServer, settings: Settings, project: Project, token: str, repository: str, said: str
) -> None:
    settings.GITHUB_TOKEN = token
    with pytest.raises(CommandError, match=said):
        call_command("mine", "names", "--github", repository)


@pytest.mark.parametrize("arguments", [[], ["--github", "a/b", "--reviews", "x"], ["--reviews", "x"]])
def test_command_wants_one_source(project: Project, arguments: list[str]) -> None:
    with pytest.raises(CommandError, match="Name a source"):
        call_command("mine", "names", *arguments)


def test_page_and_script_start_the_same(
    hosted: GitHubServer, project: Project, alice: User, enter: Callable[[User], Client]
) -> None:
    client = enter(alice)
    wrong = client.post("/projects/names/mining/github/", {"github": "http://169.254.169.254/", "state": "merged"})
    assert wrong.status_code == 422
    assert "Write it as owner/name" in wrong.text
    client.post("/projects/names/mining/github/", {"github": "acme/shapes", "state": "merged", "since": ""})
    refused = caller(alice).post("/api/v1/projects/names/mining/", {"github": "../etc"})
    assert refused.status_code == 400
    started = caller(alice).post("/api/v1/projects/names/mining/", {"github": "acme/shapes", "since": "2020-01-01"})
    assert started.status_code == 202
    for job in Job.objects.order_by("pk"):
        running.run(job.pk, tasks.WORK)
    assert set(Job.objects.values_list("state", flat=True)) == {State.FINISHED}
    assert Item.objects.count() == 4
