"""Which comment asked for the change, by the judgement of those who voted, leaves with the release and comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labeling.annotation.models import Vote
from labeling.corpus.models import Item, Project
from labeling.people.models import User
from labeling.refusals import Invalid
from labeling.release.importing import import_release
from tests.corpus.samples import new_item, text_pair
from tests.release.forging import forged
from tests.release.samples import archive_of, contents, releasable, released
from tests.release.test_recompute import recompute, unpacked
from tests.release.test_release import sheet

pytestmark = pytest.mark.django_db
THREAD = [{"body": "Looks fine.", "linked": True}, {"body": "=Rename it, please.", "linked": False}]


def picked(project: Project, key: str, picks: list[int | None]) -> None:
    """The voters on an item picked these, in the order of their numbers."""
    item = project.items.get(key=key)
    payload = new_item(project, "review_rename", {**item.payload, "thread": THREAD}).payload
    Item.objects.filter(pk=item.pk).update(payload=payload)
    votes = Vote.objects.filter(assignment__round_item__item=item).order_by("rater__number")
    for vote, pick in zip(votes, picks, strict=True):
        Vote.objects.filter(pk=vote.pk).update(picked=pick)


@pytest.fixture
def files(project: Project) -> dict[str, str]:
    releasable(project)
    picked(project, "rocket-000", [1, 1, 1])
    picked(project, "rocket-001", [1, None, 1])
    return contents(archive_of(released(project)))


def rows(files: dict[str, str], name: str, key: str) -> list[dict[str, Any]]:
    return [row for row in sheet(files, name) if row.get("item", row.get("id")) == key]


def test_what_everybody_picked_is_the_comment_of_the_benchmark(files: dict[str, str]) -> None:
    (row,) = rows(files, "benchmark.csv", "rocket-000")
    assert (row["review_comment"], row["picked"]) == ("=Rename it, please.", "1")
    assert [row["picked"] for row in rows(files, "finals.csv", "rocket-000")] == ["1"]
    assert json.loads(files["items.jsonl"].splitlines()[0])["picked"] == 1


def test_where_picks_differ_the_linked_comment_stays(files: dict[str, str]) -> None:
    (row,) = rows(files, "benchmark.csv", "rocket-001")
    assert (row["review_comment"], row["picked"]) == ("Looks fine.", "")
    assert [row["picked"] for row in rows(files, "votes.csv", "rocket-001")] == ["1", "", "1"]
    assert json.loads(files["statistics.json"])["votes"]["picked"] == 5


def test_picks_are_computed_again(files: dict[str, str], project: Project, tmp_path: Path) -> None:
    folder = unpacked(project.releases.get(), tmp_path)
    assert recompute(folder).returncode == 0
    text = (folder / "votes.csv").read_bytes().decode()
    old, new = "rocket-000,R2,0,1,yes,Pairs,1,1,no,1,", "rocket-000,R2,0,1,yes,Pairs,1,1,no,0,"
    assert old in text
    (folder / "votes.csv").write_bytes(text.replace(old, new).encode())
    said = recompute(folder).stderr
    assert "finals.csv, comment picked for rocket-000: the release says '1', its data give ''" in said
    assert "benchmark.csv, comment picked for rocket-000" in said


def test_picks_come_back(files: dict[str, str], project: Project, alice: User) -> None:
    release = project.releases.get()
    copy = import_release(archive_of(release), slug="copy", by=alice)
    assert archive_of(released(copy)).read_bytes() == archive_of(release).read_bytes()


@pytest.mark.parametrize("pick", ["2", "-1"])
def test_pick_of_a_comment_that_is_not_there_is_refused(
    files: dict[str, str], project: Project, alice: User, tmp_path: Path, pick: str
) -> None:
    def change(text: str) -> str:
        return text.replace("R2,0,1,yes,Pairs,1,1,no,1,", f"R2,0,1,yes,Pairs,1,1,no,{pick},")

    path = forged(archive_of(project.releases.get()), tmp_path, "votes.csv", change)
    with pytest.raises(Invalid, match=f"rocket-000” picked comment {pick}, which is not in its thread"):
        import_release(path, slug="copy", by=alice)


def test_picks_in_a_benchmark_of_several_kinds_are_computed_again(project: Project, tmp_path: Path) -> None:
    releasable(project)
    picked(project, "rocket-000", [1, 1, 1])
    made = new_item(project, "text_pair", text_pair(1), key="rocket-007")
    Item.objects.filter(project=project, key="rocket-007").update(kind=made.kind, payload=made.payload)
    done = recompute(unpacked(released(project), tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
