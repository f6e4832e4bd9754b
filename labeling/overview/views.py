"""My projects, the home of each, and its activity log as a file."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from labeling.corpus.models import Project
from labeling.overview.exporting import start_activity_export
from labeling.overview.standing import standing
from labeling.people.access import AuthedRequest, take_seat
from labeling.people.models import Role

LATELY = 8


@login_required
@require_safe
def projects(request: AuthedRequest) -> HttpResponse:
    memberships = request.user.memberships.select_related("project").order_by("project__name", "project_id", "role")
    mine: dict[Project, list[str]] = {}
    for membership in memberships:
        mine.setdefault(membership.project, []).append(membership.get_role_display())
    context = {
        "current": [(project, roles) for project, roles in mine.items() if not project.archived_at],
        "archived": [(project, roles) for project, roles in mine.items() if project.archived_at],
    }
    return render(request, "overview/projects.html", context)


@login_required
@require_safe
def home(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug)
    lately = seat.project.activities.select_related("actor")[:LATELY] if seat.is_coordinator else []
    context = {"seat": seat, "standing": standing(seat), "lately": lately}
    return render(request, "overview/home.html", context)


@login_required
@require_POST
def export_activity(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    job = start_activity_export(seat.project, by=request.user)
    return redirect("jobs:job", slug, job.pk)
