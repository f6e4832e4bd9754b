"""Rounds of a project: the list, a new one, how one gets on, and changes while people work in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.annotation.judging.forms import whole
from labeling.annotation.models import Rater, Round, RoundState
from labeling.annotation.rounds import changing
from labeling.annotation.rounds.forms import RoundForm
from labeling.annotation.rounds.listing import STATES, hide_flags, items_by_state
from labeling.annotation.rounds.monitoring import reminder_text, round_status, veiled
from labeling.annotation.rounds.planning import create_round
from labeling.corpus.models import Project
from labeling.digits import whole_number
from labeling.jobs.views import loaded_anew
from labeling.people.access import AuthedRequest, Seat, take_seat
from labeling.people.models import Role, User
from labeling.refusals import Refusal


@login_required
@require_safe
def rounds(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    found = seat.project.rounds.select_related("protocol__protocol").prefetch_related("raters")
    return render(request, "annotation/rounds.html", {"seat": seat, "rounds": found})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_round(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    form = RoundForm(request.POST or None, request.FILES or None, project=seat.project)
    if form.is_bound and form.is_valid():
        try:
            made, _ = create_round(seat.project, form.design(), by=request.user)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect("annotation:round", slug, made.pk)
    return render(
        request, "annotation/new_round.html", {"seat": seat, "form": form}, status=422 if form.is_bound else 200
    )


@login_required
@require_safe
def round_page(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """The monitor: progress, pace, and what waits; never a vote on an open item."""
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    found = find_round(seat, pk)
    members = annotators_of(seat.project)
    context = {
        "seat": seat,
        "round": found,
        "status": veiled(round_status(found), found, to=request.user),
        "active": found.raters.active().count(),
        "newest": found.protocol.protocol.latest,
        "outsiders": members.exclude(pk__in=found.raters.active().values("user")).order_by("name"),
    }
    context["can_change"] = found.is_open and not seat.project.archived_at and has_changes(found, context)
    response = render(request, "annotation/round.html", context)
    return loaded_anew(response) if request.htmx and found.state != RoundState.PLANNING else response


def has_changes(round: Round, context: Mapping[str, Any]) -> bool:
    """Whether anything about the round can be changed now."""
    has_version = context["newest"].pk != round.protocol_id or context["status"]["stale_votes"]
    wants_more = round.votes_wanted is not None and round.votes_wanted < context["active"]
    return bool(has_version or wants_more or context["outsiders"])


@login_required
@require_safe
def round_items(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """The items of a round by how far they are."""
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    found = find_round(seat, pk)
    state, after = request.GET.get("state", STATES[0]), request.GET.get("after", "")
    page = items_by_state(found, state, after=whole_number(after) or 0)
    hide_flags(page.items, found, from_=request.user)
    context = {"seat": seat, "round": found, "state": state, "states": STATES, "page": page}
    return render(request, "annotation/round_items.html", context)


@login_required
@require_safe
def reminder(request: AuthedRequest, slug: str, pk: int, rater_pk: int) -> HttpResponse:
    """A text to copy into a message to one annotator."""
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    found = find_round(seat, pk)
    rater = get_object_or_404(found.raters.select_related("user", "round__project"), pk=rater_pk)
    context = {"seat": seat, "round": found, "rater": rater, "text": reminder_text(rater)}
    return render(request, "annotation/reminder.html", context)


@login_required
@require_POST
def change(request: AuthedRequest, slug: str, pk: int, act: str) -> HttpResponse:
    """One change to the round; what it needs besides comes with the form."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    found = find_round(seat, pk)
    ACTS[act](found, request)
    return redirect("annotation:round", slug, pk)


def find_round(seat: Seat, pk: int) -> Round:
    return get_object_or_404(seat.project.rounds.select_related("project", "protocol__protocol"), pk=pk)


def annotators_of(project: Project) -> QuerySet[User]:
    return User.objects.filter(memberships__project=project, memberships__role=Role.ANNOTATOR)


def let_in(found: Round, request: AuthedRequest) -> None:
    user = get_object_or_404(annotators_of(found.project), pk=number(request, "user"))
    changing.add_rater(found, user, by=request.user)
    messages.success(request, f"{user} takes part now.")


def take_out(found: Round, request: AuthedRequest) -> None:
    rater = find_rater(found, request)
    changing.remove_rater(found, rater, by=request.user)
    messages.success(request, f"{rater} takes no more part. Every vote of theirs stays.")


def give_back(found: Round, request: AuthedRequest) -> None:
    rater = find_rater(found, request)
    count = changing.return_open_items(found, rater, by=request.user)
    messages.success(request, f"{count} {'item' if count == 1 else 'items'} of {rater} are in the pool again.")


def more_votes(found: Round, request: AuthedRequest) -> None:
    changing.top_up(found, number(request, "votes"), by=request.user)


def newest_version(found: Round, request: AuthedRequest) -> None:
    changing.use_version(found, found.protocol.protocol.latest, by=request.user)


def again(found: Round, request: AuthedRequest) -> None:
    count = changing.ask_again(found, by=request.user)
    messages.success(request, f"{count} stale {'vote is' if count == 1 else 'votes are'} asked for again.")


def close(found: Round, request: AuthedRequest) -> None:
    changing.close_round(found, by=request.user)


def reopen(found: Round, request: AuthedRequest) -> None:
    changing.reopen_round(found, by=request.user)


ACTS: dict[str, Callable[[Round, AuthedRequest], None]] = {
    "let-in": let_in,
    "take-out": take_out,
    "return": give_back,
    "top-up": more_votes,
    "version": newest_version,
    "ask-again": again,
    "close": close,
    "reopen": reopen,
}


def find_rater(found: Round, request: AuthedRequest) -> Rater:
    return get_object_or_404(found.raters.select_related("user"), pk=number(request, "rater"))


def number(request: AuthedRequest, name: str) -> int:
    return whole(request.POST, name)
