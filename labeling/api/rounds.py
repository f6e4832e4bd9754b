"""Rounds for scripts: plan them, watch them, change them. Each calls the verb its page calls."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.annotation.models import Rater, Round
from labeling.annotation.rounds import changing
from labeling.annotation.rounds.finding import find_annotators, find_version
from labeling.annotation.rounds.listing import STATES, hide_flags, items_by_state
from labeling.annotation.rounds.monitoring import round_status, veiled
from labeling.annotation.rounds.planning import Design, create_round
from labeling.api import round_serializers as serializers
from labeling.api.serializers import JobSerializer
from labeling.api.views import ProjectCall, caller
from labeling.digits import whole_number


class Rounds(ProjectCall, ListAPIView[Round]):
    serializer_class = serializers.RoundSerializer

    def get_queryset(self) -> QuerySet[Round]:
        return self.coordinator().project.rounds.select_related("protocol__protocol")

    def get(self, request: Request, slug: str) -> Response:
        """Rounds of the project."""
        return self.list(request, slug)

    @extend_schema(request=serializers.NewRoundSerializer, responses={202: serializers.StartedRoundSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Make a round and start the job that plans it; it opens when the job is done."""
        seat = self.coordinator(writing=True)
        wanted = self.parsed(serializers.NewRoundSerializer)
        version = find_version(seat.project, wanted.pop("protocol"), wanted.pop("version"))
        people = find_annotators(seat.project, wanted.pop("annotators"))
        round, job = create_round(seat.project, Design(protocol=version, annotators=people, **wanted), by=seat.user)
        data = {"round": self.get_serializer(round).data, "job": JobSerializer(job).data}
        return Response(data, status=status.HTTP_202_ACCEPTED)


class RoundCall(ProjectCall):
    """A call of a coordinator about one round."""

    serializer_class = serializers.RoundSerializer

    def round(self, *, writing: bool = False) -> Round:
        rounds = self.coordinator(writing=writing).project.rounds.select_related("protocol__protocol", "project")
        return get_object_or_404(rounds, pk=self.kwargs["pk"])

    def rater(self, round: Round) -> Rater:
        email = self.parsed(serializers.PersonSerializer)["email"].lower()
        return get_object_or_404(round.raters.select_related("user"), user__email=email)

    def shown(self) -> Response:
        return Response(self.get_serializer(self.round()).data)


class RoundStatus(RoundCall):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """How the round stands: items, votes, people, what needs attention. Says nothing of open votes."""
        round = self.round()
        return Response(veiled(round_status(round), round, to=caller(request)))


class RoundItems(RoundCall):
    @extend_schema(
        parameters=[OpenApiParameter("state", enum=STATES), OpenApiParameter("after", int, description="next_after")],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Items of the round in one state, page by page, each with its slots."""
        round = self.round()
        after = request.query_params.get("after", "")
        page = items_by_state(round, request.query_params.get("state", "untouched"), whole_number(after) or 0)
        hide_flags(page.items, round, from_=caller(request))
        return Response({"items": page.items, "next_after": page.next_after})


class CloseRound(RoundCall):
    @extend_schema(request=None)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """No vote is taken any more; the votes of all items can be seen."""
        changing.close_round(self.round(writing=True), by=caller(request))
        return self.shown()


class ReopenRound(RoundCall):
    @extend_schema(request=None)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take votes again."""
        changing.reopen_round(self.round(writing=True), by=caller(request))
        return self.shown()


class TopUpRound(RoundCall):
    @extend_schema(request=serializers.VotesSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Ask for more votes an item."""
        round = self.round(writing=True)
        changing.top_up(round, by=caller(request), **self.parsed(serializers.VotesSerializer))
        return self.shown()


class UseVersion(RoundCall):
    @extend_schema(request=serializers.VersionSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Go on under another version of the protocol; votes cast before keep theirs."""
        round = self.round(writing=True)
        number = self.parsed(serializers.VersionSerializer)["version"]
        version = find_version(round.project, round.protocol.protocol.name, number)
        changing.use_version(round, version, by=caller(request))
        return self.shown()


class AskAgain(RoundCall):
    @extend_schema(request=None, responses=serializers.CountSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Give stale votes back to their annotators; the votes stay as earlier revisions."""
        return Response({"count": changing.ask_again(self.round(writing=True), by=caller(request))})


class ReturnItems(RoundCall):
    @extend_schema(request=serializers.PersonSerializer, responses=serializers.CountSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Put the open items of an absent annotator back into the pool."""
        round = self.round(writing=True)
        return Response({"count": changing.return_open_items(round, self.rater(round), by=caller(request))})


class AddRater(RoundCall):
    @extend_schema(request=serializers.PersonSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let an annotator of the project into the round."""
        round = self.round(writing=True)
        (user,) = find_annotators(round.project, [self.parsed(serializers.PersonSerializer)["email"]])
        changing.add_rater(round, user, by=caller(request))
        return self.shown()


class RemoveRater(RoundCall):
    @extend_schema(request=serializers.PersonSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take an annotator out of the round; their votes stay, what they hold goes back."""
        round = self.round(writing=True)
        changing.remove_rater(round, self.rater(round), by=caller(request))
        return self.shown()
