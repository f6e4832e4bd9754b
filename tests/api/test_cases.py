from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from labeling.consensus.models import Case, CaseState, Message
from labeling.consensus.talking import post_message
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators
from tests.api.test_projects import caller, problem
from tests.consensus.samples import adjudicator, disputed, proposed, version

pytestmark = pytest.mark.django_db
HOME = "/api/v1/projects/names/cases/"
CALLS = [
    ("get", ""),
    ("post", "messages/"),
    ("post", "proposals/"),
    ("post", "confirm/"),
    ("post", "withdraw/"),
    ("post", "decide/"),
    ("post", "hand-over/"),
    ("post", "hand-back/"),
    ("post", "reopen/"),
]


@pytest.fixture
def people(project: Project) -> list[User]:
    return annotators(project, 3)


@pytest.fixture
def case(project: Project, people: list[User]) -> Case:
    return disputed(project, people)[0]


def sent(**more: Any) -> dict[str, Any]:
    return {"submission": str(uuid4()), **more}


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_who_takes_no_part_finds_nothing(
    case: Case, bob: User, charlie: User, project: Project, method: str, path: str
) -> None:
    add_member(project, user=charlie, role=Role.VIEWER, by=None)
    for user, expected in {bob: 404, charlie: 404, User.objects.create_user("out@example.org"): 404}.items():
        response = getattr(caller(user), method)(f"{HOME}{case.pk}/{path}", {})
        of_coordinators = path in {"hand-over/", "hand-back/", "reopen/"} and user.memberships.exists()
        assert response.status_code == (403 if of_coordinators else expected)
        problem(response)


def test_the_list_shows_what_one_may_see(case: Case, people: list[User], alice: User, bob: User) -> None:
    for user, count in {people[0]: 1, alice: 1, bob: 0}.items():
        found = caller(user).get(HOME).json()
        assert len(found["results"]) == count
    (row,) = caller(people[0]).get(HOME, {"question": "include"}).json()["results"]
    assert (row["id"], row["state"], row["questions"]) == (case.pk, "open", ["include", "criteria"])
    assert row["item"]["title"] == case.round_item.item.title
    assert caller(people[0]).get(HOME, {"state": "decided"}).json()["results"] == []


def test_a_case_is_settled_by_scripts(case: Case, people: list[User]) -> None:
    url = f"{HOME}{case.pk}/"
    first, second, third = (caller(user) for user in people)
    assert first.post(f"{url}messages/", sent(body="Line 3?")).status_code == 201
    made = first.post(f"{url}proposals/", sent(answers=EXCLUDE, because="Seen."))
    assert made.status_code == 201
    (proposal,) = made.json()["proposals"]
    assert (proposal["mine"], len(proposal["waiting"])) == (True, 2)
    assert first.post(f"{url}withdraw/").json()["proposals"][0]["confirmed"] == []
    proposal = first.post(f"{url}proposals/", sent(answers=EXCLUDE)).json()["proposals"][0]
    seen = second.get(url).json()["version"]
    first.post(f"{url}messages/", sent(body="Wait."))
    refused = second.post(f"{url}confirm/", {"proposal": proposal["id"], "version": seen})
    assert refused.status_code == 409
    assert "wrote a message" in problem(refused)["detail"]
    for client in (second, third):
        body = {"proposal": proposal["id"], "version": version(case)}
        assert client.post(f"{url}confirm/", body).status_code == 200
    decided = third.get(url).json()
    assert decided["state"] == "decided"
    (decision,) = decided["decisions"]
    assert (decision["how"], decision["answers"], decision["in_force"]) == ("discussion", EXCLUDE, True)
    assert decided["events"][0]["words"].endswith("agreed with everybody")


@pytest.mark.parametrize("proposal", [0, -1, 2**31, 10**30])
def test_a_number_that_no_proposal_can_have_is_refused(case: Case, people: list[User], proposal: int) -> None:
    url = f"{HOME}{case.pk}/confirm/"
    assert caller(people[0]).post(url, {"proposal": proposal, "version": 0}).status_code == 400


def test_no_answer_names_a_voter(case: Case, people: list[User], alice: User) -> None:
    proposed(people[0], case)
    post_message(people[1], case.pk, submission=uuid4(), body="Hm.")
    for user in (people[2], alice):
        text = caller(user).get(f"{HOME}{case.pk}/").text
        assert all(person.name not in text and person.email not in text for person in people)
        assert '"rater"' in text
        assert "rater_id" not in text


