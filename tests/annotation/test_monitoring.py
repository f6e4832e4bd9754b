from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import skip
from labeling.annotation.models import Assignment, Handing, Round
from labeling.annotation.rounds.changing import close_round, remove_rater, use_version
from labeling.annotation.rounds.listing import STATES, items_by_state
from labeling.annotation.rounds.mine import my_rounds
from labeling.annotation.rounds.monitoring import reminder_text, round_status
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from labeling.refusals import Invalid
from tests.annotation.samples import (
    INCLUDE,
    annotators,
    items,
    judge,
    judge_all,
    opened_round,
    protocol,
    rater_of,
    vote_on,
)

TIMING = {"wall": 12, "active": 10, "idle": 2}


def timed_votes(user: User, round: Round, count: int, **more: str) -> None:
    for _ in range(count):
        held = next_assignment(user, round)
        assert held
        vote_on(user, held, INCLUDE, timing=TIMING, **more)


def test_status_counts_items_and_votes(project: Project) -> None:
    items(project, 10)
    ann, ben, cleo = annotators(project, 3)
    round = opened_round(project, [ann, ben, cleo], votes=2)
    timed_votes(ann, round, 6)
    timed_votes(ben, round, 3)
    status = round_status(round)
    assert status["items"]["total"] == 10
    assert sum(status["items"]["by_votes"]) == 10
    assert status["items"]["by_votes"][2] == status["items"]["complete"]
    assert status["votes"] == {"wanted": 20, "cast": 9, "left": 11, "last_hour": 9}
    people = {person["name"]: person for person in status["annotators"]}
    assert (people["Rater 1"]["votes"], people["Rater 1"]["seconds_per_item"]) == (6, 10)
    assert people["Rater 1"]["left"] == 4
    assert people["Rater 1"]["time_left"] == {"seconds": 40, "reason": ""}
    assert people["Rater 2"]["time_left"] == {"seconds": None, "reason": "Fewer than 5 votes with a time so far."}
    assert people["Rater 3"]["last_seen"] is None
    assert status["time_left"]["seconds"] == 110
    assert json.loads(json.dumps(status)) == status


