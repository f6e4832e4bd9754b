"""A release that comes back as a project."""

from __future__ import annotations

from pathlib import Path
from tempfile import NamedTemporaryFile

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.people.access import AuthedRequest
from labeling.refusals import Invalid
from labeling.release.forms import ImportReleaseForm
from labeling.release.importing import import_release


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: AuthedRequest) -> HttpResponse:
    """Makes a project of an uploaded release; whoever may start projects may do this."""
    if not request.user.can_create_projects:
        raise PermissionDenied("Your account cannot start projects.")
    form = ImportReleaseForm(request.POST, request.FILES) if request.method == "POST" else ImportReleaseForm()
    if form.is_bound and form.is_valid():
        try:
            return redirect("overview:home", brought_in(request, form))
        except Invalid as error:
            form.add_error(None, str(error))
    return render(request, "release/import_release.html", {"form": form}, status=422 if form.is_bound else 200)


def brought_in(request: AuthedRequest, form: ImportReleaseForm) -> str:
    file: UploadedFile[bytes] = form.cleaned_data["file"]
    with NamedTemporaryFile(suffix=".zip") as kept:
        for chunk in file.chunks():
            kept.write(chunk)
        kept.flush()
        wanted = {"slug": form.cleaned_data["slug"], "name": form.cleaned_data["name"]}
        return import_release(Path(kept.name), by=request.user, **wanted).slug
