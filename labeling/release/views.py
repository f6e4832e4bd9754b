"""The releases of a project: all of them, the next one, one of them, and what changed between two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.agreement.charts import THEMES, as_file, look
from labeling.people.access import ITEM_READERS, AuthedRequest, Seat, take_seat
from labeling.people.models import Role
from labeling.refusals import Invalid, Refusal
from labeling.release.checking import Check, answer_findings, current_check, start_check, withdraw as withdraw_answer
from labeling.release.choosing import Choice, choose, filters_in_words
from labeling.release.comparing import compare
from labeling.release.forms import ChoiceForm, TitleForm, address_of
from labeling.release.making import create_release, next_number, usual_title
from labeling.release.models import Guard, Release
from labeling.release.tables import NAMES, charts

SHOWN = 50
MOST_CHANGES = 200


@login_required
@require_safe
def releases(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, *ITEM_READERS)
    found = seat.project.releases.select_related("job", "made_by", "project").defer("manifest")
    context = {"seat": seat, "releases": found, "can_release": seat.project.rounds.exclude(state="planning").exists()}
    return render(request, "release/releases.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: AuthedRequest, slug: str) -> HttpResponse:
    """What would be in it and what the guards find, for a choice; and the form that freezes it."""
    writing = request.method == "POST"
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)  # to look brings the cases up to date
    sent = request.POST if writing else request.GET
    form = ChoiceForm(sent, project=seat.project)
    if not form.rounds:
        return render(request, "release/new_release.html", {"seat": seat}, status=409 if writing else 200)
    if not form.is_valid():
        raise Invalid("choice: there is no such round or answer in this project.")
    choice = form.choice()
    usual = usual_title(seat.project)
    title = TitleForm(request.POST if writing else None, initial=vars(usual))
    if title.is_bound and title.is_valid():
        release, _ = create_release(choice, title.title(), by=request.user)
        return redirect("release:release", slug, release.number)
    context = {"seat": seat, "form": form, "title": title, "choice": choice, "number": next_number(seat.project)}
    return render(request, "release/new_release.html", context | checked(seat, choice), status=422 if writing else 200)


def checked(seat: Seat, choice: Choice) -> dict[str, Any]:
    check, job = current_check(choice, by=seat.user)
    guards = list(guard_tables(seat, check)) if check else []
    waiting = sum(guard["waiting"] for guard in guards)
    address = address_of(choice)
    return {"check": check, "job": job, "guards": guards, "waiting": waiting, "address": address}


def guard_tables(seat: Seat, check: Check) -> Iterator[dict[str, Any]]:
    """For each guard that found something: what waits first, then what was answered."""
    answers = {(waiver.guard, waiver.item): waiver for waiver in seat.project.waivers.select_related("by")}
    for guard in Guard:
        found = [
            {"finding": one, "waiver": answers.get((guard.value, one.item))}
            for one in check.findings
            if one.guard == guard
        ]
        if found:
            found.sort(key=lambda row: row["waiver"] is not None)
            waiting = sum(row["waiver"] is None for row in found)
            yield {"guard": guard, "rows": found[:SHOWN], "more": max(0, len(found) - SHOWN), "waiting": waiting,
                   "found": len(found)}  # fmt: skip


@login_required
@require_POST
def check(request: AuthedRequest, slug: str) -> HttpResponse:
    """Looks again, by a job."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    job = start_check(chosen(request, seat), by=request.user)
    return redirect("jobs:job", slug, job.pk)


