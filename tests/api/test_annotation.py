from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.models import Draft, Round, Vote
from labeling.annotation.rounds.changing import close_round
from labeling.corpus.models import Project
from labeling.people.models import ApiToken, User
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators, assert_sound, items, opened_round
from tests.api.judging import NEXT, sent, taken, vote_url
from tests.api.test_projects import caller, problem


def test_next_and_vote_until_nothing_is_left(round: Round, ann: User) -> None:
    client, seen = caller(ann), []
    while (answer := client.post(NEXT).json())["assignment"]:
        assert set(answer) == {"assignment", "item", "protocol"}
        assert set(answer["item"]) == {"kind", "group", "title", "payload"}
        assert answer["assignment"]["round"] == {"id": round.pk, "name": "First"}
        assert answer["protocol"]["version"] == 1
        assert answer["protocol"]["content"]["questions"][0]["key"] == "include"
        timing = {"wall": 5, "active": 4, "idle": 1}
        body = sent(answers=INCLUDE, timing=timing, note=" kept as it is ", version=1)
        cast = client.post(vote_url(answer["assignment"]["id"]), body)
        assert cast.status_code == 200
        assert (cast.json()["answers"], cast.json()["note"]) == (INCLUDE, " kept as it is ")
        seen.append(answer["assignment"]["id"])
    assert answer == {"assignment": None, "detail": "Nothing is left for you to judge here now."}
    assert len(seen) == len(set(seen)) == 6  # one of them a hidden repeat
    assert_sound(round)


def test_asked_again_it_is_the_same_item_and_one_can_be_fetched_ahead(round: Round, ann: User) -> None:
    client = caller(ann)
    first = taken(client)
    assert taken(client) == first
    ahead = client.post(NEXT, {"holding": [first], "round": round.pk}).json()["assignment"]["id"]
    assert ahead != first
    full = client.post(NEXT, {"holding": [first, ahead]}).json()
    assert full["detail"] == "You hold 2 items already: vote on one of them or skip it first."
    assert client.post(NEXT, {"round": round.pk + 1}).json()["assignment"] is None


def test_next_goes_on_with_the_next_round(project: Project, round: Round, ann: User) -> None:
    client = caller(ann)
    second = opened_round(project, [ann], name="Second", protocol=round.protocol)
    while (answer := client.post(NEXT).json())["assignment"]["round"]["name"] == "First":
        client.post(vote_url(answer["assignment"]["id"]), sent())
    assert answer["assignment"]["round"]["id"] == second.pk


def test_same_submission_twice_gets_the_same_answer_twice(round: Round, ann: User) -> None:
    client = caller(ann)
    pk, body = taken(client), sent(answers=INCLUDE, note="why", timing={"wall": 5, "active": 4, "idle": 1})
    first = client.post(vote_url(pk), body)
    second = client.post(vote_url(pk), body)
    assert (first.status_code, first.json()) == (second.status_code, second.json()) == (200, first.json())
    close_round(round, by=None)
    assert client.post(vote_url(pk), body).json() == first.json()
    assert Vote.objects.count() == 1


def test_vote_is_revised_by_naming_its_revision(round: Round, ann: User) -> None:
    client = caller(ann)
    pk = taken(client)
    client.post(vote_url(pk), sent())
    refused = client.post(vote_url(pk), sent(answers=INCLUDE))
    assert refused.status_code == 409
    assert "already voted" in problem(refused)["detail"]
    revised = client.post(vote_url(pk), sent(answers=INCLUDE, revises=1))
    assert (revised.json()["revision"], revised.json()["answers"]) == (2, INCLUDE)


BAD: list[tuple[dict[str, Any], int, str]] = [
    ({"answers": {"include": "maybe"}}, 422, "answers.include: must be one of yes, no"),
    ({"answers": {}}, 422, "answers.include: “Are review and rename clearly connected?” needs an answer"),
    ({"answers": {**EXCLUDE, "criteria": ["suggested"]}}, 422, "answers.criteria: is asked only when include is yes"),
    ({"note": "x" * 1_000_000}, 422, "note: has 1,000,000 characters"),
    ({"version": 7}, 409, "at version 1 now, and this was answered under version 7"),
    ({"timing": {"wall": 1}}, 422, "timing: must have wall, active, idle"),
    ({"submission": "no uuid"}, 400, "submission"),
    ({"submission": None}, 400, "submission"),
    ({"note": "a\x00b"}, 400, "note"),
    ({"flag": "\x00"}, 400, "flag"),
    ({"revises": -1}, 400, "revises"),
    ({"answers": {"include": "y\x00"}}, 422, "answers.include: must be one of"),
]


@pytest.mark.parametrize(("body", "status", "said"), BAD, ids=[f"{status} {said}" for _, status, said in BAD])
def test_bad_vote_names_its_field_and_stores_nothing(
    round: Round, ann: User, body: dict[str, Any], status: int, said: str
) -> None:
    client = caller(ann)
    pk = taken(client)
    draft = {"content": {"note": "half-way"}}
    assert client.put(f"/api/v1/assignments/{pk}/draft/", draft).json()["content"] == draft["content"]
    refused = client.post(vote_url(pk), sent(**body))
    assert refused.status_code == status
    told = problem(refused)
    assert said in told["detail"] or said in [error["field"] for error in told["errors"]]
    assert not Vote.objects.exists()
    assert client.get(f"/api/v1/assignments/{pk}/draft/").json()["content"] == draft["content"]


