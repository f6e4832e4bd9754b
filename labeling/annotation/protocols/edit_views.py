"""The editor: form fields, a preview beside them, and buttons that work with and without JavaScript."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from labeling.annotation.protocols import editing
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.models import Protocol, ProtocolVersion
from labeling.annotation.protocols.outline import Outline, error_of
from labeling.corpus.payloads import FieldError
from labeling.people.access import AuthedRequest, Seat, take_seat
from labeling.people.models import Role
from labeling.refusals import Invalid

FORMS = {
    "single": "One of several",
    "multiple": "Several of several",
    "likert": "Scale",
    "number": "Number",
    "text": "Text",
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_protocol(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=request.method == "POST")
    protocol = get_object_or_404(seat.project.protocols, pk=pk)
    if request.method != "POST":
        latest = protocol.latest
        return editor(request, seat, protocol, Outline.of(latest.codebook, latest.state))
    outline = Outline.sent(request.POST)
    if request.POST.get("act") == "save":
        return save(request, seat, protocol, outline)
    focus = outline.act(request.POST.get("act", ""))
    return editor(request, seat, protocol, outline, focus=focus)


def save(request: AuthedRequest, seat: Seat, protocol: Protocol, outline: Outline) -> HttpResponse:
    try:
        codebook = outline.codebook()
        version = editing.save_protocol(protocol, codebook=codebook, based_on=outline.based_on, by=request.user)
    except FieldError as error:
        return editor(request, seat, protocol, outline, error=error_of(error), status=422)
    except Invalid as error:  # the title is taken
        refusal = error_of(FieldError("title", str(error).removeprefix("title: ")))
        return editor(request, seat, protocol, outline, error=refusal, status=422)
    except editing.ChangedMeanwhile as error:
        current = protocol.latest
        outline.based_on = current.state  # having been told, they may save over it
        return editor(request, seat, protocol, outline, changed=str(error), current=current, status=409)
    messages.success(request, f"Saved as version {version.number}.")
    return redirect("annotation:protocol", seat.project.slug, protocol.pk)


def editor(
    request: AuthedRequest, seat: Seat, protocol: Protocol, outline: Outline, *, status: int = 200, **more: Any
) -> HttpResponse:
    codebook, fault = previewed(outline)
    context = {
        "seat": seat,
        "protocol": protocol,
        "outline": outline,
        "codebook": codebook,
        "fault": fault,
        "forms": FORMS,
        "makes_version": next_version(protocol.latest),
        **more,
    }
    return render(request, "annotation/protocols/edit_protocol.html", context, status=status)


def previewed(outline: Outline) -> tuple[Codebook | None, object]:
    try:
        return outline.codebook(), None
    except FieldError as error:
        return None, error_of(error)


def next_version(latest: ProtocolVersion) -> int | None:
    """The number that a save will get, when a round or a vote keeps the present one from being changed."""
    return latest.number + 1 if latest.is_in_use else None
