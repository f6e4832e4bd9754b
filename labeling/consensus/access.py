"""Who may see which cases, and what they may do there. Pages and API both ask here."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404

from labeling.consensus.models import Case, CaseQuerySet, CaseState, Message, Rule, has_vote_of
from labeling.consensus.naming import Names, names_in
from labeling.consensus.routing import route_batch
from labeling.people.access import Seat
from labeling.people.models import Role

WHOLE = ("round__project", "round__protocol__protocol", "round__rule", "round_item__item", "decision")


def visible_cases(seat: Seat) -> CaseQuerySet:
    """A coordinator sees all; who voted on an item or has to decide sees its case; a viewer sees what is decided."""
    cases = Case.objects.filter(project=seat.project).shown()
    if seat.is_coordinator:
        return cases
    mine = Q(pk__in=[])
    if seat.is_annotator:
        mine |= Q(has_vote_of(seat.user))
    if Role.ADJUDICATOR in seat.roles:
        mine |= Q(adjudicator=seat.user)
    if Role.VIEWER in seat.roles:
        mine |= Q(state=CaseState.DECIDED)
    return cases.filter(mine)


@dataclass(frozen=True)
class Part:
    """What a person is in a case."""

    seat: Seat
    case: Case
    names: Names

    @property
    def rule(self) -> Rule:
        return self.case.round.rule

    @property
    def is_voter(self) -> bool:
        return self.seat.is_annotator and self.seat.user.pk in self.names.letters

    @property
    def is_adjudicator(self) -> bool:
        return Role.ADJUDICATOR in self.seat.roles and self.case.adjudicator_id == self.seat.user.pk

    @property
    def is_coordinator(self) -> bool:
        return self.seat.is_coordinator

    @property
    def is_open(self) -> bool:
        return self.case.state == CaseState.OPEN and not self.seat.project.archived_at

    @property
    def may_talk(self) -> bool:
        return self.is_open and (self.is_voter or self.is_adjudicator or self.is_coordinator)

    @property
    def may_propose(self) -> bool:
        return self.is_open and self.is_voter and self.case.way == "discussion" and len(self.names.letters) > 1

    @property
    def may_decide(self) -> bool:
        return self.is_open and self.is_adjudicator and not self.is_voter

    @property
    def may_enter(self) -> bool:
        """What was said in a meeting."""
        return self.is_open and self.is_coordinator and self.case.way == "discussion" and len(self.names.letters) > 1

    @property
    def may_reopen(self) -> bool:
        return self.is_coordinator and self.case.state == CaseState.DECIDED and not self.seat.project.archived_at

    @property
    def myself(self) -> str:
        return self.names.of(self.seat.user)


def find_part(seat: Seat, pk: int) -> Part:
    """404 for a case that is not this person's to see."""
    cases = visible_cases(seat).select_related(*WHOLE)
    case = get_object_or_404(cases, pk=pk)
    if case.round_item.routed_at is None:  # a vote came in since: the case is about other votes now
        route_batch(case.round, only=case.round_item_id)
        case = get_object_or_404(cases, pk=pk)
    return Part(seat, case, names_in(case, case.round.rule))


def find_message(part: Part, pk: int) -> Message:
    message = part.case.messages.filter(pk=pk).select_related("author").first()
    if message is None:
        raise Http404
    return message
