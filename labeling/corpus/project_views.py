"""Starting a project, its settings, and its archive."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from labeling.corpus import projects
from labeling.corpus.forms import ArchiveForm, ProjectForm, ProjectSettingsForm
from labeling.people.access import AuthedRequest, require_creator, take_seat
from labeling.people.models import Role
from labeling.refusals import Invalid


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: AuthedRequest) -> HttpResponse:
    require_creator(request.user)
    form = ProjectForm(request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            project = projects.create_project(by=request.user, **form.cleaned_data)
        except Invalid as error:
            form.add_error("slug", str(error).removeprefix("slug: "))
        else:
            return redirect("overview:home", project.slug)
    return render(request, "corpus/new.html", {"form": form}, status=422 if form.is_bound else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=request.method == "POST")
    form = ProjectSettingsForm(request.POST or None, instance=seat.project)
    if form.is_bound and form.is_valid():
        seat.project.refresh_from_db()
        projects.change_project(seat.project, by=request.user, **form.cleaned_data)
        messages.success(request, "The settings are saved.")
        return redirect("corpus:settings", slug)
    context = {"seat": seat, "form": form, "archive_form": ArchiveForm(project=seat.project)}
    return render(request, "corpus/settings.html", context, status=422 if form.is_bound else 200)


@login_required
@require_POST
def archive(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    form = ArchiveForm(request.POST, project=seat.project)
    if not form.is_valid():
        context = {"seat": seat, "form": ProjectSettingsForm(instance=seat.project), "archive_form": form}
        return render(request, "corpus/settings.html", context, status=422)
    projects.archive_project(seat.project, by=request.user)
    return redirect("overview:home", slug)


@login_required
@require_POST
def restore(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    projects.restore_project(seat.project, by=request.user)
    return redirect("overview:home", slug)
