"""The whole way on the demo's Java project: real git, real files, real jobs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from labeling import tasks
from labeling.corpus.models import Item, Project
from labeling.jobs import running
from labeling.jobs.models import Job, State
from labeling.mining import collecting
from labeling.mining.collecting import repositories_folder
from labeling.mining.models import MinedChange, Stage
from labeling.overview.harbour import build_harbour
from labeling.people.models import User
from tests.api.test_projects import caller

Enter = Callable[[User], Client]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    changes = build_harbour(tmp_path / "harbour")
    (tmp_path / "reviews.jsonl").write_text("".join(json.dumps(change.write()) + "\n" for change in changes))
    return tmp_path / "harbour"


def mine(clone: Path, *arguments: str, reviews: str = "reviews.jsonl") -> None:
    call_command("mine", "names", "--git", str(clone), "--reviews", str(clone.parent / reviews), *arguments)


def titles() -> list[str]:
    return sorted(Item.objects.values_list("title", flat=True))


def linked_comment(title: str) -> str:
    thread: list[dict[str, Any]] = Item.objects.get(title=title).payload["thread"]
    return next(str(comment["body"]) for comment in thread if comment.get("linked"))


def test_history_is_the_same_each_time(tmp_path: Path) -> None:
    first, second = (build_harbour(tmp_path / name) for name in ("one", "two"))
    assert [change.commits for change in first] == [change.commits for change in second]


def test_every_rename_of_a_reviewed_change_becomes_an_item(
    project: Project, clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine(clone)
    funnel = json.loads(capsys.readouterr().out)
    assert funnel == project.mined_changes.all().funnel()
    assert funnel["pull_requests"] == 18
    assert funnel["renames"] == funnel["items"] == len(titles()) == 18
    assert "sum → cargoWeight" in titles()
    assert "waiting → waitingShips" not in titles()  # nobody spoke of names there
    assert linked_comment("sum → cargoWeight").startswith("Sum of what?")
    assert linked_comment("surcharge → withHazardSurcharge").startswith("This one is fine")


def test_item_holds_all_that_people_need_to_judge(project: Project, clone: Path) -> None:
    mine(clone)
    payload = Item.objects.get(title="calc → calculateDues").payload
    assert payload["repository"] == "example/harbour"
    assert payload["pull_request"]["state"] == "merged"
    assert payload["pull_request"]["reviewers"] == ["joost"]
    assert payload["body_before"].startswith("public BigDecimal calc(Ship ship, Duration stay) {")
    assert payload["body_after"].startswith("public BigDecimal calculateDues(")
    assert payload["signature"] == "(Ship, Duration)"
    assert (payload["tier"], payload["verified_by"]) == ("exact", "javalang")
    assert "-    public BigDecimal calc(" in payload["hunk"]
    assert "class Tariff" in payload["surrounding_class"]
    assert payload["evidence"]
    assert Item.objects.get(title="list → cargo").payload["pull_request"]["state"] == "closed"


def test_again_is_nothing_new(project: Project, clone: Path) -> None:
    mine(clone)
    before = list(Item.objects.values_list("pk", "digest"))
    mine(clone)
    assert list(Item.objects.values_list("pk", "digest")) == before


def test_interrupted_mining_goes_on_where_it_stopped(
    project: Project, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    store = collecting.store

    def die_at_the_sixth(change: MinedChange, *arguments: Any) -> None:
        store(change, *arguments)
        looked.append(change.number)
        if len(looked) == 6:
            raise running.ClaimLost

    monkeypatch.setattr(collecting, "store", die_at_the_sixth)
    job = collecting.start_mining(project, by=None, git=str(clone), reviews=str(clone.parent / "reviews.jsonl"))
    running.run(job.pk, tasks.WORK)
    assert project.mined_changes.filter(stage=Stage.DONE).count() == 5
    Job.objects.filter(pk=job.pk).update(state=State.QUEUED, claim=None)
    running.run(job.pk, tasks.WORK)
    job.refresh_from_db()
    assert (job.state, job.done) == (State.FINISHED, 18)
    assert looked == [*range(1, 7), *range(6, 19)]  # only the sixth, which was undone, is looked into again
    assert len(titles()) == 18


def test_change_that_fails_is_said_and_the_rest_goes_on(project: Project, clone: Path) -> None:
    file = clone.parent / "reviews.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    right = rows[3]["commits"][0]["sha"]
    rows[3]["commits"][0]["sha"] = "0" * 40
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    mine(clone)
    failed = project.mined_changes.get(stage=Stage.FAILED)
    assert failed.number == 4
    assert failed.reason
    assert len(titles()) == 16
    failed.record["commits"][0]["sha"] = right
    failed.save()
    mine(clone, "--retry-failed")
    assert len(titles()) == 18


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"repository": "a/b", "number": 1}\n{"repository": "a/b", "numb', "Line 2 of the reviews: is not JSON"),
        ('{"repository": "a/b"}\n', "Line 1 of the reviews: number: is missing"),
        ('{"repository": "a/b", "number": 1, "comments": [{"id": 7, "body": ""}]}\n', "comments[0].id: must be text"),
    ],
)
def test_bad_reviews_are_said_with_their_line(project: Project, clone: Path, content: str, said: str) -> None:
    (clone.parent / "bad.jsonl").write_text(content)
    with pytest.raises(CommandError) as caught:
        mine(clone, reviews="bad.jsonl")
    assert said in str(caught.value)


def test_no_repository_and_no_file_are_said(project: Project, clone: Path) -> None:
    with pytest.raises(CommandError, match="There is no directory"):
        mine(clone.parent / "nowhere", reviews="reviews.jsonl")
    with pytest.raises(CommandError, match="is not a git repository"):
        mine(clone.parent)
    with pytest.raises(CommandError, match="No such file"):
        mine(clone, reviews="none.jsonl")


def test_page_mines_a_clone_of_the_installation(project: Project, alice: User, enter: Enter, clone: Path) -> None:
    client = enter(alice)
    assert "There is no clone" in client.get("/projects/names/mining/").text
    repositories_folder().mkdir(parents=True, exist_ok=True)
    clone.rename(repositories_folder() / "harbour")
    file = io.BytesIO((clone.parent / "reviews.jsonl").read_bytes())
    file.name = "reviews.jsonl"
    for wrong in ("../secret_key", "nowhere"):
        refused = client.post("/projects/names/mining/start/", {"repository": wrong, "reviews": file})
        assert refused.status_code == 422
    file.seek(0)
    started = client.post("/projects/names/mining/start/", {"repository": "harbour", "reviews": file})
    assert started.status_code == 302
    running.run(Job.objects.get().pk, tasks.WORK)
    page = client.get("/projects/names/mining/").text
    assert "144,759" in page
    assert '<td class="number">18</td>' in page


def test_only_coordinators_mine(project: Project, bob: User, charlie: User, enter: Enter) -> None:
    assert enter(bob).get("/projects/names/mining/").status_code == 403
    assert enter(charlie).get("/projects/names/mining/").status_code == 404


def test_script_mines_and_reads_the_funnel(project: Project, alice: User, clone: Path) -> None:
    repositories_folder().mkdir(parents=True, exist_ok=True)
    clone.rename(repositories_folder() / "harbour")
    changes = [json.loads(line) for line in (clone.parent / "reviews.jsonl").read_text().splitlines()]
    client = caller(alice)
    url = "/api/v1/projects/names/mining/"
    refused = client.post(url, {"repository": "..", "changes": changes})
    assert refused.status_code == 422
    started = client.post(url, {"repository": "harbour", "changes": changes})
    assert started.status_code == 202
    running.run(started.json()["id"], tasks.WORK)
    answer = client.get(url).json()
    assert (answer["funnel"]["items"], answer["waiting"], answer["failed"]) == (18, 0, [])
    MinedChange.objects.filter(number=2).update(stage=Stage.FAILED, reason="no")
    assert client.get(url).json()["failed"] == [{"repository": "example/harbour", "number": 2, "reason": "no"}]
    assert client.post(f"{url}retry/").json() == {"waiting": 1}