@login_required
@require_POST
def waive(request: AuthedRequest, slug: str) -> HttpResponse:
    """Answers the findings that were ticked, or all of a guard that wait."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    choice = chosen(request, seat)
    guard = request.POST.get("guard", "")
    findings = [(guard, item) for item in request.POST.getlist("item")]
    if request.POST.get("all"):
        known, _ = current_check(choice, by=request.user)
        answered = set(seat.project.waivers.filter(guard=guard).values_list("item", flat=True))
        findings = [(guard, one.item) for one in (known.findings if known else [])
                    if one.guard == guard and one.item not in answered]  # fmt: skip
    leave_out = request.POST.get("answer") == "leave_out"
    answer_findings(seat.project, findings, reason=request.POST.get("reason", ""), leave_out=leave_out, by=request.user)
    return redirect(f"{reverse('release:new', args=[slug])}?{address_of(choice)}")


@login_required
@require_POST
def withdraw(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    choice = chosen(request, seat)
    withdraw_answer(seat.project, request.POST.get("guard", ""), request.POST.get("item", ""), by=request.user)
    return redirect(f"{reverse('release:new', args=[slug])}?{address_of(choice)}")


def chosen(request: AuthedRequest, seat: Seat) -> Choice:
    return choose(seat.project, rounds=request.POST.getlist("round"), filters=request.POST.getlist("filter"))


@login_required
@require_safe
def release(request: AuthedRequest, slug: str, number: int) -> HttpResponse:
    seat = take_seat(request.user, slug, *ITEM_READERS)
    found = get_object_or_404(seat.project.releases.select_related("job", "made_by", "project"), number=number)
    context: dict[str, Any] = {"seat": seat, "release": found}
    if found.is_frozen:
        figures = found.statistics
        others = seat.project.releases.frozen().exclude(pk=found.pk).values_list("number", flat=True)
        context |= {"figures": figures, "agreement": agreement_rows(figures), "others": others,
                    "charts": list(charts(figures, figures["agreement"])),
                    "filter_words": filters_in_words(found.filters)}  # fmt: skip
    return render(request, "release/release.html", context)


def agreement_rows(figures: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"round": one["round"], "question": one["question"], "name": NAMES[name], "items": one["items_used"], **found}
        for one in figures["agreement"]
        for name, found in one["coefficients"].items()
    ]


def frozen(seat: Seat, number: int) -> Release:
    return get_object_or_404(seat.project.releases.frozen().select_related("project"), number=number)


@login_required
@require_safe
def download(request: AuthedRequest, slug: str, number: int) -> HttpResponseBase:
    seat = take_seat(request.user, slug, *ITEM_READERS)
    return send_archive(frozen(seat, number))


def send_archive(found: Release) -> HttpResponseBase:
    try:
        return FileResponse(found.archive.open("rb"), as_attachment=True, filename=found.file_name)
    except FileNotFoundError as error:
        raise Refusal(f"The archive of {found} is not on this machine any more.") from error


@login_required
@require_safe
def file(request: AuthedRequest, slug: str, number: int, name: str) -> HttpResponseBase:
    """One file out of the archive; always as a download, since it quotes what strangers wrote."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    found = frozen(seat, number)
    try:
        archive = ZipFile(found.archive.path)
    except FileNotFoundError as error:
        raise Refusal(f"The archive of {found} is not on this machine any more.") from error
    if name not in archive.namelist():
        archive.close()
        raise Http404
    kind = "application/octet-stream"
    response = FileResponse(archive.open(name), as_attachment=True, filename=name.rpartition("/")[2], content_type=kind)
    response._resource_closers.append(archive.close)  # type: ignore[attr-defined]  # noqa: SLF001 (as FileResponse does)
    return response


@login_required
@require_safe
def chart(request: AuthedRequest, slug: str, number: int, name: str) -> HttpResponse:
    """A chart of the release as a picture."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    figures = frozen(seat, number).statistics
    spec = charts(figures, figures["agreement"]).get(name)
    theme = request.GET.get("theme", "light")
    if spec is None or theme not in THEMES:
        raise Http404
    return HttpResponse(as_file({**spec, "config": look(theme)}, "svg"), content_type="image/svg+xml")


@login_required
@require_safe
def changes(request: AuthedRequest, slug: str, number: int, since: int) -> HttpResponse:
    """What came, went and changed from one release to another."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    after, before = frozen(seat, number), frozen(seat, since)
    try:
        found = compare(before.archive.path, after.archive.path)
    except FileNotFoundError as error:
        raise Refusal("The archive of one of the two is not on this machine any more.") from error
    parts = [
        {"key": key, "title": title, "count": len(found[key]), "rows": found[key][:MOST_CHANGES],
         "more": max(0, len(found[key]) - MOST_CHANGES)}
        for key, title in (("added", "Added"), ("removed", "Removed"), ("changed", "Other answers"))
    ]  # fmt: skip
    return render(request, "release/changes.html", {"seat": seat, "release": after, "before": before, "parts": parts})
