"""Designing a study, for scripts: from the draft to the unblinding. Each calls the verb its page calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.api import design_serializers as serializers
from labeling.api.views import ProjectCall, caller
from labeling.digits import whole_number
from labeling.people.access import ITEM_READERS
from labeling.refusals import Invalid
from labeling.study import calculating, editing, freezing, loading, planning
from labeling.study.checklist import describe_standing
from labeling.study.designing import read_design
from labeling.study.models import Method, Stage, Study
from labeling.study.ruling import study_leaks
from labeling.study.sources import bring_rows

PAGE = 200


class Studies(ProjectCall, ListAPIView[Study]):
    serializer_class = serializers.StudySerializer

    def get_queryset(self) -> QuerySet[Study]:
        return self.seat(*ITEM_READERS).project.studies.all()

    def get(self, request: Request, slug: str) -> Response:
        """Studies of the project."""
        return self.list(request, slug)

    @extend_schema(request=serializers.NewStudySerializer, responses={201: serializers.StudySerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Make a draft with the texts of a preset."""
        seat = self.coordinator(writing=True)
        made = editing.create_study(seat.project, **self.parsed(serializers.NewStudySerializer), by=seat.user)
        return Response(self.get_serializer(made).data, status=status.HTTP_201_CREATED)


class StudyCall(ProjectCall):
    """A call about one study: to read it for coordinators and viewers, to change it for coordinators."""

    serializer_class = serializers.StudySerializer

    def study(self, *, reading: bool = False) -> Study:
        seat = self.seat(*ITEM_READERS) if reading else self.coordinator(writing=True)
        return self.found(seat.project.studies.select_related("project"))

    def own_study(self) -> Study:
        """To read what only coordinators see."""
        return self.found(self.coordinator().project.studies.select_related("project"))

    def found(self, studies: QuerySet[Study]) -> Study:
        return get_object_or_404(studies, pk=self.kwargs["pk"])

    def shown(self, study: Study) -> Response:
        return Response(self.get_serializer(study).data)


class StudyDetail(StudyCall):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The study, its design, and where it stands. Says nothing of which origin gave which name."""
        study = self.study(reading=True)
        design = asdict(read_design(study.design))
        return Response({**self.get_serializer(study).data, "design": design, "standing": describe_standing(study)})

    @extend_schema(request=serializers.StudyChangeSerializer)
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change the name, or some fields of the design; only of a draft."""
        study = self.study()
        wanted = self.parsed(serializers.StudyChangeSerializer)
        return self.shown(editing.change_design(study, **wanted, by=caller(request)))


