"""The page where annotators live: the next item, the vote, and the ways around it."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any
from uuid import uuid4

from django.contrib.auth.decorators import login_required
from django.core.signing import Signer
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.annotation.judging import voting
from labeling.annotation.judging.addresses import public_number
from labeling.annotation.judging.claiming import last_vote_before, next_in_project
from labeling.annotation.judging.drafting import save_draft
from labeling.annotation.judging.forms import read_ballot, read_draft, whole
from labeling.annotation.judging.picking import has_another
from labeling.annotation.judging.progress import progress_of
from labeling.annotation.models import Assignment, Draft
from labeling.annotation.protocols.keys import keys_of, labels
from labeling.annotation.rounds.mine import my_rounds
from labeling.people.access import AuthedRequest, Seat, take_seat
from labeling.people.models import Role, User
from labeling.refusals import Invalid, Refusal

YEAR = 365 * 24 * 3600


@login_required
@require_safe
def work(request: AuthedRequest, slug: str) -> HttpResponse:
    """What a person has before and behind them in this project."""
    seat = take_seat(request.user, slug, Role.ANNOTATOR)
    rounds = my_rounds(seat.user, seat.project)
    context = {"seat": seat, "rounds": rounds, "has_more": any(mine.left for mine in rounds)}
    return render(request, "annotation/work.html", context)


@login_required
@require_safe
def judge(request: AuthedRequest, slug: str) -> HttpResponse:
    """The next item of the round asked for, else of the oldest round that has one for this person."""
    seat = take_seat(request.user, slug, Role.ANNOTATOR, writing=True)
    found = next_for(seat, round_id=whole(request.GET, "round"))
    if found is None:
        return render(request, "annotation/done.html", {"seat": seat})
    return redirect("annotation:assignment", slug, found.pk)


def next_for(seat: Seat, *, round_id: int, holding: Collection[int] = ()) -> Assignment | None:
    """People stay in the round they are in, as long as it has something for them."""
    slug = seat.project.slug
    found = next_in_project(seat.user, slug, round_id=round_id, holding=holding) if round_id else None
    found = found or next_in_project(seat.user, slug, holding=holding)
    return found[1] if found else None


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignment(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """One item before the person who has it, and their vote on it."""
    seat = take_seat(request.user, slug, Role.ANNOTATOR, writing=request.method == "POST")
    if request.method == "POST":
        keep_what_was_lost(request, pk)
    found = own_assignment(seat, pk)
    if request.method != "POST":
        return judging_page(request, seat, found) if "diff" not in request.GET else other_diff(request)
    try:
        ballot = read_ballot(found.round.protocol.codebook, request.POST)
        vote = voting.cast_vote(seat.user, pk, ballot)
    except Refusal as refusal:
        keep_draft(request, found)
        if wants_json(request):
            return JsonResponse({"error": in_words(refusal)}, status=refusal.status)
        found = own_assignment(seat, pk)
        return judging_page(request, seat, found, error=in_words(refusal), status=refusal.status)
    if wants_json(request):
        return JsonResponse({"vote": vote.pk, "revision": vote.revision})
    return redirect(f"{reverse('annotation:judge', args=[slug])}?round={found.round_id}")


@login_required
@require_safe
def ahead(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """The item after this one, for a page that fetches it while its reader still judges."""
    seat = take_seat(request.user, slug, Role.ANNOTATOR, writing=True)
    here = own_assignment(seat, pk)
    found = next_for(seat, round_id=here.round_id, holding=[pk])
    if found is None:
        return HttpResponse(status=204)
    context = judging_context(seat, own_assignment(seat, found.pk))
    if here.vote is None and here.round_id == found.round_id:
        context["progress"] = context["progress"].after_one()
    return render(request, "annotation/judging.html", {"seat": seat, **context})


@login_required
@require_POST
def draft(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.ANNOTATOR, writing=True)
    found = own_assignment(seat, pk)
    save_draft(seat.user, pk, read_draft(found.round.protocol.codebook, request.POST))
    return HttpResponse(status=204)


@login_required
@require_POST
def skip(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.ANNOTATOR, writing=True)
    own_assignment(seat, pk)
    try:
        voting.skip(seat.user, pk, reason=request.POST.get("reason", ""))
    except Invalid as refusal:
        return judging_page(request, seat, own_assignment(seat, pk), error=str(refusal), status=refusal.status)
    return redirect("annotation:judge", slug)


@login_required
@require_safe
def back(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """To the item that this person voted on before this one."""
    seat = take_seat(request.user, slug, Role.ANNOTATOR)
    found = own_assignment(seat, pk)
    vote = last_vote_before(found.rater, found) if found.rater else None
    return redirect("annotation:assignment", slug, vote.assignment_id if vote else pk)


@login_required
@require_safe
def surroundings(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """The class around the method: often long, so it comes only when somebody asks."""
    seat = take_seat(request.user, slug, Role.ANNOTATOR)
    found = own_assignment(seat, pk)
    content = found.round_item.item.content
    return render(request, "corpus/surroundings.html", {"seat": seat, "content": content})


def other_diff(request: AuthedRequest) -> HttpResponse:
    """Side by side or one below the other, from now on: for those without JavaScript."""
    response = redirect(request.path)
    split = request.COOKIES.get("diff") == "split"
    response.set_cookie("diff", "unified" if split else "split", max_age=YEAR, samesite="Lax")
    return response


def own_assignment(seat: Seat, pk: int) -> Assignment:
    """An assignment of this person in this project, whatever its state; 404 for anybody else's."""
    chain = ("round__protocol__protocol", "round_item__item", "rater", "vote")
    mine = Assignment.objects.select_related(*chain).filter(round__project=seat.project, round__raters__user=seat.user)
    found = get_object_or_404(mine, pk=pk)
    if found.rater is not None and found.rater.user_id == seat.user.pk:
        return found
    if not Draft.objects.filter(rater__user=seat.user, round_item=found.round_item, repeat=found.repeat).exists():
        return get_object_or_404(mine.none())
    raise Refusal("Your hold on this item ran out, and somebody else may have it now. What you wrote is kept.")


