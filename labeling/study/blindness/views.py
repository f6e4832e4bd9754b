"""The page where a coordinator attacks the blinding of their own study."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from labeling.jobs.views import loaded_anew
from labeling.people.access import AuthedRequest, Seat, take_seat
from labeling.people.models import Role
from labeling.refusals import Refusal
from labeling.study.blindness import ALARM
from labeling.study.blindness.working import last_report, latest_attack, start_attack
from labeling.study.fieldwork.views import find_study
from labeling.study.models import Study
from labeling.study.views import shown


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def attack(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """What was tried and found the last time; a POST tries again."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=request.method == "POST")
    study = find_study(seat, pk)
    if request.method == "POST":
        try:
            start_attack(study, by=request.user)
        except Refusal as refusal:
            return attack_page(request, seat, study, refusal)
        return redirect("blindness:attack", slug, pk)
    return attack_page(request, seat, study)


def attack_page(request: AuthedRequest, seat: Seat, study: Study, refusal: Refusal | None = None) -> HttpResponse:
    job, done = latest_attack(study), last_report(study)
    report = done.result["report"] if done else None
    context = {"seat": seat, "study": study, "job": job, "done": done, "report": report, "alarm": ALARM}
    response = shown(request, "study/blindness/attack.html", context, refusal)
    return loaded_anew(response) if request.htmx and job and not job.is_active else response
