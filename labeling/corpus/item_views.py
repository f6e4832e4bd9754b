"""Items of a project: look through them, see one, bring in a file, take them out again."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.corpus.browsing import browse, groups_of, same_items
from labeling.corpus.forms import ExportForm, ImportForm, UploadForm
from labeling.corpus.models import Upload
from labeling.corpus.picking import pick_comment
from labeling.corpus.preview import Preview, look_into
from labeling.corpus.work import start_export, start_import
from labeling.people.access import ITEM_READERS, AuthedRequest, take_seat
from labeling.people.models import Role
from labeling.refusals import Invalid


@login_required
@require_safe
def items(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, *ITEM_READERS)
    words, group = request.GET.get("words", "").replace("\x00", ""), request.GET.get("group", "").replace("\x00", "")
    after = request.GET.get("after", "")
    page = browse(seat.project, words=words, group=group, after=int(after) if after.isdecimal() else 0)
    context = {"seat": seat, "page": page, "words": words, "group": group, "groups": groups_of(seat.project)}
    return render(request, "corpus/items.html", {**context, "export_form": ExportForm()})


@login_required
@require_safe
def item(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, *ITEM_READERS)
    found = get_object_or_404(seat.project.items, pk=pk)
    context = {"seat": seat, "item": found, "content": found.content, "same": same_items(found)}
    context["can_pick"] = seat.is_coordinator and not seat.project.archived_at and found.may_change()
    return render(request, "corpus/item.html", {**context, "kind_template": f"corpus/kinds/{found.kind}.html"})


@login_required
@require_POST
def pick(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """Links the item to another comment of its thread."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    found = get_object_or_404(seat.project.items, pk=pk)
    comment = request.POST.get("comment", "")
    if not (comment.isascii() and comment.isdigit()):
        raise Invalid("comment: name a comment of the thread by its number, counted from 0.")
    pick_comment(found, comment=int(comment), by=request.user)
    return redirect("corpus:item", slug, pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if form.is_bound and form.is_valid():
        file = form.cleaned_data["file"]
        kept = Upload.objects.create(project=seat.project, name=file.name[-200:], file=file, uploaded_by=request.user)
        return redirect("corpus:import", slug, kept.pk)
    return render(request, "corpus/upload.html", {"seat": seat, "form": form}, status=422 if form.is_bound else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_upload(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """Shows what is in the file and asks how to import it."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    kept = get_object_or_404(seat.project.uploads, pk=pk)
    try:
        preview = look_into(kept)
    except Invalid as error:
        preview = Preview(problem=str(error))
    form = ImportForm(request.POST if request.method == "POST" else None, columns=preview.columns)
    if form.is_bound and form.is_valid() and not preview.problem:
        job = start_import(kept, by=request.user, options=form.options(), columns=form.mapping())
        return redirect("jobs:job", slug, job.pk)
    context = {"seat": seat, "upload": kept, "preview": preview, "form": form}
    return render(request, "corpus/import.html", context, status=422 if form.is_bound else 200)


@login_required
@require_POST
def export(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    form = ExportForm(request.POST)
    if not form.is_valid():
        raise Invalid("form: choose JSONL or CSV.")
    job = start_export(seat.project, by=request.user, **form.cleaned_data)
    return redirect("jobs:job", slug, job.pk)