def shown_to(user: User, pk: int) -> str:
    """Proof that this person had the assignment before them; their words are kept even when they lost it since."""
    return Signer(salt="judging").signature(f"{user.pk}:{pk}")


def keep_what_was_lost(request: AuthedRequest, pk: int) -> None:
    """When the slot went to somebody else while this person wrote, what they wrote becomes their draft."""
    lost = Assignment.objects.select_related("round__protocol").filter(pk=pk).exclude(rater__user=request.user).first()
    if lost and constant_time_compare(request.POST.get("shown", ""), shown_to(request.user, pk)):
        words = read_draft(lost.round.protocol.codebook, request.POST)
        save_draft(request.user, pk, words, was_shown=True)


def in_words(refusal: Refusal) -> str:
    """Without the name of the field: the sentence has the question itself."""
    return re.sub(r"^answers\.\w+: ", "", str(refusal))


def keep_draft(request: AuthedRequest, found: Assignment) -> None:
    """What was refused is not lost."""
    try:
        save_draft(request.user, found.pk, read_draft(found.round.protocol.codebook, request.POST))
    except Refusal:
        return  # it is refused for what would make it unfit as a draft too


def wants_json(request: AuthedRequest) -> bool:
    return request.headers.get("Accept", "") == "application/json"


def judging_page(
    request: AuthedRequest, seat: Seat, found: Assignment, *, error: str = "", status: int = 200
) -> HttpResponse:
    context = {"seat": seat, "error": error, **judging_context(seat, found)}
    names = labels(found.round.protocol.codebook)
    context["key_labels"] = [(names[name], key) for name, key in context["keys"].items()]
    return render(request, "annotation/judge.html", context, status=status)


def judging_context(seat: Seat, found: Assignment) -> dict[str, Any]:
    rater = found.rater
    assert rater is not None  # noqa: S101 (own_assignment has seen to it)
    item, version = found.round_item.item, found.round.protocol
    kept = Draft.objects.filter(rater=rater, round_item=found.round_item, repeat=found.repeat).first()
    words = kept.content if kept else {}
    if found.vote and not kept:
        words = {name: getattr(found.vote, name) for name in ("answers", "note", "flag", "picked")}
    slug, content = seat.project.slug, item.content
    return {
        "assignment": found,
        "item": item,
        "content": content,
        "kind_template": f"corpus/kinds/{item.kind}.html",
        "class_url": reverse("annotation:surroundings", args=[slug, found.pk]),
        "version": version,
        "codebook": version.codebook,
        "answers": words.get("answers", {}),
        "note": words.get("note", ""),
        "flag": words.get("flag", ""),
        "picks": has_another(content),
        "picked": words.get("picked"),
        "ballot_form": "ballot",
        "timing": words.get("timing", {}),
        "keys": keys_of(seat.user, version),
        "submission": uuid4(),
        "public_number": public_number(found.pk),
        "shown": shown_to(seat.user, found.pk),
        "revises": found.vote.revision if found.vote else 0,
        "may_revise": found.vote is None or voting.may_revise(found),
        "progress": progress_of(found.round, rater),
    }
