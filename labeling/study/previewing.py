"""The study as a participant will see it, from the same texts and templates. Nothing is stored, and no origin read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling.digits import whole_number
from labeling.people.access import AuthedRequest, take_seat
from labeling.people.models import Role
from labeling.study.forms import latest_texts
from labeling.study.models import Method, Name, Study
from labeling.study.taking.showing import ShownLine, ShownPage, shown_consent, shown_practice, shown_text
from labeling.study.texts import Texts
from labeling.study.views import find_study

WITHOUT_PLAN = 20  # methods that are shown before there are sheets
Plan = Sequence[tuple[int, Sequence[int]]]
LABELS = {
    "consent": "Consent",
    "background": "About you",
    "instructions": "Instructions",
    "practice": "Practice",
    "method": "Methods",
    "end": "The end",
}


@login_required
@require_safe
def preview(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    found = find_study(seat, pk)
    texts = latest_texts(found)
    parts = parts_of(texts)
    part = request.GET.get("part", "")
    part = part if part in parts else parts[0]
    context = {
        "seat": seat,
        "study": found,
        "texts": texts,
        "text": shown_text(texts),
        "part": part,
        "parts": [(key, LABELS[key]) for key in parts],
        **shown_part(found, texts, part, request),
    }
    return render(request, "study/preview.html", context)


def parts_of(texts: Texts) -> list[str]:
    absent = {"background": not texts.background, "practice": texts.practice is None}
    return [part for part in LABELS if not absent.get(part)]


def shown_part(study: Study, texts: Texts, part: str, request: AuthedRequest) -> dict[str, Any]:
    if part == "consent":
        return shown_consent(texts, study.texts.count())
    if part == "background":
        return {"codebook": texts.background_form, "answers": {}, "keys": {}}
    if part == "practice" and texts.practice:
        return {"page": shown_practice(texts.practice)}
    if part == "method":
        return shown_method(study, number_in(request, "sheet"), number_in(request, "page"))
    return {}


def number_in(request: AuthedRequest, name: str) -> int:
    found = whole_number(request.GET.get(name, ""))
    return 1 if found is None else found


def shown_method(study: Study, sheet: int, number: int) -> dict[str, Any]:
    """One page of a sheet; nothing when the study has no material."""
    plan = plan_of(study, sheet)
    if not plan:
        return {"page": None}
    number = min(max(number, 1), len(plan))
    method, names = plan[number - 1]
    shown = dict(Name.objects.filter(pk__in=names).values_list("pk", "shown"))
    lines = [ShownLine(f"preview-{place}", shown[name]) for place, name in enumerate(names, start=1)]
    body = Method.objects.get(pk=method).shown
    page = ShownPage("preview", number, len(plan), number - 1, body, lines)
    return {"page": page, "sheet": sheet, "sheets": study.sheets.filter(stage="main").count()}


def plan_of(study: Study, sheet: int) -> Plan:
    """The methods and names of a sheet of the study; before there is one, the first methods with names as stored."""
    found = study.sheets.filter(stage="main", number=sheet).first() or study.sheets.filter(stage="main").first()
    if found:
        return [(method, names) for method, names in found.plan]
    methods = study.methods.filter(names__isnull=False).distinct().order_by("pk")[:WITHOUT_PLAN]
    prefetched = methods.prefetch_related("names")
    return [(method.pk, [name.pk for name in method.names.all()]) for method in prefetched]