def test_status_says_what_needs_attention_and_nothing_of_votes(project: Project, alice: User) -> None:
    items(project, 6)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben], votes=2)
    timed_votes(ann, round, 2, flag="Two renames at once", note="secret words")
    held = next_assignment(ann, round)
    assert held
    skip(ann, held.pk, reason="I wrote this code")
    late = next_assignment(ben, round)
    assert late
    Assignment.objects.filter(pk=late.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    use_version(round, protocol(project), by=alice)
    round = Round.objects.get()
    status = round_status(round)
    assert (status["stale_leases"], status["stale_votes"]) == (1, 2)
    assert status["annotators"][1]["held"] == 1
    assert [entry["reason"] for entry in status["skipped"]["shown"]] == ["I wrote this code"]
    assert [entry["reason"] for entry in status["flagged"]["shown"]] == ["Two renames at once"] * 2
    assert (status["skipped"]["total"], status["flagged"]["total"]) == (1, 2)
    text = json.dumps(status) + json.dumps([items_by_state(round, state).items for state in STATES])
    assert "secret" not in text
    assert "suggested" not in text
    assert '"yes"' not in text
    remove_rater(round, rater_of(round, ann), by=alice)
    ben.memberships.all().delete()
    assert [warning.split(":")[0] for warning in round_status(round)["warnings"]] == [
        "Each item wants 2 votes, and 1 annotators take part",
        "Rater 2 is no longer an annotator of the project and cannot vote",
    ]


@pytest.mark.parametrize("size", [1, 3])
def test_monitor_costs_the_same_for_few_and_many(
    project: Project, size: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    items(project, 8 * size)
    people = annotators(project, 2 * size)
    round = opened_round(project, people, votes=2)
    for user in people:
        timed_votes(user, round, 3, flag="look", note="words")
        held = next_assignment(user, round)
        assert held
        skip(user, held.pk, reason="unclear")
    round = Round.objects.select_related("protocol__protocol").get(pk=round.pk)
    with django_assert_num_queries(9):
        round_status(round)
    for state in STATES[:-2]:  # there is no stale vote here, and nobody picked another comment
        with django_assert_num_queries(2):
            items_by_state(round, state)
    with django_assert_num_queries(4):
        my_rounds(people[0], project)


def test_items_are_listed_by_state_page_by_page(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labeling.annotation.rounds.listing.PAGE", 2)
    items(project, 9)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    for _ in range(5):
        judge(ann, round)
    judged = judge(ben, round)
    assert judged
    held = next_assignment(ann, round)
    assert held
    skip(ann, held.pk, reason="unclear")
    found: dict[str, list[dict[str, Any]]] = {}
    for state in STATES:
        after, found[state] = 0, []
        while True:
            page = items_by_state(round, state, after)
            found[state] += page.items
            if page.next_after is None:
                break
            assert len(page.items) == 2
            after = page.next_after
    touched = set(Assignment.objects.filter(state="voted").values_list("round_item", flat=True))
    complete = 6 - len(touched)
    assert {state: len(entries) for state, entries in found.items()} == {
        "untouched": 9 - len(touched), "in_progress": len(touched) - complete, "complete": complete,
        "skipped": 1, "flagged": 0, "stale": 0, "picked": 0,
    }  # fmt: skip
    assert sorted(slot["state"] for slot in found["skipped"][0]["slots"]) in [["free", "skipped"], ["skipped", "voted"]]
    with pytest.raises(Invalid, match="state: must be one of untouched, in_progress"):
        items_by_state(round, "other")


def test_reminder_can_be_copied(project: Project) -> None:
    items(project, 4)
    ann, ben = annotators(project, 2)
    round = opened_round(project, [ann, ben])
    judge(ann, round)
    text = reminder_text(rater_of(round, ann))
    assert "Hello Rater 1" in text
    assert "in the round “First” of Names 3 items still wait" in text
    assert "http://127.0.0.1:8000/projects/names/" in text
    assert "You have not judged any yet" in reminder_text(rater_of(round, ben))


@pytest.mark.parametrize("handing", Handing)
def test_my_rounds_say_what_is_left_for_me(project: Project, handing: Handing) -> None:
    items(project, 6)
    ann, ben, cleo = annotators(project, 3)
    everybody = opened_round(project, [ann, ben], handing=handing)
    some = opened_round(project, [ann, ben, cleo], handing=handing, votes=2, name="Second")
    timed_votes(ann, everybody, 1, note="my words")
    held = next_assignment(ann, everybody)
    assert held
    skip(ann, held.pk, reason="unclear")
    mine = {row.round: row for row in my_rounds(ann, project)}
    assert (mine[everybody].left, mine[everybody].is_most) == (4, False)
    assert [vote.note for vote in mine[everybody].noted] == ["my words"]
    assert [vars(slot)["reason"] for slot in mine[everybody].skipped] == ["unclear"]
    assert mine[everybody].pace is None
    assert mine[everybody].time_left.reason
    expected = (6, True) if handing == Handing.CLAIMED else (4, False)
    assert (mine[some].left, mine[some].is_most) == expected
    judge_all([ann, ben, cleo], some)
    close_round(everybody, by=None)
    assert [(row.round.name, row.left) for row in my_rounds(ann, project)] == [("Second", 0), ("First", 0)]
    assert [row.round.name for row in my_rounds(cleo, project)] == ["Second"]


def test_stale_votes_are_listed_with_their_version_and_not_with_their_answer(project: Project) -> None:
    items(project, 2)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    judge(ann, round)
    use_version(round, protocol(project), by=None)
    round.refresh_from_db()
    (entry,) = items_by_state(round, "stale").items
    assert (entry["annotator"], entry["reason"]) == ("Rater 1", "cast under version 1")
    assert round_status(round)["stale_votes"] == 1


def test_changes_are_offered_only_where_there_are_some(
    project: Project, alice: User, enter: Callable[[User], Client]
) -> None:
    items(project, 2)
    people = annotators(project, 2)
    round = opened_round(project, [*people, User.objects.get(name="Bob")])
    client, page = enter(alice), f"/projects/names/rounds/{round.pk}/"
    assert "Change the round" not in client.get(page).text
    newcomer = User.objects.create_user("late@example.org", name="Lena")
    add_member(project, user=newcomer, role=Role.ANNOTATOR, by=None)
    text = client.get(page).text
    assert "Change the round" in text
    assert "Lena" in text
