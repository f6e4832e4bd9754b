"""The operations of people, jobs and projects, for scripts. Each calls the verb its page calls."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, QuerySet
from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from labeling.api import serializers
from labeling.corpus import projects
from labeling.corpus.models import Project
from labeling.jobs import queue
from labeling.jobs.files import made_file
from labeling.jobs.models import Job
from labeling.overview.exporting import start_activity_export
from labeling.people import invitations
from labeling.people.access import Seat, require_creator, take_seat
from labeling.people.links import invitation_link
from labeling.people.models import Activity, Invitation, Membership, Role, User


class ProjectCall(GenericAPIView[Any]):
    """A call inside a project: outsiders get 404, and each method names the roles it needs."""

    def seat(self, *roles: Role, writing: bool = False) -> Seat:
        return take_seat(caller(self.request), self.kwargs["slug"], *roles, writing=writing)

    def coordinator(self, *, writing: bool = False) -> Seat:
        return self.seat(Role.COORDINATOR, writing=writing)

    def parsed(self, serializer: type[BaseSerializer[Any]]) -> dict[str, Any]:
        parsed = serializer(data=self.request.data)
        parsed.is_valid(raise_exception=True)
        return dict(parsed.validated_data)


def caller(request: Request) -> User:
    user = request.user
    if not isinstance(user, User):
        raise PermissionDenied
    return user


class Root(APIView):
    permission_classes = [AllowAny]

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Where things are."""
        names = ["me", "projects", "schema", "docs"]
        return Response({name: request.build_absolute_uri(reverse(f"api:{name}")) for name in names})


class Me(APIView):
    @extend_schema(responses=serializers.UserSerializer)
    def get(self, request: Request) -> Response:
        """Who the token belongs to."""
        return Response(serializers.UserSerializer(caller(request)).data)


class Projects(ProjectCall, ListAPIView[Project]):
    """My projects."""

    serializer_class = serializers.ProjectSerializer

    def get_queryset(self) -> QuerySet[Project]:
        mine = Prefetch("memberships", Membership.objects.filter(user=caller(self.request)))
        return Project.objects.for_member(caller(self.request)).prefetch_related(mine)

    @extend_schema(request=serializers.NewProjectSerializer, responses={201: serializers.ProjectSerializer})
    def post(self, request: Request) -> Response:
        """Start a project; the caller becomes its coordinator."""
        require_creator(caller(request))
        project = projects.create_project(by=caller(request), **self.parsed(serializers.NewProjectSerializer))
        return Response(self.get_serializer(project).data, status=status.HTTP_201_CREATED)


class ProjectDetail(ProjectCall):
    serializer_class = serializers.ProjectSerializer

    def get(self, request: Request, slug: str) -> Response:
        """One project."""
        return Response(self.get_serializer(self.seat().project).data)

    @extend_schema(request=serializers.ProjectChangeSerializer(partial=True))
    def patch(self, request: Request, slug: str) -> Response:
        """Change name or description."""
        project = self.coordinator(writing=True).project
        parsed = serializers.ProjectChangeSerializer(project, data=request.data, partial=True)
        parsed.is_valid(raise_exception=True)
        wanted = {"name": project.name, "description": project.description, **parsed.validated_data}
        projects.change_project(project, by=caller(request), **wanted)
        project.refresh_from_db()
        return Response(self.get_serializer(project).data)


class Archive(ProjectCall):
    serializer_class = serializers.ProjectSerializer

    @extend_schema(request=None)
    def post(self, request: Request, slug: str) -> Response:
        """Make the project read-only."""
        project = self.coordinator(writing=True).project
        projects.archive_project(project, by=caller(request))
        project.refresh_from_db()
        return Response(self.get_serializer(project).data)


class Restore(ProjectCall):
    serializer_class = serializers.ProjectSerializer

    @extend_schema(request=None)
    def post(self, request: Request, slug: str) -> Response:
        """Open an archived project again."""
        project = self.coordinator().project
        projects.restore_project(project, by=caller(request))
        project.refresh_from_db()
        return Response(self.get_serializer(project).data)


class Members(ProjectCall, ListAPIView[Membership]):
    """Who has which role."""

    serializer_class = serializers.MembershipSerializer

    def get_queryset(self) -> QuerySet[Membership]:
        return self.coordinator().project.memberships.select_related("user")


class MemberDetail(ProjectCall):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Take a role away from a person."""
        seat = self.coordinator(writing=True)
        membership = get_object_or_404(seat.project.memberships.select_related("user", "project"), pk=pk)
        invitations.remove_member(membership, by=caller(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class Invitations(ProjectCall, ListAPIView[Invitation]):
    """Invitations of the project, used ones too."""

    serializer_class = serializers.InvitationSerializer

    def get_queryset(self) -> QuerySet[Invitation]:
        return self.coordinator().project.invitations.all()

    @extend_schema(request=serializers.InvitationSerializer, responses={201: serializers.NewInvitationSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Invite a person; the answer holds their personal link, which cannot be shown again."""
        seat = self.coordinator(writing=True)
        wanted = self.parsed(serializers.InvitationSerializer)
        role = Role(wanted.get("role", Role.ANNOTATOR))
        invitation, token = invitations.invite(seat.project, email=wanted["email"], role=role, by=seat.user)
        data = {**self.get_serializer(invitation).data, "link": invitation_link(token)}
        return Response(data, status=status.HTTP_201_CREATED)


class RevokeInvitation(ProjectCall):
    serializer_class = serializers.InvitationSerializer

    @extend_schema(request=None)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Make a link stop working."""
        invitation = get_object_or_404(self.coordinator(writing=True).project.invitations, pk=pk)
        invitations.revoke(invitation, by=caller(request))
        invitation.refresh_from_db()
        return Response(self.get_serializer(invitation).data)


class ActivityLog(ProjectCall, ListAPIView[Activity]):
    """Who did what when."""

    serializer_class = serializers.ActivitySerializer

    def get_queryset(self) -> QuerySet[Activity]:
        return self.coordinator().project.activities.select_related("actor")


class ActivityExport(ProjectCall):
    serializer_class = serializers.JobSerializer

    @extend_schema(request=None, responses={202: serializers.JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that writes the activity log to a CSV file."""
        job = start_activity_export(self.coordinator(writing=True).project, by=caller(request))
        return Response(self.get_serializer(job).data, status=status.HTTP_202_ACCEPTED)


class Jobs(ProjectCall, ListAPIView[Job]):
    """Long work of the project."""

    serializer_class = serializers.JobSerializer

    def get_queryset(self) -> QuerySet[Job]:
        return self.coordinator().project.jobs.all()


class JobCall(ProjectCall):
    serializer_class = serializers.JobSerializer

    def job(self, *, writing: bool = False) -> Job:
        return get_object_or_404(self.coordinator(writing=writing).project.jobs, pk=self.kwargs["pk"])


class JobDetail(JobCall):
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One job and how far it is."""
        return Response(self.get_serializer(self.job()).data)


class CancelJob(JobCall):
    @extend_schema(request=None)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Stop a job: at once when it waits, at its next step when it runs."""
        return Response(self.get_serializer(queue.cancel(self.job(writing=True), by=caller(request))).data)


class RetryJob(JobCall):
    @extend_schema(request=None)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Go on with a job that failed or was cancelled."""
        return Response(self.get_serializer(queue.retry(self.job(writing=True), by=caller(request))).data)


class JobFile(JobCall):
    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, pk: int) -> FileResponse:
        """The file that the job made."""
        path = made_file(self.job())
        if path is None:
            raise Http404
        return FileResponse(path.open("rb"), as_attachment=True, filename=path.name)
