"""The queue of cases, settling many alike at once, and the way into a meeting."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from labeling.consensus.bulk import confirm_alike, read_chosen, same_proposals
from labeling.consensus.listing import STATES, WHO, Filters, choices, narrowed, page_of
from labeling.consensus.models import Case
from labeling.consensus.routing import route_project
from labeling.consensus.showing import answers_in_words, decided_in_words
from labeling.digits import whole_number
from labeling.people.access import AuthedRequest, take_seat
from labeling.people.models import Role

AGES = {1: "a day", 7: "a week", 30: "a month"}


@login_required
@require_safe
def cases(request: AuthedRequest, slug: str) -> HttpResponse:
    """What waits, brought up to date with the votes."""
    seat = take_seat(request.user, slug)
    is_behind = route_project(seat.project, by=request.user)
    filters = Filters.read(request.GET.dict())
    page = page_of(seat, filters, after=whole_number(request.GET.get("after", "")) or 0)
    rounds = list(seat.project.rounds.exclude(state="planning").select_related("protocol"))
    context = {
        "seat": seat,
        "filters": filters,
        "query": filters.address(),
        "asked": filters.asked,
        "page": page,
        "rows": [row(case, request.user.pk) for case in page.cases],
        "states": STATES,
        "who": WHO,
        "ages": AGES,
        "rounds": rounds,
        "questions": list({q.key: q for r in rounds for q in r.protocol.codebook.questions}.values()),
        "choices": choices(seat, filters),
        "is_behind": is_behind,
        "after": request.GET.get("after", ""),
    }
    return render(request, "consensus/cases.html", context)


def row(case: Case, user: int) -> dict[str, Any]:
    """A case as a line of the queue."""
    codebook = case.round.protocol.codebook
    standing = vars(case)["standing"]
    return {
        "case": case,
        "item": case.round_item.item,
        "proposals": [answers_in_words(codebook, proposal.answers) for proposal in standing],
        "confirmed": any(one.user_id == user for proposal in standing for one in proposal.confirmations.all()),
        "decided": decided_in_words(case, case.decision.answers, rejected=case.decision.rejected)
        if case.decision
        else "",
    }


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def bulk(request: AuthedRequest, slug: str) -> HttpResponse:
    """Proposals that are the same in many cases, and the page on which one confirms them together."""
    seat = take_seat(request.user, slug, Role.ANNOTATOR, writing=request.method == "POST")
    if request.method == "POST":
        done = confirm_alike(seat, read_chosen(request.POST.getlist("case")))
        if done.confirmed:
            messages.success(request, f"You confirmed the proposals of {done.confirmed} cases.")
        for title, why in done.refused:
            messages.error(request, f"{title}: {why}")
        return redirect("consensus:cases", slug)
    groups = same_proposals(seat)
    chosen = next((group for group in groups if group.digest == request.GET.get("answers")), None)
    return render(request, "consensus/bulk.html", {"seat": seat, "groups": groups, "chosen": chosen})


@login_required
@require_safe
def start_meeting(request: AuthedRequest, slug: str) -> HttpResponse:
    """To the first case of the queue, on one large screen."""
    seat = take_seat(request.user, slug)
    route_project(seat.project, by=request.user)
    filters = Filters.read(request.GET.dict())
    first = narrowed(seat, filters).values_list("pk", flat=True).first()
    if first is None:
        messages.info(request, "No case fits, so there is nothing to meet about.")
        return redirect(f"{reverse('consensus:cases', args=[slug])}{filters.asked}")
    return redirect(f"{reverse('consensus:meeting', args=[slug, first])}{filters.asked}")
