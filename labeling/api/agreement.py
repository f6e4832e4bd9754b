"""Agreement for scripts: the figures that the page shows, and the files of the export."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as fields, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from labeling.agreement.choosing import FIRST, GROUPS, IN_FORCE, ITEMS, Selection, measurable
from labeling.agreement.exporting import start_export
from labeling.agreement.keeping import current
from labeling.agreement.models import Measurement
from labeling.agreement.showing import disagreement_rows, names_for
from labeling.agreement.surveying import MOST_DISAGREEMENTS
from labeling.api.serializers import JobSerializer
from labeling.api.views import ProjectCall, caller
from labeling.people.access import ITEM_READERS, Seat
from labeling.people.models import User

CHOICES = [
    OpenApiParameter("question", description="Its key; the first of the protocol when none is named."),
    OpenApiParameter("round", description="Its id or name; all rounds of the protocol when none is named."),
    OpenApiParameter("protocol", description="Its id or name; that of the newest round when none is named."),
    OpenApiParameter("version", int, description="Only votes under this version of the protocol."),
    OpenApiParameter("group", description="Only items of this group."),
    OpenApiParameter("since", OpenApiTypes.DATE, description="Only items whose last vote is not older."),
    OpenApiParameter("until", OpenApiTypes.DATE, description="Only items whose last vote is not newer."),
    OpenApiParameter("votes", enum=[IN_FORCE, FIRST], description="Votes as they stand, or as first cast."),
    OpenApiParameter("over", enum=[ITEMS, GROUPS], description="What intervals are resampled over."),
]


class ChosenSerializer(Serializer[None]):
    """What the figures take, but for the question: the export holds all of them."""

    round = fields.CharField(required=False)
    protocol = fields.CharField(required=False)
    version = fields.CharField(required=False)
    group = fields.CharField(required=False)
    since = fields.CharField(required=False)
    until = fields.CharField(required=False)
    votes = fields.CharField(required=False)
    over = fields.CharField(required=False)


class Agreement(ProjectCall):
    @extend_schema(parameters=CHOICES, responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str) -> Response:
        """How far raters agree on a question, over items whose independent phase is over. 202 while many votes are
        being measured for the first time: ask again. 409 before an open round has 20 complete items."""
        seat = self.seat(*ITEM_READERS)
        selection = measurable(seat.project, request.query_params.dict())
        measured, on_its_way = current(selection, by=caller(request))
        if measured is None:
            return Response({"detail": "This is being measured. Ask again."}, status=status.HTTP_202_ACCEPTED)
        return Response(answer(seat, selection, measured, on_its_way=on_its_way))


def answer(seat: Seat, selection: Selection, measured: Measurement, *, on_its_way: bool) -> dict[str, Any]:
    """Raters have pseudonyms; coordinators are told who they are."""
    figures = dict(measured.figures)
    withheld = [{"round": held.round.name, "complete_items": held.complete} for held in selection.withheld]
    found = {
        **figures.pop("agreement"),
        "reading": figures["reading"],
        "filters": selection.filters,
        "withheld": withheld,
        "as_of": {
            "votes": measured.votes,
            "newest_vote": measured.newest_vote,
            "measured_at": measured.measured_at.isoformat(),
            "newer_on_its_way": on_its_way,
        },
        **{name: figures[name] for name in ("slices", "influence", "use", "consistency", "gold", "misfits")},
        "confusions": [confusion(one, figures["categories"]) for one in figures["confusions"]],
        "disagreements": disagreements(figures, selection, seat),
    }
    if seat.is_coordinator:
        emails = User.objects.in_bulk(selection.users)
        pairs = zip(selection.pseudonyms, selection.users, strict=True)
        found["who"] = {pseudonym: emails[user].email for pseudonym, user in pairs}
    return found


def confusion(one: dict[str, Any], categories: list[str]) -> dict[str, Any]:
    cells = [{"a": categories[a], "b": categories[b], "items": count} for a, b, count in one["cells"]]
    return {"a": one["a"], "b": one["b"], "items": one["items"], "cells": cells}


def disagreements(figures: dict[str, Any], selection: Selection, seat: Seat) -> list[dict[str, Any]]:
    rows = disagreement_rows(figures, names_for(seat, selection, pseudonymous=True), MOST_DISAGREEMENTS)
    return [
        {"item": row["item"].pk, "title": row["item"].title, "round": row["round"].name, "cost": row["cost"],
         "said": {one["name"]: one["said"] for one in row["said"]}}
        for row in rows
    ]  # fmt: skip


class AgreementExport(ProjectCall):
    serializer_class = JobSerializer

    @extend_schema(request=ChosenSerializer, responses={202: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that writes the figures, ratings, confusions and picks of comments as JSON, CSV and LaTeX for all
        questions into agreement.zip. Takes what the figures take, but for the question."""
        seat = self.coordinator(writing=True)
        job = start_export(measurable(seat.project, self.parsed(ChosenSerializer)), by=seat.user)
        return Response(self.get_serializer(job).data, status=status.HTTP_202_ACCEPTED)
