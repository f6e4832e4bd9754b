"""What the guards find before a release, and the answers to it."""

from __future__ import annotations

from typing import Any

import pytest

from labeling.annotation.rounds.changing import close_round
from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.models import Item, Project
from labeling.jobs.models import State
from labeling.people.models import Activity, User
from labeling.refusals import Invalid, Refusal
from labeling.release import checking
from labeling.release.checking import Check, answer_findings, check_now, current_check, start_check, withdraw
from labeling.release.choosing import choose
from labeling.release.guards import edit_distance, names_left, typo_in
from labeling.release.making import Title, create_release
from tests.annotation.samples import annotators, opened_round
from tests.release.samples import EXCLUDE, INCLUDE, judge_rows, releasable, released, rocket, run_job

pytestmark = pytest.mark.django_db


def found_in(project: Project, *items: Item) -> dict[str, list[str]]:
    """By guard: which of these items it names. All of them are included."""
    Item.objects.bulk_create(items)
    people = annotators(project, 2)
    round = opened_round(project, people, handing="planned")
    judge_rows(round, people, [[INCLUDE, INCLUDE]] * len(items))
    close_round(round, by=None)
    found: dict[str, list[str]] = {}
    for one in check_now(choose(project)).findings:
        found.setdefault(one.guard.value, []).append(one.item)
    return found


def test_nothing_is_found_where_nothing_is_wrong(project: Project) -> None:
    assert found_in(project, rocket(project, 1), rocket(project, 2)) == {}


def test_same_item_under_another_key_is_a_duplicate(project: Project) -> None:
    same = rocket(project, 1, key="rocket-copy", repository="acme/rockets1")
    assert found_in(project, rocket(project, 1, repository="acme/rockets1"), same) == {"duplicate": ["rocket-copy"]}


def test_same_body_under_other_names_is_a_near_duplicate(project: Project) -> None:
    body = "void {}() {{\n    pool.take( {} );\n}}"
    first = rocket(project, 1, body_before=body.format("load1", "1"), fixed_name="fetchOne")
    other = rocket(project, 2, body_before=body.format("load2", "1").replace(" ", "  "), fixed_name="fetchTwo")
    assert found_in(project, first, other) == {"near_duplicate": ["rocket-002"]}


def test_same_change_in_a_fork_is_found(project: Project) -> None:
    change = {"commit": "c" * 40, "fixed_name": "fetchAll", "buggy_name": "load"}
    first = rocket(project, 1, repository="acme/rockets", body_before="void load() { one(); }", **change)
    fork = rocket(project, 2, repository="wile/rockets", body_before="void load() { other(); }", **change)
    assert found_in(project, first, fork) == {"fork": ["rocket-002"]}


def test_two_renames_of_one_commit_are_no_forks(project: Project) -> None:
    first = rocket(project, 1, repository="acme/rockets", commit="c" * 40)
    other = rocket(project, 2, repository="acme/rockets", commit="c" * 40)
    assert found_in(project, first, other) == {}


def test_name_that_is_left_in_the_body_is_found(project: Project) -> None:
    recursive = rocket(project, 1, body_before="void load1() {\n    load1();\n}")
    assert found_in(project, recursive) == {"name_in_body": ["rocket-001"]}


def test_address_of_a_member_in_an_item_is_found(project: Project) -> None:
    assert found_in(project, rocket(project, 1, body_before="void load1() { /* Alice@example.org */ }")) == {
        "personal": ["rocket-001"]
    }


@pytest.mark.parametrize(
    ("buggy", "fixed", "slip"),
    [
        ("recieveAll", "receiveAll", "recieve → receive"),
        ("getConection", "getConnection", "conection → connection"),
        ("getUser", "getUsers", ""),  # a plural is no slip
        ("getURL", "getUrl", ""),  # a convention is no slip
        ("load", "fetch", ""),
        ("isOn", "isOf", ""),  # too short to tell
        ("loadConnection", "loadAllConnections", ""),
    ],
)
def test_typo_is_told_from_a_rename(buggy: str, fixed: str, slip: str) -> None:
    assert typo_in(buggy, fixed) == slip


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("", "", 0), ("abc", "", 3), ("abc", "abc", 0), ("abcd", "abdc", 1), ("kitten", "sitting", 3), ("ca", "abc", 3)],
)
def test_edit_distance(one: str, other: str, distance: int) -> None:
    assert edit_distance(one, other) == edit_distance(other, one) == distance


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("void load() { }", []),
        ("void load() { reload(); load$(); }", []),
        ("void load() { this.load(); }", ["load"]),
        ("void load() { /* was fetch */ }", ["fetch"]),
    ],
)
def test_own_declaration_is_masked_and_nothing_else(body: str, left: list[str]) -> None:
    assert names_left(ReviewRename(buggy_name="load", fixed_name="fetch", body_before=body)) == left


