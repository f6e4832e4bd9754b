"""Cases for scripts: look through them, talk, propose, confirm, decide. Each calls the verb its page calls, and nobody
is named who is not named there."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.annotation.models import Round
from labeling.api import case_serializers as serializers
from labeling.api.views import ProjectCall, caller
from labeling.consensus import adjudicating, deciding, talking
from labeling.consensus.access import Part, find_message, find_part
from labeling.consensus.listing import STATES, WHO, Filters, narrowed
from labeling.consensus.models import Case, Rule
from labeling.consensus.routing import route_project, rule_of, set_rule
from labeling.consensus.showing import (
    decided_in_words,
    shown_decisions,
    shown_events,
    shown_messages,
    shown_proposals,
    shown_votes,
)
from labeling.people.models import User
from labeling.refusals import Invalid


class Cases(ProjectCall, ListAPIView[Case]):
    serializer_class = serializers.CaseSerializer

    def get_queryset(self) -> QuerySet[Case]:
        seat = self.seat()
        route_project(seat.project, by=seat.user)
        found = narrowed(seat, Filters.read(self.request.query_params.dict()))
        return found.select_related("round", "round_item__item").defer("round_item__item__payload")

    @extend_schema(
        parameters=[
            OpenApiParameter("state", enum=list(STATES), description="open when none is named"),
            OpenApiParameter("who", enum=[key for key in WHO if key]),
            OpenApiParameter("round", int),
            OpenApiParameter("question", description="the key of a question on which the votes differ"),
            OpenApiParameter("pattern", description="how they differ, word for word"),
            OpenApiParameter("repository", description="the group of the item"),
            OpenApiParameter("days", int, description="open for at least so many days"),
        ]
    )
    def get(self, request: Request, slug: str) -> Response:
        """Cases that you may see: as coordinator all, as annotator those you voted on, as adjudicator yours, as viewer
        the decided ones."""
        return self.list(request, slug)


class CaseCall(ProjectCall):
    """A call about one case; 404 for those who may not see it."""

    serializer_class = serializers.CaseDetailSerializer

    def part(self, *, writing: bool = False) -> Part:
        return find_part(self.seat(writing=writing), self.kwargs["pk"])

    def shown(self, code: int = status.HTTP_200_OK) -> Response:
        return Response(case_detail(self.part()), status=code)


def case_detail(part: Part) -> dict[str, Any]:
    case, votes = part.case, shown_votes(part)
    item = case.round_item.item
    voters = [part.names.raters[one.vote.rater_id] for one in votes]
    return {
        **serializers.CaseSerializer(case).data,
        "payload": item.payload,
        "protocol": {"version": case.round.protocol.number, "content": case.round.protocol.content},
        "votes": [
            {"rater": one.name, "mine": one.mine, "answers": one.vote.answers, "note": one.vote.note,
             "flag": one.vote.flag, "picked": one.vote.picked}
            for one in votes
        ],
        "proposals": [
            {"id": one.proposal.pk, "by": one.name, "answers": one.proposal.answers, "because": one.proposal.because,
             "at": one.proposal.at, "confirmed": one.confirmed, "waiting": one.waiting, "mine": one.mine}
            for one in shown_proposals(part, voters)
        ],
        "messages": [
            {"id": one.pk, "by": one.name, "at": one.at, "body": one.body, "revision": one.revision, "mine": one.mine}
            for one in shown_messages(part)
        ],
        "events": [{"at": one.at, "words": one.words, "reason": one.reason} for one in shown_events(part)],
        "decisions": [decision_detail(part, one) for one in shown_decisions(part)],
    }  # fmt: skip


def decision_detail(part: Part, one: dict[str, Any]) -> dict[str, Any]:
    decision = one["decision"]
    return {
        "number": decision.number,
        "in_force": one["in_force"],
        "how": decision.how,
        "answers": decision.answers,
        "rejected": decision.rejected,
        "words": decided_in_words(part.case, decision.answers, rejected=decision.rejected),
        "rationale": decision.rationale,
        "unclear": decision.unclear,
        "made_at": decision.made_at,
    }


class CaseDetail(CaseCall):
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One case: the item as it was judged, votes, proposals, discussion, history and decisions."""
        return self.shown()


