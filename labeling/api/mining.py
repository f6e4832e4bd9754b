"""Mining for scripts: start it with a clone of the installation and pull requests, and read the funnel."""

from __future__ import annotations

import json

from django.core.files.base import ContentFile
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.api import serializers
from labeling.api.views import ProjectCall, caller
from labeling.corpus.models import Upload
from labeling.mining.collecting import retry_failed, start_mining
from labeling.mining.forms import find_clone
from labeling.mining.models import Stage

SHOWN_FAILED = 500


class Mining(ProjectCall):
    serializer_class = serializers.MiningSerializer

    def get(self, request: Request, slug: str) -> Response:
        """The funnel, and the pull requests that could not be looked into."""
        changes = self.coordinator().project.mined_changes
        failed = changes.filter(stage=Stage.FAILED).values("repository", "number", "reason")[:SHOWN_FAILED]
        waiting = changes.filter(stage=Stage.WAITING).count()
        found = {"funnel": changes.all().funnel(), "waiting": waiting, "failed": list(failed)}
        return Response(self.get_serializer(found).data)

    @extend_schema(request=serializers.NewMiningSerializer, responses={202: serializers.JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Start a job: name a repository of GitHub, or a clone of the installation with its pull requests."""
        seat = self.coordinator(writing=True)
        wanted = self.parsed(serializers.NewMiningSerializer)
        if github := wanted.get("github"):
            since = wanted["since"].isoformat() if wanted.get("since") else ""
            job = start_mining(seat.project, by=seat.user, github=github, since=since, state=wanted["state"])
            return Response(serializers.JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)
        clone = find_clone(wanted["repository"])
        lines = "".join(json.dumps(change) + "\n" for change in wanted["changes"])
        upload = Upload.objects.create(project=seat.project, name="reviews.jsonl", uploaded_by=seat.user)
        upload.file.save("reviews.jsonl", ContentFile(lines.encode()))
        job = start_mining(seat.project, by=caller(request), git=str(clone), reviews=upload.file.path)
        return Response(serializers.JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class RetryMining(ProjectCall):
    serializer_class = serializers.RetriedSerializer

    @extend_schema(request=None)
    def post(self, request: Request, slug: str) -> Response:
        """Put the pull requests that failed back in line; the next mining looks into them."""
        return Response({"waiting": retry_failed(self.coordinator(writing=True).project)})
