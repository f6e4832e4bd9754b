"""Releases for scripts: what the guards find, the answers to it, and the frozen benchmarks."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as fields, status
from rest_framework.generics import ListAPIView
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ModelSerializer, Serializer

from labeling.api.serializers import JobSerializer
from labeling.api.views import ProjectCall, caller
from labeling.people.access import ITEM_READERS, require_creator
from labeling.refusals import Refusal
from labeling.release.checking import answer_findings, current_check, withdraw
from labeling.release.choosing import Choice, choose
from labeling.release.making import Title, create_release, usual_title
from labeling.release.models import Guard, Release
from labeling.release.receiving import receive_release
from labeling.release.views import send_archive

CHOICE = [
    OpenApiParameter("round", many=True, description="By id or name; all rounds when none is named."),
    OpenApiParameter("filter", many=True, description="question=option; every item with a final answer without one."),
]


class ReleaseSerializer(ModelSerializer[Release]):
    items = fields.SerializerMethodField()

    class Meta:
        model = Release
        fields = ["number", "name", "state", "items", "filters", "digest", "made_at", "job"]

    def get_items(self, release: Release) -> dict[str, int] | None:
        found: dict[str, int] | None = release.statistics.get("items")
        return found


class WholeReleaseSerializer(ReleaseSerializer):
    class Meta(ReleaseSerializer.Meta):
        fields = [*ReleaseSerializer.Meta.fields, "notes", "authors", "licence", "statistics", "changes", "manifest"]


class NewReleaseSerializer(Serializer[None]):
    """What is left out is as it was for the release before."""

    rounds = fields.ListField(child=fields.CharField(), required=False)
    filters = fields.ListField(child=fields.CharField(), required=False, help_text="question=option")
    name = fields.CharField(required=False, max_length=200)
    notes = fields.CharField(required=False, allow_blank=True)
    authors = fields.CharField(required=False, allow_blank=True, help_text="One a line.")
    licence = fields.CharField(required=False, allow_blank=True, max_length=60)


class AnswerSerializer(Serializer[None]):
    guard = fields.ChoiceField(Guard.values)
    items = fields.ListField(child=fields.CharField(), required=False, help_text="Keys; all that wait when left out.")
    reason = fields.CharField(max_length=500)
    leave_out = fields.BooleanField(default=False, help_text="Out of the benchmark, instead of waiving.")
    rounds = fields.ListField(child=fields.CharField(), required=False)
    filters = fields.ListField(child=fields.CharField(), required=False)


class WithdrawSerializer(Serializer[None]):
    guard = fields.ChoiceField(Guard.values)
    item = fields.CharField()


class UploadedReleaseSerializer(Serializer[None]):
    file = fields.FileField(help_text="The ZIP as it was downloaded, up to 200 MB.")
    slug = fields.SlugField(max_length=60, help_text="Address of the new project.")
    name = fields.CharField(default="", max_length=120, allow_blank=True, help_text="As the release when left out.")


class BroughtInSerializer(Serializer[None]):
    project = fields.CharField(help_text="Its address.")
    job = JobSerializer(allow_null=True, help_text="Brings the items in, when there are many; else they are there.")


class ImportRelease(ProjectCall):
    parser_classes = [MultiPartParser]
    serializer_class = BroughtInSerializer

    @extend_schema(
        request={"multipart/form-data": UploadedReleaseSerializer},
        responses={201: BroughtInSerializer, 202: BroughtInSerializer},
    )
    def post(self, request: Request) -> Response:
        """Make a project of a release: 201 when all is in it, 202 with the job that brings it in when it is large."""
        require_creator(caller(request))  # before the file is looked at
        project, job = receive_release(by=caller(request), **self.parsed(UploadedReleaseSerializer))
        made = {"project": project.slug, "job": JobSerializer(job).data if job else None}
        return Response(made, status=status.HTTP_202_ACCEPTED if job else status.HTTP_201_CREATED)


class Releases(ProjectCall, ListAPIView[Release]):
    """The releases of the project, the newest first."""

    serializer_class = ReleaseSerializer

    def get_queryset(self) -> QuerySet[Release]:
        return self.seat(*ITEM_READERS).project.releases.defer("manifest")

    @extend_schema(request=NewReleaseSerializer, responses={202: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Take the next number and start the job that freezes it. It fails when a finding waits for an answer."""
        seat = self.coordinator(writing=True)
        wanted = self.parsed(NewReleaseSerializer)
        usual = vars(usual_title(seat.project))
        title = Title(**{name: wanted.get(name, usual[name]) for name in usual})
        choice = choose(seat.project, rounds=wanted.get("rounds", ()), filters=wanted.get("filters", ()))
        release, job = create_release(choice, title, by=seat.user)
        return Response({**JobSerializer(job).data, "release": release.number}, status=status.HTTP_202_ACCEPTED)


