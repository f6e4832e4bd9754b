"""For coordinators while a study runs: participants and their links."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from labeling.people.access import AuthedRequest, Seat, take_seat
from labeling.people.models import Role
from labeling.refusals import Refusal
from labeling.study.fieldwork import inviting
from labeling.study.fieldwork.forms import InviteForm
from labeling.study.fieldwork.monitoring import study_status
from labeling.study.forms import in_words
from labeling.study.models import Stage, Study
from labeling.study.taking.models import Participant


def find_study(seat: Seat, pk: int) -> Study:
    return get_object_or_404(seat.project.studies.select_related("project"), pk=pk)


def find_participant(study: Study, number: int) -> Participant:
    return get_object_or_404(study.participants, number=number)


@login_required
@require_safe
def participants(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """The monitor: who is where; never an answer."""
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    return monitor(request, seat, find_study(seat, pk), stage=request.GET.get("stage", ""))


def stage_of(study: Study, asked: str) -> str:
    """The stage that was asked for, or else the one in which the study is."""
    if asked in Stage.values:
        return asked
    return Stage.PILOT if study.state == "piloting" else Stage.MAIN


def monitor(  # noqa: PLR0913 (a page, and what went wrong on it)
    request: AuthedRequest,
    seat: Seat,
    study: Study,
    *,
    stage: str,
    form: InviteForm | None = None,
    refusal: Refusal | None = None,
) -> HttpResponse:
    stage = stage_of(study, stage)
    form = form or InviteForm(initial={"stage": stage})
    status = study_status(study, stage=stage)
    context = {
        "seat": seat,
        "study": study,
        "stage": stage,
        "stages": Stage.choices,
        "status": status,
        "startable": status["sheets"]["free"] + status["sheets"]["spares_free"],
        "form": form,
        "error": in_words(refusal) if refusal else "",
    }
    code = refusal.status if refusal else 422 if form.is_bound else 200
    return render(request, "study/fieldwork/participants.html", context, status=code)


@login_required
@require_POST
def invite(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """Makes links and shows them, this once; or gives them as a table."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    study = find_study(seat, pk)
    form = InviteForm(request.POST)
    stage = request.POST.get("stage", "")
    if not form.is_valid():
        return monitor(request, seat, study, stage=stage, form=form)
    try:
        made = inviting.invite_many(
            study, labels=form.cleaned_data["named"], stage=form.cleaned_data["stage"], by=request.user
        )
    except Refusal as refusal:
        form.add_error(None, str(refusal))
        return monitor(request, seat, study, stage=stage, form=form)
    if request.POST.get("as") == "csv":
        response = HttpResponse(inviting.as_csv(made), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="links.csv"'
        return response
    return shown_links(request, seat, study, made)


def shown_links(request: AuthedRequest, seat: Seat, study: Study, made: list[inviting.Made]) -> HttpResponse:
    return render(request, "study/fieldwork/links.html", {"seat": seat, "study": study, "made": made})


@login_required
@require_POST
def open_link(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    study = find_study(seat, pk)
    stage = request.POST.get("stage", Stage.MAIN)
    try:
        link = inviting.open_to_all(study, stage=stage, by=request.user)
    except Refusal as refusal:
        return monitor(request, seat, study, stage=stage, refusal=refusal)
    context = {"seat": seat, "study": study, "open_link": link, "parameters": inviting.PARAMETERS}
    return render(request, "study/fieldwork/links.html", context)


@login_required
@require_POST
def revoke_open_link(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    study, stage = find_study(seat, pk), request.POST.get("stage", Stage.MAIN)
    try:
        inviting.revoke_open_link(study, stage=stage, by=request.user)
    except Refusal as refusal:
        return monitor(request, seat, study, stage=stage, refusal=refusal)
    messages.success(request, "The open link no longer lets anybody in. Those who started by it go on.")
    return back_to(study, stage)


def back_to(study: Study, stage: str) -> HttpResponse:
    """The monitor of the same stage."""
    return redirect(f"{reverse('fieldwork:participants', args=[study.project.slug, study.pk])}?stage={stage}")


@login_required
@require_POST
def renew(request: AuthedRequest, slug: str, pk: int, number: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    study = find_study(seat, pk)
    own = find_participant(study, number)
    try:
        made = inviting.renew_link(own, by=request.user)
    except Refusal as refusal:
        return monitor(request, seat, study, stage=own.stage, refusal=refusal)
    return shown_links(request, seat, study, [made])


@login_required
@require_POST
def revoke(request: AuthedRequest, slug: str, pk: int, number: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    study = find_study(seat, pk)
    own = find_participant(study, number)
    try:
        inviting.revoke_link(own, by=request.user)
    except Refusal as refusal:
        return monitor(request, seat, study, stage=own.stage, refusal=refusal)
    messages.success(request, f"The link of {own} no longer works, and their sheet is free.")
    return back_to(study, own.stage)
