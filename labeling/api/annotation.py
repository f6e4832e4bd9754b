"""Judging for scripts: the next item, a vote on it, a skip, a draft. The first two are called millions of times."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from labeling.annotation.judging.addresses import private_number, public_number
from labeling.annotation.judging.ballots import Ballot
from labeling.annotation.judging.claiming import MOST_OPEN, SHOWN, next_in_project
from labeling.annotation.judging.drafting import find_draft, save_draft
from labeling.annotation.judging.going_on import vote_and_go_on
from labeling.annotation.judging.voting import cast_vote, skip
from labeling.annotation.models import LEASE, Assignment, Round, Vote
from labeling.annotation.rounds.mine import my_rounds
from labeling.api import round_serializers as serializers
from labeling.api.views import ProjectCall, caller
from labeling.people.access import take_seat
from labeling.people.models import Role, User

NOTHING_LEFT = "Nothing is left for you to judge here now."
HANDS_FULL = f"You hold {MOST_OPEN} items already: vote on one of them or skip it first."

NEXT = serializers.NextSerializer()
BALLOT = serializers.BallotSerializer()
SKIP = serializers.SkipSerializer()
DRAFT = serializers.NewDraftSerializer()


def parsed(serializer: Serializer[None], request: Request) -> dict[str, Any]:
    """By a serializer that all calls share: to make one takes longer than to ask it."""
    return dict(serializer.run_validation(request.data))


class Next(APIView):
    @extend_schema(request=serializers.NextSerializer, responses=serializers.NextAnswerSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Get the next item to judge, with the protocol in force. Asked again, it is the same until you vote or skip;
        name what you have in `holding` to fetch one ahead. `assignment` is null when nothing is left, with the reason.
        """
        user = caller(request)
        answer = next_answer(user, slug, parsed(NEXT, request))
        if answer["assignment"] is None:
            take_seat(user, slug, Role.ANNOTATOR, writing=True)  # says who may not, and why
        return Response(answer)


def next_answer(user: User, slug: str, wanted: dict[str, Any]) -> dict[str, Any]:
    place = place_of(wanted)
    return answer_of(next_in_project(user, slug, **place), place)


def place_of(wanted: dict[str, Any]) -> dict[str, Any]:
    return {"round_id": wanted["round"], "holding": [private_number(number) for number in wanted["holding"]]}


def answer_of(found: tuple[Round, Assignment] | None, place: dict[str, Any]) -> dict[str, Any]:
    if found is None:
        return {"assignment": None, "detail": HANDS_FULL if len(place["holding"]) >= MOST_OPEN else NOTHING_LEFT}
    return handed_out(*found)


def handed_out(round: Round, assignment: Assignment) -> dict[str, Any]:
    """What the annotator needs to judge. Neither a repeat nor a gold item can be told from any other."""
    item = assignment.round_item.item
    return {
        "assignment": {
            "id": public_number(assignment.pk),
            "round": {"id": round.pk, "name": round.name},
            # What is planned has no lease; said for all alike, it tells no gold item or repeat from the others.
            "lease_until": assignment.lease_until or timezone.now() + LEASE,
        },
        "item": {name: getattr(item, name) for name in SHOWN},
        "protocol": {"version": round.protocol.number, "content": round.protocol.kept.content},
    }


class CastVote(APIView):
    @extend_schema(request=serializers.BallotSerializer, responses=serializers.VoteSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Vote. The same submission sent twice is one vote and gets the same answer twice. To revise a vote, name its
        revision in `revises`, with a new submission. With `next`, which may be `{}`, the answer brings the next item
        as well, of the same round as long as that has one: one call for each item instead of two."""
        user, ballot = caller(request), parsed(BALLOT, request)
        wanted = ballot.pop("next")
        if wanted is None:
            return Response(vote_answer(cast_vote(user, pk, Ballot(**ballot))))
        place = place_of(wanted)
        vote, found = vote_and_go_on(user, pk, Ballot(**ballot), **place)
        return Response({**vote_answer(vote), "next": answer_of(found, place)})


def vote_answer(vote: Vote) -> dict[str, Any]:
    return {
        "id": vote.pk,
        "assignment": public_number(vote.assignment_id),
        "submission": str(vote.submission),
        "revision": vote.revision,
        "version": vote.protocol.number,
        "answers": vote.answers,
        "note": vote.note,
        "flag": vote.flag,
        "picked": vote.picked,
        "cast_at": vote.cast_at.isoformat(),
    }


class SkipItem(APIView):
    @extend_schema(request=serializers.SkipSerializer, responses=serializers.SkipSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Pass over an item and say why; somebody else gets it, where somebody else may."""
        reason = parsed(SKIP, request)["reason"]
        skip(caller(request), pk, reason=reason)
        return Response({"reason": reason})


class DraftOfItem(APIView):
    @extend_schema(responses=serializers.DraftSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """What you have saved and not yet sent; empty when there is nothing."""
        draft = find_draft(caller(request), pk)
        return Response({"content": draft.content if draft else {}, "saved_at": draft.saved_at if draft else None})

    @extend_schema(request=serializers.NewDraftSerializer, responses=serializers.DraftSerializer)
    def put(self, request: Request, pk: int) -> Response:
        """Save what you have so far, unchecked: any of answers, note, flag, picked and timing. Renews your hold."""
        draft = save_draft(caller(request), pk, parsed(DRAFT, request)["content"])
        return Response({"content": draft.content, "saved_at": draft.saved_at})

    @extend_schema(request=serializers.NewDraftSerializer, responses=serializers.DraftSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """The same, for clients that know only POST."""
        return self.put(request, pk)


class MyRounds(ProjectCall):
    pagination_class = None

    @extend_schema(responses=serializers.MyRoundSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """My rounds and what is left in them; `at_most` when others may take some of it."""
        seat = self.seat(Role.ANNOTATOR)
        return Response(
            [
                {
                    "round": mine.round.pk,
                    "name": mine.round.name,
                    "state": mine.round.state,
                    "votes": mine.judged,
                    "left": mine.left,
                    "at_most": mine.is_most,
                    "seconds_per_item": mine.pace,
                    "time_left": mine.time_left.as_dict(),
                }
                for mine in my_rounds(seat.user, seat.project)
            ]
        )
