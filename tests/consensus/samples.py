"""Judged items for tests: who said what on which item, without waiting for a queue."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import Ballot, cast_vote
from labeling.annotation.models import Assignment, Round, RoundItem
from labeling.people.models import User


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
