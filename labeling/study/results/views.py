"""The results of a study: one page, its charts, and the files for a paper."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from labeling.agreement.charts import FORMATS, THEMES
from labeling.people.access import ITEM_READERS, AuthedRequest, take_seat
from labeling.people.models import Role
from labeling.refusals import Refusal
from labeling.study.archives import latest_archives
from labeling.study.models import Stage
from labeling.study.results import comments, keeping
from labeling.study.results.charts import CHARTS, charts_there, drawn, edition_of
from labeling.study.results.exporting import start_export
from labeling.study.results.showing import headline, page_context
from labeling.study.views import find_study


@login_required
@require_safe
def results(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """Kept figures; the same template answers the poll that waits for newer ones."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    study = find_study(seat, pk)
    stage = keeping.require_stage(request.GET.get("stage", Stage.MAIN))
    context: dict[str, Any] = {"seat": seat, "study": study, "stage": stage}
    if not keeping.has_begun(study, stage):
        return render(request, "study/results/results.html", context)
    found = keeping.current(study, stage=stage, by=request.user)
    if seat.is_coordinator:
        context |= comments.page_context(study, stage) | {"archives": latest_archives(study, stage)}
    context |= {"current": found, "findings": found.findings, "deviations": study.deviations.select_related("by")}
    if found.findings:
        figures = keeping.shown_figures(study, found.findings)
        context |= page_context(figures) | {
            "headline": headline(figures),
            "charts": charts_there(figures),
            "edition": edition_of(study, found.findings),
            "chart_forms": FORMATS,
        }
    return render(request, "study/results/results.html", context)


@login_required
@require_safe
def chart(request: AuthedRequest, slug: str, pk: int, name: str, form: str) -> HttpResponse:
    """A chart as a picture or a file."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    study = find_study(seat, pk)
    stage = keeping.require_stage(request.GET.get("stage", Stage.MAIN))
    theme = request.GET.get("theme", "light")
    if name not in CHARTS or form not in FORMATS or theme not in THEMES:
        raise Http404
    findings = keeping.kept(study, stage)
    if findings is None:
        raise Refusal("The results are being computed. Come back in a moment.")
    found = drawn(name, study, findings, theme=theme, form=form)
    if found is None:
        raise Http404
    response = HttpResponse(found, content_type=FORMATS[form])
    response["Content-Disposition"] = f'inline; filename="study-{name}.{form}"'
    return response


@login_required
@require_POST
def export(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """Starts the job that writes data, figures, tables and charts to files."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    stage = keeping.require_stage(request.POST.get("stage", Stage.MAIN))
    wanted = bool(request.POST.get("with_comments"))
    job = start_export(find_study(seat, pk), stage=stage, with_comments=wanted, by=request.user)
    return redirect("jobs:job", slug, job.pk)
