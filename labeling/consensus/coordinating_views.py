"""The rule of a round, how its disagreements end, and each annotator's look back."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from labeling.annotation.models import Round
from labeling.consensus import looking_back, movement
from labeling.consensus.models import OTHERS, WAYS
from labeling.consensus.routing import route_project, rule_of, set_rule
from labeling.consensus.summing import summary_of
from labeling.digits import whole_number
from labeling.people.access import AuthedRequest, take_seat
from labeling.people.models import Role


class RuleForm(forms.Form):
    """How a round's disagreements end."""

    way = forms.ChoiceField(label="When the votes differ", choices=WAYS, widget=forms.RadioSelect)
    others = forms.ChoiceField(
        label="When they agree on the deciding question and differ on others", choices=OTHERS, widget=forms.RadioSelect
    )
    names_shown = forms.BooleanField(
        label="Show the names of the voters in cases; else they are Rater A, B, C", required=False
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def rule(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=request.method == "POST")
    round = get_object_or_404(seat.project.rounds.select_related("project", "protocol"), pk=pk)
    if request.method == "POST":
        form = RuleForm(request.POST)
        if form.is_valid():
            set_rule(round, **form.cleaned_data, by=request.user)
            messages.success(request, "Outcomes follow this rule from now on. What people decided stays.")
            return redirect("consensus:rule", slug, pk)
    else:
        found = rule_of(round)
        form = RuleForm(initial={"way": found.way, "others": found.others, "names_shown": found.names_shown})
    context = {"seat": seat, "round": round, "form": form, "deciding": round.protocol.codebook.questions[0]}
    return render(request, "consensus/rule.html", context, status=422 if form.is_bound else 200)


@login_required
@require_safe
def overview(request: AuthedRequest, slug: str) -> HttpResponse:
    """How the disagreements of a round end."""
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    is_behind = route_project(seat.project, by=request.user)
    rounds = list(seat.project.rounds.exclude(state="planning").select_related("project", "protocol__protocol"))
    wanted = whole_number(request.GET.get("round", ""))
    round = next((one for one in rounds if one.pk == wanted), None) or with_cases(rounds)
    context: dict[str, Any] = {"seat": seat, "rounds": rounds, "round": round, "is_behind": is_behind}
    if round:
        found = rule_of(round)
        summary = summary_of(round, found, by=request.user)
        context |= {
            "rule": found,
            "notes": movement.unclear_notes(round),
            "is_summing": summary.on_its_way,
            "has_summary": summary.figures is not None,
            **(summary.figures or {}),
        }
    return render(request, "consensus/overview.html", context)


def with_cases(rounds: list[Round]) -> Round | None:
    """The newest round that has cases, else the newest."""
    return next((round for round in rounds if round.cases.exists()), rounds[0] if rounds else None)


@login_required
@require_safe
def look_back(request: AuthedRequest, slug: str) -> HttpResponse:
    """Where and why the consensus differs from my vote."""
    seat = take_seat(request.user, slug, Role.ANNOTATOR)
    page = looking_back.look_back(seat, after=whole_number(request.GET.get("after", "")) or 0)
    outvoted = looking_back.outvoted(seat, before=whole_number(request.GET.get("before", "")) or 0)
    return render(request, "consensus/look_back.html", {"seat": seat, "page": page, "outvoted": outvoted})
