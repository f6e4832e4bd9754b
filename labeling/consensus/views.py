"""A case: what was judged, how the votes differ, what people say about it, and the ways to settle it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.annotation.judging.views import other_diff
from labeling.annotation.protocols.answers import answers_in_form
from labeling.consensus import showing
from labeling.consensus.access import Part, find_message, find_part
from labeling.consensus.acts import ACTS
from labeling.consensus.dealing import adjudicators
from labeling.consensus.guidance import sections_in_question
from labeling.consensus.listing import Filters, neighbours
from labeling.consensus.similar import similar_cases
from labeling.consensus.sittings import record_sitting
from labeling.consensus.talking import edit_message, mark_seen
from labeling.digits import whole_number
from labeling.people.access import AuthedRequest, Seat, require_current, take_seat
from labeling.people.models import User
from labeling.refusals import Refusal

WORDS = {
    "because": "Because",
    "rationale": "Rationale",
    "unclear": "The guideline is unclear here",
    "body": "Message",
    "reason": "Open it again, because",
}
KEPT = (*WORDS, "rejected", "submission")


@login_required
@require_safe
def case(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    part = find_part(take_seat(request.user, slug), pk)
    if "diff" in request.GET:
        return other_diff(request)
    if not part.seat.project.archived_at:
        mark_seen(request.user, part.case)
    return case_page(request, part)


@login_required
@require_safe
def meeting(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """The same, large and alone on the screen, for a group in a call."""
    part = find_part(take_seat(request.user, slug), pk)
    if "diff" in request.GET:
        return other_diff(request)
    return case_page(request, part, template="consensus/meeting.html")


@login_required
@require_safe
def live(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """What others did since; nothing when they did nothing."""
    part = find_part(take_seat(request.user, slug), pk)
    if whole_number(request.GET.get("seen", "")) == part.case.version:
        return HttpResponse(status=204)
    mark_seen(request.user, part.case)
    votes = showing.shown_votes(part)
    context = {"seat": part.seat, "part": part, "is_later": True, **votes_context(part, votes)}
    return render(request, "consensus/live.html", {**context, **live_context(part, votes)})


@login_required
@require_POST
def act(request: AuthedRequest, slug: str, pk: int, act: str) -> HttpResponse:
    """One act; when it is refused, the page comes back with the reason and with all that was typed."""
    seat = take_seat(request.user, slug)
    in_meeting = request.POST.get("from") == "meeting"
    try:
        part, refusal = attempt(seat, pk, ACTS[act], request.POST)
    except Http404:
        return gone_page(request, seat)
    if refusal:
        template = "consensus/meeting.html" if in_meeting else "consensus/case.html"
        return case_page(request, part, template=template, act=act, refusal=refusal)
    here = reverse("consensus:meeting" if in_meeting else "consensus:case", args=[slug, pk])
    return redirect(f"{here}{Filters.read(request.GET.dict()).asked}#live")


def attempt(
    seat: Seat, pk: int, act: Callable[[Part, QueryDict], None], data: QueryDict
) -> tuple[Part, Refusal | None]:
    """Does it, or says why not with the case as it is then."""
    part = find_part(seat, pk)
    try:
        require_current(seat.project)
        act(part, data)
    except Refusal as refusal:
        return find_part(seat, pk), refusal
    return part, None


def gone_page(request: AuthedRequest, seat: Seat) -> HttpResponse:
    """404 with what was typed: the case may have been this person's until a moment ago."""
    unsent = words_in(request.POST)
    if not unsent:
        raise Http404
    return render(request, "consensus/gone.html", {"seat": seat, "unsent": unsent}, status=404)


def words_in(data: QueryDict) -> dict[str, str]:
    return {label: words for name, label in WORDS.items() if (words := data.get(name, "")).strip()}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def message(request: AuthedRequest, slug: str, pk: int, message_pk: int) -> HttpResponse:
    """All that a message said; its author can say it otherwise."""
    seat = take_seat(request.user, slug)
    try:
        part = find_part(seat, pk)
    except Http404:
        return gone_page(request, seat)
    found = find_message(part, message_pk)
    context: dict[str, Any] = {"seat": seat, "part": part, "case": part.case, "message": found}
    status = 200
    if request.method == "POST":
        body = request.POST.get("body", "")
        try:
            require_current(seat.project)
            edit_message(
                request.user, message_pk, body=body, revision=whole_number(request.POST.get("revision", "")) or 0
            )
        except Refusal as refusal:
            status = refusal.status
            context |= {"error": str(refusal), "typed": body, "theirs": getattr(refusal, "theirs", None)}
        else:
            return redirect(f"{reverse('consensus:case', args=[slug, pk])}#message-{message_pk}")
    texts = list(found.texts.order_by("revision"))
    context |= {"texts": texts, "latest": texts[-1], "author": part.names.of(found.author)}
    context["mine"] = found.author_id == request.user.pk and part.may_talk
    context["unsent"] = {} if context["mine"] else words_in(request.POST)
    return render(request, "consensus/message.html", context, status=status)


