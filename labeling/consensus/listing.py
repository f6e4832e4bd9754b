"""The queue: which cases wait, for whom, narrowed by what they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, Subquery, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from labeling.amounts import Amount
from labeling.consensus.access import visible_cases
from labeling.consensus.models import Case, CaseQuerySet, CaseState, Confirmation, Message, Proposal, has_vote_of
from labeling.digits import whole_number
from labeling.people.access import Seat
from labeling.people.models import Role

PAGE = 50
MOST_CASES = 1_000  # that are counted
MOST_CHOICES = 30
MOST_DAYS = 36_500  # beyond it the calendar ends
STATES = {"open": "Open", "decided": "Decided", "moot": "No longer needed", "all": "All"}
WHO = {"": "All that I can see", "waiting": "Waiting for me", "voted": "That I voted on"}


@dataclass(frozen=True)
class Filters:
    """What narrows the queue; nothing does when it is empty."""

    state: str = "open"
    who: str = ""
    round: int = 0
    question: str = ""
    pattern: str = ""
    repository: str = ""
    days: int = 0  # at least so old

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Filters:
        """What makes no sense narrows nothing: it is an address that somebody typed."""
        return cls(
            state=given.get("state", "") if given.get("state") in STATES else "open",
            who=given.get("who", "") if given.get("who") in WHO else "",
            round=whole_number(given.get("round", "")) or 0,
            question=given.get("question", "").replace("\x00", ""),
            pattern=given.get("pattern", "").replace("\x00", ""),
            repository=given.get("repository", "").replace("\x00", ""),
            days=min(whole_number(given.get("days", "")) or 0, MOST_DAYS),
        )

    def address(self, **more: Any) -> str:
        """As the query of an address, without what is as usual."""
        usual = asdict(Filters())
        chosen = {name: value for name, value in asdict(self).items() if value != usual[name]}
        return urlencode(chosen | {name: value for name, value in more.items() if value})

    @property
    def asked(self) -> str:
        """To be put after an address: nothing where nothing narrows."""
        query = self.address()
        return f"?{query}" if query else ""


def narrowed(seat: Seat, filters: Filters) -> CaseQuerySet:
    """Every case that this person may see and that fits, oldest first."""
    cases = waiting_for(seat) if filters.who == "waiting" else visible_cases(seat)
    if filters.who == "voted":
        cases = cases.voted_on_by(seat.user)
    if filters.state != "all":
        cases = cases.filter(state=filters.state)
    if filters.round:
        cases = cases.filter(round=filters.round)
    if filters.question:
        asked = Cast("questions", TextField())
        cases = cases.alias(asked=asked).filter(asked__contains=f'"{filters.question}"')
    if filters.pattern:
        cases = cases.filter(pattern=filters.pattern)
    if filters.repository:
        cases = cases.filter(round_item__item__group=filters.repository)
    if filters.days:
        cases = cases.filter(opened_at__lte=timezone.now() - timedelta(days=filters.days))
    return cases.order_by("opened_at", "pk")


def waiting_for(seat: Seat) -> CaseQuerySet:
    """Open cases in which it is this person's turn: to say what they stand by, to decide, or to find who decides."""
    confirmed = Confirmation.objects.filter(case=OuterRef("pk"), user=seat.user)
    turn = Q(pk__in=[])
    if seat.is_annotator:
        turn |= Q(~Exists(confirmed), has_vote_of(seat.user), way="discussion")
    if Role.ADJUDICATOR in seat.roles:
        turn |= Q(adjudicator=seat.user)
    if seat.is_coordinator:
        turn |= Q(way="adjudicator", adjudicator=None)
    return visible_cases(seat).filter(turn, state=CaseState.OPEN)


@dataclass(frozen=True)
class CasePage:
    cases: list[Case]
    next_after: int | None
    count: Amount


def page_of(seat: Seat, filters: Filters, *, after: int = 0) -> CasePage:
    """From the case after this one on, with what a row shows."""
    cases = narrowed(seat, filters)
    count = Amount.of(cases, MOST_CASES)
    if after and (last := Case.objects.filter(pk=after).first()):
        cases = cases.filter(later_than(last))
    found = list(with_rows(cases)[: PAGE + 1])
    return CasePage(found[:PAGE], found[PAGE - 1].pk if len(found) > PAGE else None, count)


def with_rows(cases: CaseQuerySet) -> CaseQuerySet:
    said = Message.objects.filter(case=OuterRef("pk")).order_by().values("case").annotate(count=Count("pk"))
    standing = Proposal.objects.filter(confirmations__isnull=False).distinct().prefetch_related("confirmations")
    return (
        cases.select_related("round__protocol", "round_item__item", "decision")
        .defer("round_item__item__payload", "round_item__gold")
        .prefetch_related(Prefetch("proposals", standing, to_attr="standing"))
        .annotate(said=Subquery(said.values("count")))  # of the rows shown alone; joined, it would be of all
    )


def later_than(case: Case) -> Q:
    """Bounded by the time as well, which an index understands: of an alternative it does not know where it begins."""
    return Q(opened_at__gte=case.opened_at) & (Q(opened_at__gt=case.opened_at) | Q(pk__gt=case.pk))


def earlier_than(case: Case) -> Q:
    return Q(opened_at__lte=case.opened_at) & (Q(opened_at__lt=case.opened_at) | Q(pk__lt=case.pk))


def neighbours(seat: Seat, filters: Filters, case: Case) -> tuple[int | None, int | None]:
    """The case before and the one after, in the same queue."""
    cases = narrowed(seat, filters)
    before = cases.filter(earlier_than(case)).order_by("-opened_at", "-pk").values_list("pk", flat=True).first()
    return before, cases.filter(later_than(case)).values_list("pk", flat=True).first()


def choices(seat: Seat, filters: Filters) -> dict[str, list[tuple[str, int]]]:
    """The commonest patterns and repositories of what this person may see in this state, each with its count; where
    there are very many cases, among those that come first."""
    fitting = narrowed(seat, Filters(state=filters.state, who=filters.who, round=filters.round))
    cases = Case.objects.filter(pk__in=fitting[:MOST_CASES].values("pk")).order_by()
    return {
        "patterns": most_common(cases.exclude(pattern=""), "pattern"),
        "repositories": most_common(cases.exclude(round_item__item__group=""), "round_item__item__group"),
    }


def most_common(cases: CaseQuerySet, name: str) -> list[tuple[str, int]]:
    counted = cases.values_list(name).annotate(count=Count("pk")).order_by("-count", name)
    return list(counted[:MOST_CHOICES])
