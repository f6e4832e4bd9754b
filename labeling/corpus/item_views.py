"""Items of a project: look through them, see one, bring in a file, take them out again."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.corpus.browsing import STATES, browse, filtered, same_items
from labeling.corpus.duplicates import browse_duplicates
from labeling.corpus.forms import ExportForm, ImportForm, KindForm, UploadForm
from labeling.corpus.groups import groups_of
from labeling.corpus.models import Upload
from labeling.corpus.picking import pick_comment
from labeling.corpus.preview import Preview, look_into
from labeling.corpus.work import KIND, import_as_tried, start_export, start_import
from labeling.digits import whole_number
from labeling.people.access import ITEM_READERS, AuthedRequest, take_seat
from labeling.people.models import Role
from labeling.refusals import Invalid


@login_required
@require_safe
def items(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, *ITEM_READERS)
    names = ("words", "group", "same_as", "state")
    wanted = {name: request.GET.get(name, "").replace("\x00", "") for name in names}
    duplicates, after = (request.GET.get(name, "").replace("\x00", "") for name in ("duplicates", "after"))
    context = {"seat": seat, **wanted, "duplicates": duplicates, "groups": groups_of(seat.project), "states": STATES}
    context["query"] = urlencode({name: value for name, value in wanted.items() if value})
    if duplicates:
        context["page"] = browse_duplicates(filtered(seat.project, **wanted), after=after)
        return render(request, "corpus/duplicates.html", context)
    page = browse(seat.project, **wanted, after=whole_number(after) or 0)
    shown = page.items[0].kind if page.items else None
    context |= {"page": page, "export_form": ExportForm(initial={"kind": shown})}
    return render(request, "corpus/items.html", context)


@login_required
@require_safe
def item(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, *ITEM_READERS)
    found = get_object_or_404(seat.project.items, pk=pk)
    context = {"seat": seat, "item": found, "content": found.content, "same": same_items(found)}
    context["class_url"] = reverse("corpus:surroundings", args=[slug, pk])
    context["can_pick"] = seat.is_coordinator and not seat.project.archived_at and found.may_change()
    return render(request, "corpus/item.html", {**context, "kind_template": f"corpus/kinds/{found.kind}.html"})


@login_required
@require_safe
def surroundings(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """The class around the method: often long, so it comes only when somebody asks."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    found = get_object_or_404(seat.project.items, pk=pk)
    return render(request, "corpus/surroundings.html", {"seat": seat, "content": found.content})


@login_required
@require_POST
def pick(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """Links the item to another comment of its thread."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    found = get_object_or_404(seat.project.items, pk=pk)
    comment = whole_number(request.POST.get("comment", ""))
    if comment is None:
        raise Invalid("comment: name a comment of the thread by its number, counted from 0.")
    pick_comment(found, comment=comment, by=request.user)
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
    """Shows what is in the file and asks how to import it, or imports it as it was tried."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    kept = get_object_or_404(seat.project.uploads, pk=pk)
    if trial := request.POST.get("trial", ""):
        tried = seat.project.jobs.filter(kind=KIND, arguments__upload=kept.pk, result__dry_run=True)
        found = get_object_or_404(tried, pk=whole_number(trial))
        return redirect("jobs:job", slug, import_as_tried(kept, found, by=request.user).pk)
    asked = KindForm(request.GET)
    try:
        preview = look_into(kept, kind=asked.cleaned_data["kind"] if asked.is_valid() else "")
    except Invalid as error:
        preview = Preview(problem=str(error))
    sent = request.POST if request.method == "POST" else None
    form = ImportForm(sent, kind=preview.kind, columns=preview.columns)
    if form.is_bound and form.is_valid() and not preview.problem:
        job = start_import(kept, by=request.user, options=form.options(), columns=form.mapping())
        return redirect("jobs:job", slug, job.pk)
    kind_form = KindForm(initial={"kind": preview.kind})
    context = {"seat": seat, "upload": kept, "preview": preview, "form": form, "kind_form": kind_form}
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