class Texts(StudyCall):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The latest version of what participants read."""
        latest = self.own_study().texts.last()
        return Response({"version": latest.version, "content": latest.content} if latest else {})

    @extend_schema(request=serializers.TextsSerializer, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """A new version; of a frozen study it needs `why` and is kept as a deviation."""
        study = self.study()
        made = editing.change_texts(study, **self.parsed(serializers.TextsSerializer), by=caller(request))
        return Response({"version": made.version, "content": made.content}, status=status.HTTP_201_CREATED)


class MaterialOfStudy(StudyCall):
    @extend_schema(parameters=[OpenApiParameter("after", int, description="next_after")], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Methods with their distinct names as they are shown, page by page; not who gave which."""
        after = request.query_params.get("after", "")
        methods = Method.objects.filter(study=self.own_study(), pk__gt=whole_number(after) or 0).order_by("pk")
        rows = list(methods.prefetch_related("names")[: PAGE + 1])
        shown = [
            {
                "key": method.key,
                "group": method.group,
                "body": method.shown,
                "in_sample": method.in_sample,
                "names": [name.shown for name in method.names.all()],
            }
            for method in rows[:PAGE]
        ]
        return Response({"methods": shown, "next_after": rows[PAGE - 1].pk if len(rows) > PAGE else None})

    @extend_schema(request=serializers.MaterialSerializer, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Put material in the place of what is there. Without `items`, those of the project that fit the filter."""
        study = self.study()
        study = bring_rows(study, **self.parsed(serializers.MaterialSerializer), by=caller(request))
        return Response(describe_standing(study))


class Leaks(StudyCall):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """What gives names away, and what was ruled about it."""
        rows = [
            {**asdict(one.leak), "act": one.ruling.act if one.ruling else None} for one in study_leaks(self.own_study())
        ]
        return Response({"leaks": rows, "unruled": sum(row["act"] is None for row in rows)})

    @extend_schema(request=serializers.LeakRulingSerializer, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Rule about one leak, or about all of a kind when no method is named. An empty act takes it back."""
        study = self.study()
        verdict = loading.Verdict(**self.parsed(serializers.LeakRulingSerializer))
        return Response(describe_standing(loading.rule_leak(study, verdict, by=caller(request))))


class PlanOfStudy(StudyCall):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The sheets, and how far apart origins are in each position."""
        return Response(describe_sheets(self.study(reading=True)))

    @extend_schema(request=None, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Draw the sample and make the sheets, from the seed."""
        return Response(describe_sheets(planning.plan_study(self.study(), by=caller(request))))


def describe_sheets(study: Study) -> dict[str, Any]:
    sheets = list(study.sheets.all())
    regular = [sheet for sheet in sheets if sheet.stage == Stage.MAIN and sheet.replaces is None]
    return {
        "seed": study.seed,
        "sheets": [row for stage in Stage for row in planning.sheet_rows([s for s in sheets if s.stage == stage])],
        "balance": [asdict(one) for one in planning.balance_of(study, regular)],
    }


class ActCall(StudyCall):
    """One act in the life of a study; those that cannot be undone ask for its name."""

    act: Callable[..., Study]

    def done(self, request: Request) -> Response:
        return self.shown(type(self).act(self.study(), by=caller(request)))

    def done_by_name(self, request: Request) -> Response:
        study = self.study()
        if self.parsed(serializers.NamedSerializer)["name"].strip() != study.name:
            raise Invalid(f"name: send the name of the study as it stands: {study.name}")
        return self.shown(type(self).act(study, by=caller(request)))


class StartPilot(ActCall):
    act = staticmethod(freezing.start_pilot)

    @extend_schema(request=None)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """The pilot takes participants from now on; the material stays."""
        return self.done(request)


class Freeze(ActCall):
    act = staticmethod(freezing.freeze_study)

    @extend_schema(request=serializers.NamedSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Fix material, texts, seed, plan, exclusions and analyses for good; the answer has the digest."""
        return self.done_by_name(request)


class Open(ActCall):
    act = staticmethod(freezing.open_study)

    @extend_schema(request=None)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let participants start."""
        return self.done(request)


class Close(ActCall):
    act = staticmethod(freezing.close_study)

    @extend_schema(request=serializers.NamedSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take no answer any more, for good."""
        return self.done_by_name(request)


class Unblind(ActCall):
    act = staticmethod(freezing.unblind_study)

    @extend_schema(request=serializers.NamedSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let results tell which letter is which origin. Only of a closed study, and logged."""
        return self.done_by_name(request)


class CopyStudy(StudyCall):
    @extend_schema(request=serializers.NamedSerializer, responses={201: serializers.StudySerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """A new draft with the same design, texts, material and rulings."""
        study = self.study()
        made = loading.copy_study(study, name=self.parsed(serializers.NamedSerializer)["name"], by=caller(request))
        return Response(self.get_serializer(made).data, status=status.HTTP_201_CREATED)


class Deviations(StudyCall):
    pagination_class = None

    @extend_schema(responses=serializers.DeviationSerializer(many=True))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """What was done otherwise than it was frozen."""
        rows = self.study(reading=True).deviations.all()
        return Response(serializers.DeviationSerializer(rows, many=True).data)

    @extend_schema(request=serializers.DeviationSerializer, responses={201: serializers.DeviationSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Note one, in words."""
        study = self.study()
        freezing.note_deviation(study, self.parsed(serializers.DeviationSerializer)["what"], by=caller(request))
        row = study.deviations.last()
        return Response(serializers.DeviationSerializer(row).data, status=status.HTTP_201_CREATED)


class Frozen(StudyCall):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The frozen plan with its digest; once the study is unblinded, since it tells the origins."""
        return Response(freezing.read_frozen(self.study(reading=True)))


class SampleSize(ProjectCall):
    @extend_schema(parameters=[serializers.SampleSizeSerializer], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str) -> Response:
        """How many judgements a share needs to be known within a margin."""
        self.seat(*ITEM_READERS)
        wanted = serializers.SampleSizeSerializer(data=request.query_params)
        wanted.is_valid(raise_exception=True)
        return Response(calculating.needed(**wanted.validated_data).to_dict())


class Simulate(ProjectCall):
    @extend_schema(request=serializers.SimulationSerializer, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, slug: str) -> Response:
        """Widths of intervals, power and false positives of a plan under assumptions. Stores nothing."""
        self.seat(*ITEM_READERS)
        return Response(calculating.simulated(**self.parsed(serializers.SimulationSerializer)).to_dict())