class PostMessage(CaseCall):
    @extend_schema(request=serializers.NewMessageSerializer, responses={201: serializers.CaseDetailSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Say something. The same submission twice is one message. With `message` and the `revision` that it replaces,
        edit your own; 409 shows nothing was lost when it was edited meanwhile."""
        part, sent = self.part(writing=True), self.parsed(serializers.NewMessageSerializer)
        if sent["message"] is not None:
            find_message(part, sent["message"])
            talking.edit_message(caller(request), sent["message"], body=sent["body"], revision=sent["revision"])
        else:
            talking.post_message(caller(request), part.case.pk, submission=needed(sent), body=sent["body"])
        return self.shown(status.HTTP_201_CREATED)


def needed(sent: dict[str, Any]) -> UUID:
    submission = sent["submission"]
    if not isinstance(submission, UUID):
        raise Invalid("submission: a new message needs an id of its own.")
    return submission


class Propose(CaseCall):
    @extend_schema(request=serializers.NewProposalSerializer, responses={201: serializers.CaseDetailSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Put an answer before the other voters. It is final when all of them confirm it."""
        part = self.part(writing=True)
        deciding.propose(caller(request), part.case.pk, **self.parsed(serializers.NewProposalSerializer))
        return self.shown(status.HTTP_201_CREATED)


class Confirm(CaseCall):
    @extend_schema(request=serializers.ConfirmSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Stand by a proposal; `version` is that of the case as you saw it, and 409 says what changed since."""
        part, sent = self.part(writing=True), self.parsed(serializers.ConfirmSerializer)
        deciding.confirm(caller(request), part.case.pk, sent["proposal"], seen=sent["version"])
        return self.shown()


class Withdraw(CaseCall):
    @extend_schema(request=None)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take back what you stood by, until it is final."""
        deciding.withdraw(caller(request), self.part(writing=True).case.pk)
        return self.shown()


class Decide(CaseCall):
    @extend_schema(request=serializers.VerdictSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Decide, as the adjudicator of the case. With `rejected`, no option fits and answers are left out."""
        part, sent = self.part(writing=True), self.parsed(serializers.VerdictSerializer)
        submission, seen = sent.pop("submission"), sent.pop("version")
        verdict = adjudicating.Verdict(**sent)
        adjudicating.decide(caller(request), part.case.pk, verdict, submission=submission, seen=seen)
        return self.shown()


class HandOver(CaseCall):
    @extend_schema(request=serializers.HandOverSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Give the case to an adjudicator, by e-mail; to one with the fewest cases when none is named."""
        self.coordinator(writing=True)
        part, sent = self.part(writing=True), self.parsed(serializers.HandOverSerializer)
        chosen = None
        if sent["adjudicator"]:
            members = User.objects.filter(memberships__project=part.seat.project).distinct()
            chosen = get_object_or_404(members, email=sent["adjudicator"].lower()).pk
        adjudicating.hand_over(caller(request), part.case.pk, chosen, seen=sent["version"])
        return self.shown()


class HandBack(CaseCall):
    @extend_schema(request=serializers.SeenSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Give the case back to its voters."""
        self.coordinator(writing=True)
        part, sent = self.part(writing=True), self.parsed(serializers.SeenSerializer)
        adjudicating.hand_back(caller(request), part.case.pk, seen=sent["version"])
        return self.shown()


class Reopen(CaseCall):
    @extend_schema(request=serializers.ReopenSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take a decision out of force, and say why."""
        self.coordinator(writing=True)
        part, sent = self.part(writing=True), self.parsed(serializers.ReopenSerializer)
        adjudicating.reopen(caller(request), part.case.pk, reason=sent["reason"], seen=sent["version"])
        return self.shown()


class RuleOfRound(ProjectCall):
    serializer_class = serializers.RuleSerializer

    def round(self, *, writing: bool = False) -> Round:
        rounds = self.coordinator(writing=writing).project.rounds.select_related("project")
        return get_object_or_404(rounds, pk=self.kwargs["pk"])

    def get(self, request: Request, slug: str, pk: int) -> Response:
        """How the round's disagreements end."""
        return Response(self.plain(rule_of(self.round())))

    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Change it. Outcomes are derived again; what people decided stays."""
        round = self.round(writing=True)
        return Response(self.plain(set_rule(round, by=caller(request), **self.parsed(serializers.RuleSerializer))))

    def plain(self, rule: Rule) -> dict[str, Any]:
        return {"way": rule.way, "others": rule.others, "names_shown": rule.names_shown}