@login_required
@require_POST
def sitting(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    part = find_part(take_seat(request.user, slug, writing=True), pk)
    record_sitting(part, request.POST)
    return HttpResponse(status=204)


@login_required
@require_safe
def surroundings(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """The class around the method."""
    part = find_part(take_seat(request.user, slug), pk)
    content = part.case.round_item.item.content
    return render(request, "corpus/surroundings.html", {"seat": part.seat, "content": content})


def case_page(
    request: AuthedRequest,
    part: Part,
    *,
    template: str = "consensus/case.html",
    act: str = "",
    refusal: Refusal | None = None,
) -> HttpResponse:
    filters = Filters.read(request.GET.dict())
    previous, following = neighbours(part.seat, filters, part.case)
    votes = showing.shown_votes(part)
    context = {
        "seat": part.seat,
        "part": part,
        "query": filters.address(),
        "asked": filters.asked,
        "previous": previous,
        "next": following,
        "act": act,
        "refusal": refusal,
        "keys": {},  # the protocol's own keys would be in the way of the page's
        **case_context(part, votes),
        **typed(request, part, votes, act=act),
    }
    return render(request, template, context, status=refusal.status if refusal else 200)


def case_context(part: Part, votes: Sequence[showing.ShownVote]) -> dict[str, Any]:
    case, slug = part.case, part.seat.project.slug
    codebook = case.round.protocol.codebook
    item = case.round_item.item
    answers = [one.vote.answers for one in votes]
    return {
        "item": item,
        "content": item.content,
        "kind_template": f"corpus/kinds/{item.kind}.html",
        "class_url": reverse("consensus:surroundings", args=[slug, case.pk]),
        "version": case.round.protocol,
        "codebook": codebook,
        "sections": sections_in_question(codebook, answers, case.questions),
        "similar": [
            {
                "similar": one,
                "words": showing.decided_in_words(
                    one.case, one.case.decision.answers, rejected=one.case.decision.rejected
                ),
            }
            for one in similar_cases(part.seat, case)
            if one.case.decision
        ],
        "people": people_to_hand_to(part) if part.is_coordinator and part.is_open else [],
        **votes_context(part, votes),
        **live_context(part, votes),
    }


def votes_context(part: Part, votes: Sequence[showing.ShownVote]) -> dict[str, Any]:
    questions = showing.shown_questions(part, votes)
    return {"votes": votes, "questions": questions, "picked": showing.shown_picks(votes)}


def live_context(part: Part, votes: Sequence[showing.ShownVote]) -> dict[str, Any]:
    voters = [part.names.raters[one.vote.rater_id] for one in votes]
    proposals = showing.shown_proposals(part, voters)
    return {
        "case": part.case,
        "proposals": proposals,
        "is_proposed": any(one.is_standing for one in proposals),  # to confirm it is what people come for
        "said": showing.shown_messages(part),
        "events": showing.shown_events(part),
        "decisions": showing.shown_decisions(part),
    }


def people_to_hand_to(part: Part) -> list[User]:
    able = User.objects.filter(pk__in=list(adjudicators(part.seat.project.pk)))
    return list(able.exclude(pk__in=part.names.letters).order_by("name", "pk"))


def forms_on_page(part: Part) -> set[str]:
    """The acts that this person can still do; what was typed for another one has no form to stand in."""
    possible = {
        "say": part.may_talk,
        "propose": part.may_propose,
        "decide": part.may_decide,
        "enter": part.may_enter,
        "reopen": part.may_reopen,
    }
    return {act for act, is_possible in possible.items() if is_possible}


def typed(request: AuthedRequest, part: Part, votes: Sequence[showing.ShownVote], *, act: str) -> dict[str, Any]:
    """What stands in the forms: what was typed for an act that was refused, else one's own vote."""
    if act:
        return {
            "typed": {name: request.POST.get(name, "") for name in KEPT},
            "answers": answers_in_form(part.case.round.protocol.codebook, request.POST),
            "present": request.POST.getlist("letters"),
            "unsent": {} if act in forms_on_page(part) else words_in(request.POST),
        }
    mine = [one.vote.answers for one in votes if one.mine]
    return {
        "typed": {"submission": uuid4()},
        "answers": mine[0] if mine and part.may_propose else {},
        "present": [],  # who confirms something says so each time; nobody is taken to
    }