def test_release_is_refused_while_a_finding_waits(project: Project, alice: User) -> None:
    releasable(project)
    rename(project, "rocket-000", body_before="void load0() { load0(); }")
    _, job = create_release(choose(project), Title("Rockets"), by=None)
    assert run_job(job).state == State.FAILED
    assert job.error == (
        "1 findings wait for an answer: names that still occur in the body: rocket-000 (load0 still in the body). "
        "Mend or waive each of them."
    )
    answer_findings(project, [("name_in_body", "rocket-000")], reason="It calls itself.", leave_out=False, by=alice)
    release = released(project)
    assert release.manifest["waivers"] == [
        {"guard": "name_in_body", "item": "rocket-000", "leave_out": False, "reason": "It calls itself."}
    ]
    assert Activity.objects.filter(verb="waived", actor=alice).exists()


def test_item_that_is_left_out_is_not_in_the_benchmark_and_nobodys_duplicate(project: Project, alice: User) -> None:
    first, copy = "rocket-001", "rocket-copy"
    same = [rocket(project, 1, key=key, repository="acme/rockets1") for key in (first, copy)]
    assert found_in(project, *same) == {"duplicate": [copy]}
    answer_findings(project, [("typo", first)], reason="A slip.", leave_out=True, by=alice)
    check = check_now(choose(project))
    assert (check.items["released"], check.items["left_out"], check.findings) == (1, 1, [])


def rename(project: Project, key: str, **changes: Any) -> None:
    item = project.items.get(key=key)
    Item.objects.filter(pk=item.pk).update(payload={**item.payload, **changes})


@pytest.mark.parametrize(
    ("findings", "reason", "leave_out", "said"),
    [
        ([("typo", "rocket-000")], "  ", False, "reason"),
        ([("typo", "rocket-000")], "x" * 501, False, "reason"),
        ([], "Because.", False, "at least one"),
        ([("colour", "rocket-000")], "Because.", False, "no guard “colour”"),
        ([("typo", "nothing")], "Because.", False, "no item with the key “nothing”"),
        ([("open", "rocket-000")], "Because.", True, "in no benchmark"),
    ],
)
def test_answer_that_is_none_is_refused(
    project: Project, findings: list[tuple[str, str]], reason: str, leave_out: bool, said: str
) -> None:
    releasable(project)
    with pytest.raises(Invalid, match=said):
        answer_findings(project, findings, reason=reason, leave_out=leave_out, by=None)
    assert not project.waivers.exists()


def test_answer_can_be_given_anew_and_withdrawn(project: Project) -> None:
    releasable(project)
    for reason in ("First.", "Second."):
        answer_findings(project, [("typo", "rocket-000")], reason=reason, leave_out=False, by=None)
    assert [waiver.reason for waiver in project.waivers.all()] == ["Second."]
    withdraw(project, "typo", "rocket-000", by=None)
    with pytest.raises(Refusal, match="no answer to withdraw"):
        withdraw(project, "typo", "rocket-000", by=None)


def test_many_items_are_looked_at_by_a_job(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "MOST_AT_ONCE", 3)
    releasable(project, [[INCLUDE] * 3, [EXCLUDE] * 3, [INCLUDE, EXCLUDE, INCLUDE], [EXCLUDE] * 3])
    rename(project, "rocket-000", body_before="void load0() { load0(); }")
    choice = choose(project, filters=["include=yes"])
    found, job = current_check(choice, by=None)
    assert found is None
    assert job is not None
    assert current_check(choice, by=None) == (None, job)
    assert run_job(job).state == State.FINISHED, job.error
    found, job = current_check(choice, by=None)
    assert isinstance(found, Check)
    assert ([one.item for one in found.findings], found.items["released"], job) == (["rocket-000"], 2, None)
    assert run_job(start_check(choice, by=None)).done == 4
