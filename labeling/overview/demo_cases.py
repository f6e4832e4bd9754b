"""The demo's cases: one that its voters settled, one that an adjudicator decided, one that is being discussed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from labeling.annotation.models import Rater, Round
from labeling.consensus.adjudicating import Verdict, decide, hand_over
from labeling.consensus.deciding import confirm, propose
from labeling.consensus.models import Case
from labeling.consensus.naming import names_in
from labeling.consensus.routing import route_project, rule_of, set_rule, votes_on
from labeling.consensus.talking import post_message
from labeling.people.models import User

ENOUGH = 3  # votes: a discussion of one is none


def settle_demo(round: Round, *, coordinator: User, adjudicator: User) -> None:
    """With fewer cases than the demo's votes make, as many as there are."""
    set_rule(round, way="discussion", others="discussion", names_shown=False, by=coordinator)
    route_project(round.project, by=coordinator)
    cases = [case for case in round.cases.select_related("round__project") if len(case.voted) == ENOUGH]
    for case, act in zip(cases, (agree, overrule, discuss), strict=False):
        act(case, coordinator, adjudicator)


def voters(case: Case) -> list[User]:
    raters = Rater.objects.select_related("user").in_bulk(case.raters)
    return [raters[pk].user for pk in case.raters]


def usual_answer(case: Case) -> Mapping[str, Any]:
    """What somebody said who included it, if anybody did."""
    said = [vote.answers for vote in votes_on([case.round_item])[case.round_item_id]]
    return dict(next((answers for answers in said if answers["decision"] == "include"), said[0]))


def version(case: Case) -> int:
    return Case.objects.values_list("version", flat=True).get(pk=case.pk)


def agree(case: Case, coordinator: User, adjudicator: User) -> None:
    first, *others = voters(case)
    because = "The comment above the linked one names the method, and the author answers it with this commit."
    proposal = propose(first, case.pk, submission=uuid4(), answers=usual_answer(case), because=because)
    for other in others:
        confirm(other, case.pk, proposal.pk, seen=version(case))


def overrule(case: Case, coordinator: User, adjudicator: User) -> None:
    first, *_ = voters(case)
    say(first, case, "The reviewer only asks what the method does. Is a question a suggestion?")
    hand_over(coordinator, case.pk, adjudicator.pk, seen=version(case))
    verdict = Verdict(
        answers=usual_answer(case),
        rationale="The question shows that the name misleads, and the author renames it in answer. That is enough.",
        unclear="Does a question about a name count as a suggestion when the author answers it with a rename?",
    )
    decide(adjudicator, case.pk, verdict, submission=uuid4(), seen=version(case))


def discuss(case: Case, coordinator: User, adjudicator: User) -> None:
    first, second, third = voters(case)
    called = names_in(case, rule_of(case.round))
    say(first, case, "I read the thread as being about the **class**, not the method. What did you see?")
    say(second, case, f"Line 2 of the comment: it quotes the old name. @{called.of(third)}, you had it too?")
    because = "The old name is quoted, so the comment is about it."
    propose(second, case.pk, submission=uuid4(), answers=usual_answer(case), because=because)


def say(by: User, case: Case, body: str) -> None:
    post_message(by, case.pk, submission=uuid4(), body=body)
