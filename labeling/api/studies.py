"""Running studies for scripts: links, who is where, and the attack on one's own blinding."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.api.serializers import JobSerializer
from labeling.api.views import ProjectCall, caller
from labeling.refusals import Invalid
from labeling.study.blindness.working import last_report, start_attack
from labeling.study.fieldwork import inviting
from labeling.study.fieldwork.monitoring import study_status
from labeling.study.models import Stage, Study
from labeling.study.taking.models import Participant


class StageSerializer(serializers.Serializer[None]):
    stage = serializers.ChoiceField(choices=Stage.choices, default=Stage.MAIN)


class NewLinksSerializer(StageSerializer):
    """How many links, or one for each label."""

    count = serializers.IntegerField(min_value=1, max_value=inviting.MOST_AT_ONCE, required=False)
    labels = serializers.ListField(
        child=serializers.CharField(max_length=inviting.LONGEST_LABEL), required=False, max_length=inviting.MOST_AT_ONCE
    )


class LinkSerializer(serializers.Serializer[None]):
    """A link is told once, when it is made."""

    participant = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]  # a serializer has a label of its own
    link = serializers.URLField()


class OpenLinkSerializer(serializers.Serializer[None]):
    link = serializers.URLField()


class ParticipantSerializer(serializers.ModelSerializer[Participant]):
    class Meta:
        model = Participant
        fields = ["number", "label", "stage", "step"]


class StudyCall(ProjectCall):
    """A call of a coordinator about one study."""

    def study(self, *, writing: bool = False) -> Study:
        studies = self.coordinator(writing=writing).project.studies.select_related("project")
        return get_object_or_404(studies, pk=self.kwargs["pk"])

    def participant(self) -> Participant:
        return get_object_or_404(self.study(writing=True).participants, number=self.kwargs["number"])


def told(made: list[inviting.Made]) -> Response:
    rows = [{"participant": one.participant.number, "label": one.participant.label, "link": one.link} for one in made]
    return Response(rows, status=status.HTTP_201_CREATED)


class Participants(StudyCall):
    serializer_class = LinkSerializer
    pagination_class = None

    @extend_schema(parameters=[OpenApiParameter("stage", enum=Stage.values)], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Who is where in the study: steps, time, flags. Says nothing of answers or origins."""
        study, stage = self.study(), request.query_params.get("stage", Stage.MAIN)
        if stage not in Stage.values:
            raise Invalid(f"stage: must be one of {', '.join(Stage.values)}.")
        return Response(study_status(study, stage=stage))

    @extend_schema(request=NewLinksSerializer, responses={201: LinkSerializer(many=True)})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Make personal links. They are told in this answer and never again."""
        study, wanted = self.study(writing=True), self.parsed(NewLinksSerializer)
        if ("count" in wanted) == ("labels" in wanted):
            raise Invalid("count: give a number of links, or labels, and not both.")
        labels = wanted.get("labels", [""] * wanted.get("count", 0))
        return told(inviting.invite_many(study, labels=labels, stage=wanted["stage"], by=caller(request)))


class RenewLink(StudyCall):
    serializer_class = LinkSerializer
    pagination_class = None

    @extend_schema(request=None, responses={201: LinkSerializer(many=True)})
    def post(self, request: Request, slug: str, pk: int, number: int) -> Response:
        """A new link for a participant; the old one stops working."""
        return told([inviting.renew_link(self.participant(), by=caller(request))])


class RevokeLink(StudyCall):
    serializer_class = ParticipantSerializer

    @extend_schema(request=None)
    def post(self, request: Request, slug: str, pk: int, number: int) -> Response:
        """The link stops working and the sheet goes back."""
        own = inviting.revoke_link(self.participant(), by=caller(request))
        return Response(self.get_serializer(own).data)


class OpenLinkCall(StudyCall):
    serializer_class = OpenLinkSerializer

    @extend_schema(request=StageSerializer, responses={201: OpenLinkSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """One link for many, for a recruiting service; it replaces an earlier one."""
        study, wanted = self.study(writing=True), self.parsed(StageSerializer)
        link = inviting.open_to_all(study, **wanted, by=caller(request))
        return Response({"link": link}, status=status.HTTP_201_CREATED)


class RevokeOpenLink(StudyCall):
    serializer_class = StageSerializer

    @extend_schema(request=StageSerializer, responses={204: None})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """The open link lets nobody in any more."""
        study, wanted = self.study(writing=True), self.parsed(StageSerializer)
        inviting.revoke_open_link(study, **wanted, by=caller(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class Attack(StudyCall):
    serializer_class = JobSerializer

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The report of the last attack on the blinding; null when there was none."""
        done = last_report(self.study())
        return Response({"at": done.ended_at, **done.result} if done else {"at": None, "report": None})

    @extend_schema(request=None, responses={202: JobSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Attack the blinding of the study: a job whose result is the report."""
        job = start_attack(self.study(writing=True), by=caller(request))
        return Response(self.get_serializer(job).data, status=status.HTTP_202_ACCEPTED)
