"""Protocols for scripts: the codebook as JSON, and as the YAML file that people exchange."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.annotation.protocols import editing
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.files import BUILT_IN_NAMES, built_in
from labeling.annotation.protocols.models import Protocol, ProtocolVersion
from labeling.annotation.protocols.views import READERS, version_of, yaml_file
from labeling.api.views import ProjectCall
from labeling.corpus.payloads import FieldError


class ProtocolSummarySerializer(serializers.ModelSerializer[Protocol]):
    version = serializers.SerializerMethodField()

    class Meta:
        model = Protocol
        fields = ["id", "name", "version", "created_at"]

    @extend_schema_field(serializers.IntegerField)
    def get_version(self, protocol: Protocol) -> int:
        return max(version.number for version in protocol.versions.all())


class VersionSerializer(serializers.ModelSerializer[ProtocolVersion]):
    votes = serializers.IntegerField(source="votes_cast.counted")
    more_votes = serializers.BooleanField(source="votes_cast.is_more")

    class Meta:
        model = ProtocolVersion
        fields = ["number", "created_at", "votes", "more_votes"]


class ProtocolSerializer(serializers.Serializer[ProtocolVersion]):
    """`state` names this very text: a change sends it back, so that nobody's work is overwritten unseen."""

    id = serializers.IntegerField(source="protocol_id")
    name = serializers.CharField(source="protocol.name")
    version = serializers.IntegerField(source="number")
    state = serializers.CharField()
    content = serializers.JSONField()
    versions = serializers.SerializerMethodField()

    @extend_schema_field(VersionSerializer(many=True))
    def get_versions(self, version: ProtocolVersion) -> list[dict[str, Any]]:
        return [dict(VersionSerializer(row).data) for row in version.protocol.versions.with_votes()]


class NewProtocolSerializer(serializers.Serializer[None]):
    """Either `content`, a codebook as docs/formats.md describes it, or `built_in`."""

    content = serializers.JSONField(required=False)
    built_in = serializers.ChoiceField(choices=BUILT_IN_NAMES, required=False)
    title = serializers.CharField(max_length=120, required=False, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("content" in attrs) == ("built_in" in attrs):
            raise ValidationError({"content": "Give either content or built_in."})
        return attrs


class ProtocolChangeSerializer(serializers.Serializer[None]):
    """`state` is that of the text which the change started from, as reading the protocol gave it."""

    state = serializers.CharField(max_length=40)
    content = serializers.JSONField()


class Protocols(ProjectCall, ListAPIView[Protocol]):
    serializer_class = ProtocolSummarySerializer

    def get_queryset(self) -> QuerySet[Protocol]:
        return self.seat(*READERS).project.protocols.order_by("-pk").prefetch_related("versions")

    @extend_schema(responses=ProtocolSummarySerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The protocols of the project."""
        return self.list(request, slug)

    @extend_schema(request=NewProtocolSerializer, responses={201: ProtocolSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Start a protocol from a codebook or from one that is built in."""
        seat = self.coordinator(writing=True)
        wanted = self.parsed(NewProtocolSerializer)
        book = built_in()[wanted["built_in"]] if "built_in" in wanted else read_content(wanted["content"])
        made = editing.create_protocol(seat.project, codebook=book, title=wanted["title"], by=seat.user)
        return Response(ProtocolSerializer(made.latest).data, status=status.HTTP_201_CREATED)


class ProtocolCall(ProjectCall):
    serializer_class = ProtocolSerializer

    def version(self) -> ProtocolVersion:
        protocol = get_object_or_404(self.seat(*READERS).project.protocols, pk=self.kwargs["pk"])
        number = self.request.query_params.get("version", "")
        if number and not (number.isascii() and number.isdigit() and len(number) <= 9):  # noqa: PLR2004 (fits a column)
            raise ValidationError({"version": "Must be the number of a version."})
        return version_of(protocol, int(number) if number else None)


NUMBER = OpenApiParameter("version", OpenApiTypes.INT, description="the latest by default")


class ProtocolDetail(ProtocolCall):
    @extend_schema(parameters=[NUMBER])
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One version of a protocol, and how many votes each version has: up to 10,000, and whether there are more."""
        return Response(self.get_serializer(self.version()).data)

    @extend_schema(request=ProtocolChangeSerializer)
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Save a new text: in place while nobody voted under the old one, else as the next version."""
        seat = self.coordinator(writing=True)
        protocol = get_object_or_404(seat.project.protocols, pk=pk)
        wanted = self.parsed(ProtocolChangeSerializer)
        book = read_content(wanted["content"])
        saved = editing.save_protocol(protocol, codebook=book, based_on=wanted["state"], by=seat.user)
        return Response(self.get_serializer(saved).data)


class ProtocolExport(ProtocolCall):
    @extend_schema(parameters=[NUMBER], responses={(200, "application/yaml"): OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str, pk: int) -> HttpResponse:
        """The protocol as a YAML file, which can be imported again."""
        return yaml_file(self.version())


def read_content(content: object) -> Codebook:
    try:
        return Codebook.read(content)
    except FieldError as error:
        raise ValidationError({f"content.{error.field}".rstrip("."): [error.reason]}) from error
