"""The page where a coordinator attacks the blinding of their own study."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.jobs.views import loaded_anew
from labeling.people.access import AuthedRequest, take_seat
from labeling.people.models import Role
from labeling.study.blindness import ALARM
from labeling.study.blindness.working import last_report, latest_attack, start_attack
from labeling.study.fieldwork.views import find_study


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def attack(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """What was tried and found the last time; a POST tries again."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=request.method == "POST")
    study = find_study(seat, pk)
    if request.method == "POST":
        start_attack(study, by=request.user)
        return redirect("blindness:attack", slug, pk)
    job, done = latest_attack(study), last_report(study)
    report = done.result["report"] if done else None
    context = {"seat": seat, "study": study, "job": job, "done": done, "report": report, "alarm": ALARM}
    response = render(request, "study/blindness/attack.html", context)
    return loaded_anew(response) if request.htmx and job and not job.is_active else response
