"""Studies of a project: the list, a new one, where one stands, and its design, texts, material, leaks and plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.digits import whole_number
from labeling.people.access import ITEM_READERS, AuthedRequest, Seat, take_seat
from labeling.people.models import Role
from labeling.refusals import Invalid, Refusal
from labeling.study import checklist, editing, freezing, loading, planning
from labeling.study.calculating import simulator_query
from labeling.study.designing import read_design
from labeling.study.forms import DesignForm, MaterialForm, StudyForm, TextsForm, in_words, latest_texts, show_refusal
from labeling.study.leaks import CONTENT, KINDS
from labeling.study.material import PRESETS
from labeling.study.models import Method, Stage, Study
from labeling.study.origins import labels_of
from labeling.study.ruling import study_leaks
from labeling.study.sources import bring_material

PAGE = 50


@login_required
@require_safe
def studies(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, *ITEM_READERS)
    return render(request, "study/studies.html", {"seat": seat, "studies": seat.project.studies.all()})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_study(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    form = StudyForm(request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            made = editing.create_study(seat.project, **form.cleaned_data, by=request.user)
        except Refusal as refusal:
            show_refusal(form, refusal)
        else:
            return redirect("study:study", slug, made.pk)
    return filled(request, "study/new_study.html", {"seat": seat, "form": form}, form)


@login_required
@require_safe
def study(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """Where the study stands and what comes next."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    return study_page(request, seat, find_study(seat, pk))


