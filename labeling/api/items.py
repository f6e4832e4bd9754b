"""Items for scripts: look through them, bring some in, take all out."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.api import serializers
from labeling.api.views import ProjectCall, caller
from labeling.corpus.browsing import STATES, filtered
from labeling.corpus.duplicates import repeated
from labeling.corpus.importing import Options, import_list
from labeling.corpus.models import Item
from labeling.corpus.picking import pick_comment
from labeling.corpus.work import start_export
from labeling.people.access import ITEM_READERS


class Items(ProjectCall, ListAPIView[Item]):
    serializer_class = serializers.ItemSummarySerializer

    def get_queryset(self) -> QuerySet[Item]:
        project = self.seat(*ITEM_READERS).project
        wanted = {
            name: self.request.query_params.get(name, "").replace("\x00", "")
            for name in ("words", "group", "same_as", "state")
        }
        duplicates = self.request.query_params.get("duplicates", "")
        found = filtered(project, **wanted).light()
        return found.filter(sameness__in=repeated(found).values("sameness")) if duplicates else found

    @extend_schema(
        parameters=[
            OpenApiParameter("words", description="every word must occur, whole or as the beginning of one"),
            OpenApiParameter("group", description="the repository"),
            OpenApiParameter("same_as", description="the sameness of an item: all that show the same"),
            OpenApiParameter("state", enum=list(STATES)),
            OpenApiParameter("duplicates", description="any value: only what occurs more than once among the found"),
        ]
    )
    def get(self, request: Request, slug: str) -> Response:
        """Items without their payloads, found by words, group or sameness."""
        return self.list(request, slug)

    @extend_schema(request=serializers.NewItemsSerializer, responses=serializers.OutcomeSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Bring items in. Rows whose key is known are not stored twice; bad rows are named and the others stored. Few
        can be found by their words at once, many when a job has made their words."""
        seat = self.coordinator(writing=True)
        wanted = self.parsed(serializers.NewItemsSerializer)
        rows = wanted.pop("items")
        outcome = import_list(rows, seat.project, Options(**wanted), by=seat.user)
        request.data.clear()  # the answer keeps the request, and thousands of rows with it, until it is sent
        return Response(outcome.as_dict())


class ItemDetail(ProjectCall):
    serializer_class = serializers.ItemSerializer

    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One item with its payload."""
        item = get_object_or_404(self.seat(*ITEM_READERS).project.items, pk=pk)
        return Response(self.get_serializer(item).data)


class PickComment(ProjectCall):
    serializer_class = serializers.ItemSerializer

    @extend_schema(request=serializers.PickSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Link the item to another comment of its thread. Refused once the item has been judged or is being judged."""
        seat = self.coordinator(writing=True)
        item = get_object_or_404(seat.project.items, pk=pk)
        picked = pick_comment(item, by=caller(request), **self.parsed(serializers.PickSerializer))
        return Response(self.get_serializer(picked).data)


class ItemExport(ProjectCall):
    serializer_class = serializers.JobSerializer

    @extend_schema(request=serializers.ExportSerializer, responses={202: serializers.JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that writes all items to a file which can be imported again."""
        seat = self.coordinator(writing=True)
        job = start_export(seat.project, by=caller(request), **self.parsed(serializers.ExportSerializer))
        return Response(self.get_serializer(job).data, status=status.HTTP_202_ACCEPTED)
