"""Judged items for tests: who said what on which item, without waiting for a queue."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from labeling.annotation.judging.ballots import Ballot
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import cast_vote
from labeling.annotation.models import Assignment, Round, RoundItem
from labeling.consensus.adjudicating import Verdict
from labeling.consensus.deciding import propose
from labeling.consensus.models import Case, Proposal
from labeling.consensus.routing import route_project, set_rule
from labeling.consensus.talking import post_message
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators, items, opened_round

HOME = "/projects/names/cases/"
FORM = {"answers.include": "no"}


def url(case: Case, act: str = "") -> str:
    return f"{HOME}{case.pk}/{act}"


def sent(**more: Any) -> dict[str, Any]:
    return {"submission": str(uuid4()), **more}


def verdict(**more: Any) -> Verdict:
    return Verdict(**{"answers": EXCLUDE, "rationale": "The thread is about another method.", **more})


def judged(round: Round, people: list[User], votes: dict[str, list[dict[str, Any]]], **more: Any) -> None:
    """Each person votes as listed under the item's key; items that are not listed get the votes of `""`."""
    for place, user in enumerate(people):
        while assignment := next_assignment(user, round):
            key = Assignment.objects.values_list("round_item__item__key", flat=True).get(pk=assignment.pk)
            answers = votes.get(key, votes.get("", []))[place]
            cast_vote(user, assignment.pk, Ballot(submission=uuid4(), answers=answers, **more))


def keys(round: Round) -> list[str]:
    return sorted(round.items.values_list("item__key", flat=True))


def round_item(round: Round, key: str) -> RoundItem:
    return round.items.select_related("item").get(item__key=key)


def disputed(project: Project, people: list[User], *, count: int = 1, **rule: Any) -> list[Case]:
    """Cases on which the people differ: the first includes, the others exclude."""
    items(project, count)
    round = opened_round(project, people, votes=len(people))
    judged(round, people, {"": [INCLUDE, *[EXCLUDE] * (len(people) - 1)]})
    if rule:
        set_rule(round, **{"way": "discussion", "others": "discussion", "names_shown": False, **rule}, by=None)
    route_project(project, by=None)
    return list(Case.objects.filter(round=round).select_related("round__project", "round_item__item").order_by("pk"))


def adjudicator(project: Project, name: str = "Judith") -> User:
    user = User.objects.create_user(f"{name.lower()}@example.org", name=name)
    add_member(project, user=user, role=Role.ADJUDICATOR, by=None)
    return user


def proposed(by: User, case: Case, answers: dict[str, Any] = EXCLUDE, because: str = "") -> Proposal:
    return propose(by, case.pk, submission=uuid4(), answers=answers, because=because)


def version(case: Case) -> int:
    return Case.objects.values_list("version", flat=True).get(pk=case.pk)


def fresh(case: Case) -> Case:
    return Case.objects.select_related("decision").get(pk=case.pk)


def verbs(case: Case) -> list[str]:
    return [event.verb for event in case.events.all()]


def said(by: User, case: Case, body: str = "Look at line 3.") -> None:
    post_message(by, case.pk, submission=uuid4(), body=body)


def named(project: Project) -> list[User]:
    """Three annotators whose names would be noticed."""
    found = annotators(project, 3)
    for user, name in zip(found, ("Xenia Quill", "Yorick Vane", "Zelda Frost"), strict=True):
        User.objects.filter(pk=user.pk).update(name=name, email=f"{name.split()[0].lower()}@example.org")
        user.refresh_from_db()
    return found
