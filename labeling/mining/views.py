"""Mining of a project: its sources, how far it is, and what failed."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from labeling.corpus.models import Upload
from labeling.jobs.views import loaded_anew
from labeling.mining.collecting import retry_failed, start_mining
from labeling.mining.forms import GitHubForm, MiningForm, find_clone
from labeling.mining.funnel import funnel_rows
from labeling.mining.models import Stage
from labeling.people.access import AuthedRequest, Seat, take_seat
from labeling.people.models import Role

SHOWN_FAILED = 50


@login_required
@require_safe
def mining(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    return mining_page(request, seat, MiningForm())


@login_required
@require_POST
def start(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    form = MiningForm(request.POST, request.FILES)
    if not form.is_valid():
        return mining_page(request, seat, form, status=422)
    file = form.cleaned_data["reviews"]
    upload = Upload.objects.create(project=seat.project, name=file.name[-200:], file=file, uploaded_by=request.user)
    clone = find_clone(form.cleaned_data["repository"])
    start_mining(seat.project, by=request.user, git=str(clone), reviews=upload.file.path)
    return redirect("mining:mining", slug)


@login_required
@require_POST
def start_github(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    form = GitHubForm(request.POST)
    if not form.is_valid():
        return mining_page(request, seat, MiningForm(), github_form=form, status=422)
    start_mining(seat.project, by=request.user, **form.source())
    return redirect("mining:mining", slug)


@login_required
@require_POST
def retry(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    count = retry_failed(seat.project)
    messages.success(request, f"{count} pull requests wait again. Start the mining once more to look into them.")
    return redirect("mining:mining", slug)


def mining_page(
    request: AuthedRequest, seat: Seat, form: MiningForm, *, github_form: GitHubForm | None = None, status: int = 200
) -> HttpResponse:
    changes = seat.project.mined_changes
    jobs = list(seat.project.jobs.filter(kind="mine")[:5])
    context = {
        "seat": seat,
        "form": form,
        "github_form": github_form or GitHubForm(),
        "has_token": bool(settings.GITHUB_TOKEN),
        "rows": funnel_rows(changes.all().funnel()),
        "jobs": jobs,
        "active": any(job.is_active for job in jobs),
        "waiting": changes.filter(stage=Stage.WAITING).count(),
        "failed": changes.filter(stage=Stage.FAILED)[:SHOWN_FAILED],
    }
    response = render(request, "mining/mining.html", context, status=status)
    return loaded_anew(response) if request.htmx and not context["active"] else response
