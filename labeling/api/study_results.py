"""The results of a study for scripts: the figures that the page shows, and the files."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.api.serializers import JobSerializer
from labeling.api.studies import StageSerializer
from labeling.api.views import ProjectCall
from labeling.people.access import ITEM_READERS, Seat
from labeling.refusals import Refusal
from labeling.study.models import Stage, Study
from labeling.study.results import keeping
from labeling.study.results.comments import END, METHOD, Comment, comments_of
from labeling.study.results.exporting import describe_results, start_export


def study_in(seat: Seat, pk: int) -> Study:
    return get_object_or_404(seat.project.studies.select_related("project"), pk=pk)


class Results(ProjectCall):
    @extend_schema(
        parameters=[OpenApiParameter("stage", enum=Stage.values)],
        responses={200: OpenApiTypes.OBJECT, 202: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """All figures of the study, with intervals, and the reasons for those that are missing. Origins are letters
        until it is unblinded. 202 while they are computed for the first time: ask again."""
        seat = self.seat(*ITEM_READERS)
        study = study_in(seat, pk)
        stage = keeping.require_stage(request.query_params.get("stage", Stage.MAIN))
        keeping.require_begun(study, stage)
        found = keeping.current(study, stage=stage, by=seat.user)
        if found.findings is None:
            if found.trouble:
                raise Refusal(found.trouble)
            return Response({"detail": "This is being computed. Ask again."}, status=status.HTTP_202_ACCEPTED)
        as_of = {"computed_at": found.findings.measured_at.isoformat(), "newer_on_its_way": found.on_its_way}
        figures = keeping.shown_figures(study, found.findings)
        return Response({**describe_results(study, figures), "stage": stage, "as_of": as_of})


class CommentSerializer(serializers.Serializer[Comment]):
    """Before the unblinding `participant`, `page` and `method` are empty."""

    about = serializers.ChoiceField(choices=[METHOD, END])
    participant = serializers.CharField()
    page = serializers.IntegerField(allow_null=True)
    method = serializers.CharField()
    comment = serializers.CharField(source="text")


class Comments(ProjectCall):
    @extend_schema(parameters=[OpenApiParameter("stage", enum=Stage.values)], responses=CommentSerializer(many=True))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """What participants wrote, for coordinators, once the study is closed. Free text can tell who wrote it."""
        study = study_in(self.coordinator(), pk)
        stage = keeping.require_stage(request.query_params.get("stage", Stage.MAIN))
        return Response([CommentSerializer(one).data for one in comments_of(study, stage=stage)])


class StudyExportSerializer(StageSerializer):
    with_comments = serializers.BooleanField(default=False)


class ResultsExport(ProjectCall):
    serializer_class = JobSerializer

    @extend_schema(request=StudyExportSerializer, responses={202: JobSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Start a job that writes data, figures, tables, charts and, once unblinded, the frozen plan into study.zip;
        with_comments adds what participants wrote."""
        seat = self.coordinator(writing=True)
        job = start_export(study_in(seat, pk), **self.parsed(StudyExportSerializer), by=seat.user)
        return Response(self.get_serializer(job).data, status=status.HTTP_202_ACCEPTED)
