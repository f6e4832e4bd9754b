"""Protocols of a project: the list, one to read, a new one, a file, and the keys of a person."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_safe

from labeling.annotation.protocols import editing, keys
from labeling.annotation.protocols.files import built_in, write_codebook
from labeling.annotation.protocols.forms import BlankForm, FileForm
from labeling.annotation.protocols.models import Protocol, ProtocolVersion
from labeling.people.access import AuthedRequest, Seat, take_seat
from labeling.people.models import Role
from labeling.refusals import Invalid

READERS = (Role.COORDINATOR, Role.VIEWER)
RATERS = (Role.ANNOTATOR, Role.ADJUDICATOR, Role.COORDINATOR)


@login_required
@require_safe
def protocols(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, *READERS)
    listed = seat.project.protocols.annotate(
        version=Max("versions__number"), saved_at=Max("versions__created_at")
    ).order_by("name", "pk")
    context = {"seat": seat, "protocols": listed, "built_in": built_in()}
    return render(request, "annotation/protocols/protocols.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_protocol(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=request.method == "POST")
    if request.method != "POST":
        return new_page(request, seat)
    if "built_in" in request.POST:
        made = editing.create_built_in(seat.project, name=request.POST["built_in"], by=request.user)
        return redirect("annotation:protocol", slug, made.pk)
    if "blank" in request.POST:
        return new_blank(request, seat)
    return new_from_file(request, seat)


def new_blank(request: AuthedRequest, seat: Seat) -> HttpResponse:
    form = BlankForm(request.POST)
    if form.is_valid():
        try:
            made = editing.create_blank(seat.project, by=request.user, **form.cleaned_data)
            return redirect("annotation:edit_protocol", seat.project.slug, made.pk)
        except Invalid as error:
            form.add_error("title", str(error).removeprefix("title: "))
    return new_page(request, seat, blank_form=form, status=422)


def new_from_file(request: AuthedRequest, seat: Seat) -> HttpResponse:
    form = FileForm(request.POST, request.FILES)
    if form.is_valid():
        codebook, title = form.cleaned_data["file"], form.cleaned_data["title"]
        try:
            made = editing.create_protocol(seat.project, codebook=codebook, title=title, by=request.user)
            return redirect("annotation:protocol", seat.project.slug, made.pk)
        except Invalid as error:
            form.add_error("title", str(error).removeprefix("title: "))
    return new_page(request, seat, file_form=form, status=422)


def new_page(request: AuthedRequest, seat: Seat, *, status: int = 200, **forms: Any) -> HttpResponse:
    context = {"seat": seat, "built_in": built_in(), "blank_form": BlankForm(), "file_form": FileForm(), **forms}
    return render(request, "annotation/protocols/new_protocol.html", context, status=status)


@login_required
@require_safe
def protocol(request: AuthedRequest, slug: str, pk: int, number: int | None = None) -> HttpResponse:
    """One version to read, by default the latest, and all the others: for everybody, since annotators work by it."""
    seat = take_seat(request.user, slug)
    found = get_object_or_404(seat.project.protocols, pk=pk)
    versions = list(found.versions.with_votes().select_related("created_by"))
    context = {
        "seat": seat,
        "protocol": found,
        "version": version_of(found, number),
        "versions": versions,
        "latest": versions[0],
    }
    return render(request, "annotation/protocols/protocol.html", context)


@login_required
@require_safe
def export_protocol(request: AuthedRequest, slug: str, pk: int, number: int | None = None) -> HttpResponse:
    found = get_object_or_404(take_seat(request.user, slug, *READERS).project.protocols, pk=pk)
    return yaml_file(version_of(found, number))


def yaml_file(version: ProtocolVersion) -> HttpResponse:
    name = f"{slugify(version.codebook.title) or 'protocol'}-{version.number}.yaml"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(write_codebook(version.codebook), content_type="application/yaml", headers=headers)


def version_of(protocol: Protocol, number: int | None) -> ProtocolVersion:
    return protocol.latest if number is None else get_object_or_404(protocol.versions, number=number)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def own_keys(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """Which key does what for the person who asks."""
    seat = take_seat(request.user, slug, *RATERS, writing=request.method == "POST")
    version = get_object_or_404(seat.project.protocols, pk=pk).latest
    error, sent = "", None
    if request.method == "POST":
        sent = {name: request.POST[name] for name in keys.default_keys(version.codebook) if name in request.POST}
        try:
            change_keys(request, version, sent)
            return redirect("annotation:own_keys", slug, pk)
        except Invalid as refusal:
            error = str(refusal)
    context = {
        "seat": seat,
        "version": version,
        "groups": key_rows(version, sent or keys.keys_of(request.user, version)),
        "named": keys.NAMED,
        "error": error,
    }
    return render(request, "annotation/protocols/own_keys.html", context, status=422 if error else 200)


def change_keys(request: AuthedRequest, version: ProtocolVersion, sent: dict[str, str]) -> None:
    if "reset" in request.POST:
        keys.reset_keys(request.user, version)
        messages.success(request, "The keys are those of the protocol again.")
    else:
        keys.save_keys(request.user, version, sent)
        messages.success(request, "Your keys are saved.")


def key_rows(version: ProtocolVersion, shown: dict[str, str]) -> list[tuple[str, list[dict[str, str]]]]:
    """Headed groups of rows: the options of each question, then the actions."""
    codebook = version.codebook
    labels, defaults = keys.labels(codebook), keys.default_keys(codebook)
    groups = {
        question.text: [f"{question.key}.{key}" for key in question.option_keys] for question in codebook.questions
    }
    groups["Actions"] = [name for name in defaults if "." not in name]
    return [
        (
            heading,
            [
                {"name": name, "label": labels[name], "key": shown.get(name, ""), "default": defaults[name]}
                for name in names
            ],
        )
        for heading, names in groups.items()
        if names
    ]