def test_what_is_not_yours_or_too_late_is_refused(round: Round, ann: User, alice: User, charlie: User) -> None:
    pk = taken(caller(ann))
    ben = caller(User.objects.get(email="rater2@example.org"))
    assert ben.post(vote_url(pk), sent()).status_code == 409
    for client in (caller(charlie), caller(alice)):
        assert client.post(vote_url(pk), sent()).status_code == 404
        assert client.post(f"/api/v1/assignments/{pk}/skip/", {"reason": "x"}).status_code == 404
        assert client.put(f"/api/v1/assignments/{pk}/draft/", {"content": {}}).status_code == 404
        assert client.get(f"/api/v1/assignments/{pk}/draft/").status_code == 404
    assert caller(charlie).post(NEXT).status_code == 404
    assert caller(alice).post(NEXT).status_code == 403
    assert caller(ann).post(vote_url(10**30), sent()).status_code == 404
    close_round(round, by=None)
    closed = caller(ann).post(vote_url(pk), sent())
    assert closed.status_code == 409
    assert "is closed" in problem(closed)["detail"]
    assert not Vote.objects.exists()


def test_nothing_is_handed_out_in_an_archive(round: Round, ann: User, alice: User) -> None:
    pk = taken(caller(ann))
    caller(alice).post("/api/v1/projects/names/archive/")
    for url, body in [(NEXT, {}), (vote_url(pk), sent())]:
        refused = caller(ann).post(url, body)
        assert refused.status_code == 409
        assert "is archived" in problem(refused)["detail"]


def test_item_is_skipped_with_a_reason(round: Round, ann: User) -> None:
    client = caller(ann)
    pk = taken(client)
    assert client.post(f"/api/v1/assignments/{pk}/skip/", {}).status_code == 400
    assert client.post(f"/api/v1/assignments/{pk}/skip/", {"reason": "Unclear."}).json() == {"reason": "Unclear."}
    assert taken(client) != pk
    mine = client.get("/api/v1/projects/names/my-rounds/").json()
    assert [(row["name"], row["left"], row["at_most"]) for row in mine] == [
        ("First", 5, False)
    ]  # with a repeat to come


def test_draft_is_saved_by_put_or_post_and_gone_after_the_vote(round: Round, ann: User) -> None:
    client = caller(ann)
    pk = taken(client)
    url = f"/api/v1/assignments/{pk}/draft/"
    assert client.get(url).json() == {"content": {}, "saved_at": None}
    assert client.post(url, {"content": {"answers": {"include": "yes"}}}).status_code == 200
    assert client.put(url, {"content": {"unknown": 1}}).status_code == 422
    assert client.put(url, {}).status_code == 400
    assert client.get(url).json()["content"] == {"answers": {"include": "yes"}}
    client.post(vote_url(pk), sent())
    assert client.get(url).json()["content"] == {}
    assert not Draft.objects.exists()


def test_hot_calls_stay_lean(project: Project) -> None:
    items(project, 30)
    ann, ben = annotators(project, 2)
    opened_round(project, [ann, ben], votes=2)
    client = caller(ann)
    client.post(vote_url(taken(client)), sent())
    ApiToken.objects.update(last_used_at=None)
    client.get("/api/v1/me/")
    with CaptureQueriesContext(connection) as claiming:
        pk = taken(client)
    with CaptureQueriesContext(connection) as voting:
        client.post(vote_url(pk), sent())
    with CaptureQueriesContext(connection) as both:
        client.post(vote_url(taken(client)), sent() | {"next": {}})
    # On PostgreSQL writes go along with questions.
    wanted = (6, 4, 6 + 5) if connection.vendor == "postgresql" else (7, 7, 7 + 10)
    for captured, allowed in zip((claiming, voting, both), wanted, strict=True):
        asked = [query["sql"] for query in captured if not query["sql"].startswith(("SAVEPOINT", "RELEASE", "BEGIN"))]
        assert len(asked) == allowed, asked


def test_project_without_rounds_has_nothing(project: Project, bob: User) -> None:
    assert caller(bob).post(NEXT).json()["assignment"] is None
    assert next_assignment(bob, Round(pk=1)) is None
    assert caller(bob).get("/api/v1/projects/names/my-rounds/").json() == []


def test_another_comment_is_picked_with_the_vote(round: Round, ann: User) -> None:
    client = caller(ann)
    held = taken(client)
    for wrong in (2, "x", True):
        refused = client.post(vote_url(held), sent(picked=wrong))
        assert refused.status_code in {400, 422}
        assert "picked" in refused.text
    assert client.post(vote_url(held), sent(picked=1)).json()["picked"] == 1
    assert client.post(vote_url(taken(client)), sent()).json()["picked"] is None
    assert list(Vote.objects.order_by("pk").values_list("picked", flat=True)) == [1, None]