class ReleaseCall(ProjectCall):
    serializer_class = WholeReleaseSerializer

    def release(self) -> Release:
        project = self.seat(*ITEM_READERS).project
        return get_object_or_404(project.releases.select_related("project"), number=self.kwargs["number"])


class ReleaseDetail(ReleaseCall):
    def get(self, request: Request, slug: str, number: int) -> Response:
        """One release with its statistics, its changes and its manifest."""
        return Response(self.get_serializer(self.release()).data)


class ReleaseDownload(ReleaseCall):
    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, number: int) -> HttpResponseBase:
        """The ZIP, as it was frozen."""
        release = self.release()
        if not release.is_frozen:
            raise Refusal(f"{release} is not frozen.")
        return send_archive(release)


class Guards(ProjectCall):
    @extend_schema(parameters=CHOICE, responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str) -> Response:
        """What a release of this choice would hold, and what the guards find. 202 while a job looks at many items."""
        seat = self.coordinator()
        query = request.query_params
        choice = choose(seat.project, rounds=query.getlist("round"), filters=query.getlist("filter"))
        found, job = current_check(choice, by=seat.user)
        if found is None:
            number = job.pk if job else None
            return Response({"detail": "A job looks at the items. Ask again.", "job": number}, status=202)
        answers = {(waiver.guard, waiver.item): waiver for waiver in seat.project.waivers.all()}
        findings = [finding(one, answers.get((one.guard.value, one.item))) for one in found.findings]
        return Response({"items": found.items, "found": found.found, "findings": findings})


def finding(one: Any, waiver: Any) -> dict[str, Any]:
    answer = {"reason": waiver.reason, "leave_out": waiver.leave_out} if waiver else None
    return {"guard": one.guard.value, "item": one.item, "about": one.about, "answer": answer}


class AnswerGuards(ProjectCall):
    @extend_schema(request=AnswerSerializer, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, slug: str) -> Response:
        """Waive findings of one guard with a reason, or leave their items out of the benchmark."""
        seat = self.coordinator(writing=True)
        wanted = self.parsed(AnswerSerializer)
        guard = wanted["guard"]
        items = wanted["items"] if "items" in wanted else waiting(self.choice(wanted), guard)
        pairs = [(guard, item) for item in items]
        answered = answer_findings(
            seat.project, pairs, reason=wanted["reason"], leave_out=wanted["leave_out"], by=seat.user
        )
        return Response({"answered": answered})

    def choice(self, wanted: dict[str, Any]) -> Choice:
        project = self.coordinator().project
        return choose(project, rounds=wanted.get("rounds", ()), filters=wanted.get("filters", ()))


def waiting(choice: Choice, guard: str) -> list[str]:
    found, _ = current_check(choice, by=None)
    answered = set(choice.project.waivers.filter(guard=guard).values_list("item", flat=True))
    return [one.item for one in (found.findings if found else []) if one.guard == guard and one.item not in answered]


class WithdrawAnswer(ProjectCall):
    @extend_schema(request=WithdrawSerializer, responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        """The finding waits for an answer again."""
        seat = self.coordinator(writing=True)
        withdraw(seat.project, **self.parsed(WithdrawSerializer), by=seat.user)
        return Response(status=status.HTTP_204_NO_CONTENT)
