"""Jobs of a project: the list, one with its progress, cancel, retry, and the file it made."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from labeling.jobs import queue
from labeling.jobs.files import made_file
from labeling.jobs.models import Job, State
from labeling.people.access import AuthedRequest, take_seat
from labeling.people.models import Role

PAGE = 50


@login_required
@require_safe
def jobs(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    started = seat.project.jobs.asked_for().select_related("created_by")
    page = Paginator(started, PAGE).get_page(request.GET.get("page"))
    active = any(job.is_active for job in page)
    failed = seat.project.jobs.helping(page).filter(state=State.FAILED).values_list("arguments__parent", flat=True)
    context = {"seat": seat, "page": page, "active": active, "helpers_failed": set(failed)}
    return render(request, "jobs/jobs.html", context)


@login_required
@require_safe
def job(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    found = get_object_or_404(seat.project.jobs.select_related("created_by"), pk=pk)
    context = {"seat": seat, "job": found, "file": made_file(found), "helpers": seat.project.jobs.helping([found])}
    response = render(request, "jobs/job.html", context)
    return loaded_anew(response) if request.htmx and not found.is_active else response


def loaded_anew(response: HttpResponse) -> HttpResponse:
    """Has the page loaded anew once the work has ended: there are other things to do on it then."""
    response["HX-Refresh"] = "true"
    return response


@login_required
@require_POST
def cancel(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    queue.cancel(find(request, slug, pk), by=request.user)
    return redirect("jobs:job", slug, pk)


@login_required
@require_POST
def retry(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    queue.retry(find(request, slug, pk), by=request.user)
    return redirect("jobs:job", slug, pk)


@login_required
@require_safe
def file(request: AuthedRequest, slug: str, pk: int) -> HttpResponseBase:
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    path = made_file(get_object_or_404(seat.project.jobs, pk=pk))
    if path is None:
        raise Http404
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name)


def find(request: AuthedRequest, slug: str, pk: int) -> Job:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    return get_object_or_404(seat.project.jobs, pk=pk)