def study_page(request: AuthedRequest, seat: Seat, found: Study, refusal: Refusal | None = None) -> HttpResponse:
    standing = checklist.standing_of(found)
    context = {
        "seat": seat,
        "study": found,
        "design": read_design(found.design),
        "standing": standing,
        "steps": checklist.steps_of(found, standing),
        "deviations": found.deviations.select_related("by"),
        "changed": freezing.changed_parts(found) if found.is_frozen else [],
    }
    return shown(request, "study/study.html", context, refusal)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def design(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=request.method == "POST")
    found = find_study(seat, pk)
    form = DesignForm(request.POST or None, study=found)
    if form.is_bound and form.is_valid():
        try:
            editing.change_design(found, design=form.design(), name=form.cleaned_data["name"], by=request.user)
        except Invalid as refusal:
            show_refusal(form, refusal)
        else:
            messages.success(request, "The design is changed.")
            return redirect("study:study", slug, pk)
    wanted = read_design(found.design)
    context = {"seat": seat, "study": found, "form": form, "warning": wanted.warning}
    return filled(request, "study/design.html", {**context, "simulation": simulator_query(wanted)}, form)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def texts(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=request.method == "POST")
    found = find_study(seat, pk)
    form = TextsForm(request.POST or None, texts=latest_texts(found), is_frozen=found.is_frozen)
    if form.is_bound and form.is_valid():
        try:
            why = form.cleaned_data.get("why", "")
            made = editing.change_texts(found, content=form.content(), why=why, by=request.user)
        except Invalid as refusal:
            show_refusal(form, refusal)
        else:
            messages.success(request, f"These are the texts, version {made.version}.")
            return redirect("study:study", slug, pk)
    context = {"seat": seat, "study": found, "form": form, "version": found.texts.count()}
    return filled(request, "study/texts.html", context, form)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def material(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """Methods with their distinct names, and the form that brings them. Which origin gave which is not shown."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=request.method == "POST")
    found = find_study(seat, pk)
    origins = labels_of(found)
    wanted = origins or PRESETS[found.source.get("preset", "four_names")]
    form = MaterialForm(request.POST or None, request.FILES or None, project=seat.project, origins=wanted)
    if form.is_bound and form.is_valid():
        try:
            bring_material(found, by=request.user, **form.cleaned_data)
        except Invalid as refusal:
            show_refusal(form, refusal)
        else:
            return redirect("study:leaks", slug, pk)
    after = request.GET.get("after", "")
    methods = Method.objects.filter(study=found, pk__gt=whole_number(after) or 0)
    rows = list(methods.prefetch_related("names").order_by("pk")[: PAGE + 1])
    context = {
        "seat": seat,
        "study": found,
        "form": form,
        "standing": checklist.standing_of(found),
        "origins": origins,
        "where_from": checklist.where_from(found),
        "methods": rows[:PAGE],
        "next_after": rows[PAGE - 1].pk if len(rows) > PAGE else None,
    }
    return filled(request, "study/material.html", context, form)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def leaks(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """What gives names away, kind by kind, and what is done about it."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=request.method == "POST")
    found = find_study(seat, pk)
    wanted = request.GET.get("kind", "")
    if request.method == "POST":
        taken = {name: request.POST.get(name, "") for name in ("kind", "act", "method", "name", "reason")}
        try:
            loading.rule_leak(found, loading.Verdict(**taken), by=request.user)
        except Refusal as refusal:
            return leaks_page(request, seat, found, refusal)
        back = f"?kind={wanted}" if wanted in KINDS else ""
        return redirect(f"{request.path}{back}#kinds")
    return leaks_page(request, seat, found)


def leaks_page(request: AuthedRequest, seat: Seat, found: Study, refusal: Refusal | None = None) -> HttpResponse:
    tables = leak_tables(found, study_leaks(found), request.GET.get("kind", ""))
    return shown(request, "study/leaks.html", {"seat": seat, "study": found, **tables}, refusal)


def leak_tables(found: Study, all_leaks: list[Any], wanted: str) -> dict[str, Any]:
    rules = {ruling.leak: ruling for ruling in found.rulings.filter(method_key="").select_related("by")}
    of_kind: dict[str, list[Any]] = {kind: [one for one in all_leaks if one.leak.kind == kind] for kind in KINDS}
    kinds = [
        {
            "key": kind,
            "label": KINDS[kind],
            "act": "mask" if kind in CONTENT else "normalise",
            "total": len(those),
            "unruled": sum(one.ruling is None for one in those),
            "rule": rules.get(kind),
        }
        for kind, those in of_kind.items()
        if those or kind in rules
    ]
    shown = wanted if wanted in KINDS else next((kind["key"] for kind in kinds if kind["unruled"]), "")
    shown = shown or next((kind["key"] for kind in kinds), "")
    those = of_kind.get(str(shown), [])
    return {
        "kinds": kinds,
        "kind": shown,
        "label": KINDS.get(str(shown), ""),
        "leaks": those[:PAGE],
        "total": len(those),
    }


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def plan(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    writing = request.method == "POST"
    roles = [Role.COORDINATOR] if writing else ITEM_READERS
    seat = take_seat(request.user, slug, *roles, writing=writing)
    found = find_study(seat, pk)
    if writing:
        try:
            planning.plan_study(found, by=request.user)
        except Refusal as refusal:
            return plan_page(request, seat, found, refusal)
        messages.success(request, "The sheets are made.")
        return redirect("study:plan", slug, pk)
    return plan_page(request, seat, found)


def plan_page(request: AuthedRequest, seat: Seat, found: Study, refusal: Refusal | None = None) -> HttpResponse:
    sheets = list(found.sheets.all())
    main = [sheet for sheet in sheets if sheet.stage == Stage.MAIN]
    pilots = [sheet for sheet in sheets if sheet.stage == Stage.PILOT]
    regular = [sheet for sheet in main if sheet.replaces is None]
    wanted = read_design(found.design)
    context = {
        "seat": seat,
        "study": found,
        "design": wanted,
        "simulation": simulator_query(wanted),
        "rows": [*planning.sheet_rows(main), *planning.sheet_rows(pilots)],
        "balance": planning.balance_of(found, regular),
        "strata": planning.strata_rows(found, wanted) if wanted.stratified else (),
    }
    return shown(request, "study/plan.html", context, refusal)


@login_required
@require_safe
def frozen_plan(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """All that was frozen. It tells the origins, and so waits until the study is unblinded."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    content = freezing.read_frozen(find_study(seat, pk))
    response = JsonResponse(content, json_dumps_params={"indent": 1, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="study-{pk}.json"'
    return response


@login_required
@require_POST
def change(request: AuthedRequest, slug: str, pk: int, act: str) -> HttpResponse:
    """One act in the life of the study. Those that cannot be undone ask for its name."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    found = find_study(seat, pk)
    try:
        if act in NAMED and request.POST.get("name", "").strip() != found.name:
            raise Invalid(f"To {act} it, type the name of the study as it stands: {found.name}")
        changed = ACTS[act](found, request)
    except Refusal as refusal:
        return study_page(request, seat, find_study(seat, pk), refusal)
    return redirect("study:study", slug, changed.pk)


def note_deviation(found: Study, request: AuthedRequest) -> Study:
    return freezing.note_deviation(found, request.POST.get("what", ""), by=request.user)


def copy(found: Study, request: AuthedRequest) -> Study:
    return loading.copy_study(found, name=request.POST.get("as", ""), by=request.user)


NAMED = {"freeze", "close", "unblind"}
ACTS: dict[str, Callable[[Study, AuthedRequest], Study]] = {
    "pilot": lambda found, request: freezing.start_pilot(found, by=request.user),
    "freeze": lambda found, request: freezing.freeze_study(found, by=request.user),
    "open": lambda found, request: freezing.open_study(found, by=request.user),
    "close": lambda found, request: freezing.close_study(found, by=request.user),
    "unblind": lambda found, request: freezing.unblind_study(found, by=request.user),
    "deviation": note_deviation,
    "copy": copy,
}


def find_study(seat: Seat, pk: int) -> Study:
    people = ("created_by", "frozen_by", "unblinded_by")
    return get_object_or_404(seat.project.studies.select_related("project", *people), pk=pk)


def shown(request: AuthedRequest, template: str, context: dict[str, Any], refusal: Refusal | None) -> HttpResponse:
    """A page of the study; after an act that was refused, the same page with the reason on it."""
    error = {"error": in_words(refusal)} if refusal else {}
    return render(request, template, {**context, **error}, status=refusal.status if refusal else 200)


def filled(request: AuthedRequest, template: str, context: dict[str, Any], form: Any) -> HttpResponse:
    return render(request, template, context, status=422 if form.is_bound else 200)
