"""A release that comes back as a project."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.people.access import AuthedRequest, require_creator
from labeling.refusals import Invalid
from labeling.release.forms import ImportReleaseForm
from labeling.release.receiving import receive_release


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: AuthedRequest) -> HttpResponse:
    """Makes a project of an uploaded release; whoever may start projects may do this."""
    require_creator(request.user)
    form = ImportReleaseForm(request.POST, request.FILES) if request.method == "POST" else ImportReleaseForm()
    if form.is_bound and form.is_valid():
        try:
            project, job = receive_release(by=request.user, **form.cleaned_data)
        except Invalid as error:
            form.add_error(None, str(error))
        else:
            return redirect("jobs:job", project.slug, job.pk) if job else redirect("overview:home", project.slug)
    return render(request, "release/import_release.html", {"form": form}, status=422 if form.is_bound else 200)
