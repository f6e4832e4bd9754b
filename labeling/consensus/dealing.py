"""Who decides a case that its voters do not: somebody with few of them, and never one who voted on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from django.db.models import Count, F

from labeling.annotation.models import Assignment
from labeling.consensus.models import Case, Rule
from labeling.people.models import Membership, Role


class Deal:
    """Cases among adjudicators: each time somebody with the fewest, and never one who voted on it."""

    def __init__(self, rule: Rule, cases: Sequence[Case]) -> None:
        self.cases = cases
        self.people = list(adjudicators(rule.round.project_id))
        self.voters = voters_of(cases)
        self.load = Counter(dict(open_load(rule.round.project_id)))
        self.rng = Random(f"{rule.seed}/adjudicators/{len(cases)}")  # noqa: S311 (fair, not a secret)

    def pick(self, case: Case) -> int | None:
        able = [user for user in self.people if user not in self.voters[case.pk]]
        if not able:
            return None
        chosen = min(self.rng.sample(able, len(able)), key=lambda user: self.load[user])
        self.load[chosen] += 1
        return chosen


def adjudicators(project_id: int) -> Iterable[int]:
    members = Membership.objects.filter(project=project_id, role=Role.ADJUDICATOR, user__is_active=True)
    return members.order_by("user").values_list("user", flat=True)


def open_load(project_id: int) -> Iterable[tuple[int, int]]:
    held = Case.objects.open().filter(project=project_id, adjudicator__isnull=False)
    return held.order_by().values_list("adjudicator").annotate(count=Count("pk"))


def voters_of(cases: Sequence[Case]) -> dict[int, set[int]]:
    """By case, the people whose votes it is about."""
    found: dict[int, set[int]] = {case.pk: set() for case in cases}
    by_item = {case.round_item_id: case.pk for case in cases}
    slots = Assignment.objects.filter(round_item__in=by_item, repeat=0, vote__isnull=False)
    for item, user in slots.values_list("round_item", F("rater__user")):
        found[by_item[item]].add(user)
    return found