def test_the_same_message_twice_is_one_and_an_edit_says_what_it_replaces(case: Case, people: list[User]) -> None:
    client, url = caller(people[0]), f"{HOME}{case.pk}/messages/"
    body = sent(body="One")
    (first,) = client.post(url, body).json()["messages"]
    assert client.post(url, body).json()["messages"] == [first]
    edited = client.post(url, {"body": "Two", "message": first["id"], "revision": 1}).json()["messages"]
    assert [(one["body"], one["revision"]) for one in edited] == [("Two", 2)]
    refused = client.post(url, {"body": "Three", "message": first["id"], "revision": 1})
    assert refused.status_code == 409
    assert "“Two”" in problem(refused)["detail"]
    assert caller(people[1]).post(url, {"body": "Mine?", "message": first["id"], "revision": 2}).status_code == 404
    assert client.post(url, {"body": "No id"}).status_code == 422
    assert Message.objects.count() == 1


def test_an_edit_of_another_cases_message_is_not_found(project: Project, people: list[User]) -> None:
    first, second = disputed(project, people, count=2)
    message = post_message(people[0], second.pk, submission=uuid4(), body="There")
    body = {"body": "Here", "message": message.pk, "revision": 1}
    assert caller(people[0]).post(f"{HOME}{first.pk}/messages/", body).status_code == 404


def test_a_coordinator_hands_over_and_the_adjudicator_decides(
    case: Case, alice: User, project: Project, people: list[User]
) -> None:
    judith = adjudicator(project)
    url, leader = f"{HOME}{case.pk}/", caller(alice)
    body = {"adjudicator": "nobody@example.org", "version": 1}
    assert leader.post(f"{url}hand-over/", body).status_code == 404
    assert leader.post(f"{url}hand-over/", {"adjudicator": people[0].email, "version": 1}).status_code == 409
    assert leader.post(f"{url}hand-over/", {"adjudicator": judith.email, "version": 1}).json()["way"] == "adjudicator"
    assert leader.post(f"{url}hand-back/", {"version": 2}).json()["way"] == "discussion"
    assert leader.post(f"{url}hand-over/", {"version": 3}).status_code == 200
    verdict = sent(answers=INCLUDE, rationale="Seen.", unclear="Which line?", version=4)
    judge = caller(judith)
    assert caller(people[0]).post(f"{url}decide/", verdict).status_code == 409
    assert judge.post(f"{url}decide/", {**verdict, "answers": {"include": "maybe"}}).status_code == 422
    for _ in range(2):
        assert judge.post(f"{url}decide/", verdict).json()["decisions"][0]["unclear"] == "Which line?"
    assert judge.post(f"{url}decide/", {**verdict, **sent(), "version": 5}).status_code == 409
    reopened = leader.post(f"{url}reopen/", {"reason": "A new guideline.", "version": 5}).json()
    assert (reopened["state"], reopened["decisions"][0]["in_force"]) == ("open", False)
    assert Case.objects.get().state == CaseState.OPEN


def test_the_rule_of_a_round(case: Case, alice: User, bob: User) -> None:
    url = f"/api/v1/projects/names/rounds/{case.round_id}/rule/"
    assert caller(bob).get(url).status_code == 403
    client = caller(alice)
    assert client.get(url).json() == {"way": "discussion", "others": "discussion", "names_shown": False}
    wanted = {"way": "majority", "others": "union", "names_shown": True}
    assert client.put(url, wanted).json() == wanted
    assert client.put(url, {**wanted, "way": "dice"}).status_code == 400
    assert caller(alice).get(HOME, {"state": "moot"}).json()["results"][0]["id"] == case.pk


def test_nothing_changes_in_an_archive(case: Case, people: list[User], alice: User) -> None:
    caller(alice).post("/api/v1/projects/names/archive/")
    for path in ("messages/", "proposals/", "confirm/", "withdraw/", "decide/"):
        assert caller(people[0]).post(f"{HOME}{case.pk}/{path}", sent(body="x")).status_code == 409
    assert caller(people[0]).get(f"{HOME}{case.pk}/").status_code == 200
    assert version(case) == 1
