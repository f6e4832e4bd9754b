"""The way through a study: link, consent, background, instructions, end, thanks, and the way out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotator.limits import require_patience
from labeling.annotation.protocols.answers import answers_in_form
from labeling.digits import whole_number
from labeling.people.links import public_url
from labeling.refusals import Gone, Invalid, Refusal
from labeling.study.models import Stage, Study
from labeling.study.taking import answering, leaving
from labeling.study.taking.entering import (
    Visit,
    enter_openly,
    find_participant,
    newcomer_secret,
    remember,
)
from labeling.study.taking.frame import answers_to, for_participants, show
from labeling.study.taking.models import Participant, Step
from labeling.study.taking.showing import shown_consent
from labeling.study.taking.starting import free_sheets, latest_texts, require_taking, start
from labeling.study.texts import Texts


@answers_to("GET", "HEAD")
def personal_link(request: HttpRequest, study: Study, token: str) -> HttpResponse:
    """Takes the secret out of the address and into a cookie. Nothing is started or stored."""
    with guessing_slowly(request):
        find_participant(study, token)
    return remember(redirect("taking:home", study.code), study, token)


@answers_to("GET", "HEAD")
def open_link(request: HttpRequest, study: Study, token: str) -> HttpResponse:
    """The same for a link that a recruiting service gave to many, with its own parameters."""
    secret = newcomer_secret(token, request.GET.get("PROLIFIC_PID", ""), request.GET.get("SESSION_ID", ""))
    with guessing_slowly(request):
        enter_openly(study, secret)
    return remember(redirect("taking:home", study.code), study, secret)


@contextmanager
def guessing_slowly(request: HttpRequest) -> Iterator[None]:
    """Links that never were are counted by where they are tried from."""
    try:
        yield
    except Gone:
        require_patience(request, "link")
        raise


@for_participants("GET", "HEAD")
def home(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Where the participant is; before the start, what they are asked to agree to."""
    participant = visit.participant
    if participant and participant.step not in {Step.INVITED, Step.TIMED_OUT}:
        return redirect(place_of(participant))
    stage = participant.stage if participant else visit.newcomer.link.stage if visit.newcomer else Stage.MAIN
    require_taking(visit.study, stage)
    return consent_page(request, visit, stage)


def consent_page(request: HttpRequest, visit: Visit, stage: str) -> HttpResponse:
    version = latest_texts(visit.study)
    texts = Texts.read(version.content)
    again = bool(visit.participant and visit.participant.step == Step.TIMED_OUT)
    context = {
        **shown_consent(texts, version.version),
        "is_full": not again and not free_sheets(visit.study, stage).exists(),
        "again": again,
    }
    return show(request, visit, texts, "consent", context)


@for_participants("POST")
def begin(request: HttpRequest, visit: Visit) -> HttpResponse:
    if request.POST.get("agree") != "yes":
        raise Invalid("agree: to take part you need to agree. If you do not want to, just close this page.")
    version = request.POST.get("version", "")
    participant, secret = start(visit, version=whole_number(version) or 0)
    response = redirect(place_of(participant))
    return remember(response, visit.study, secret)


def place_of(participant: Participant) -> str:
    """The address of what is next for them."""
    code = participant.study.code
    if participant.step == Step.FINISHED:
        return reverse("taking:thanks", args=[code])
    if participant.step in leaving.LEFT:
        return reverse("taking:leave", args=[code])
    if participant.step != Step.STARTED:
        return reverse("taking:home", args=[code])
    if participant.background is None and answering.texts_of(participant).background:
        return reverse("taking:background", args=[code])
    if participant.practised_at is None:
        return reverse("taking:instructions", args=[code])
    page = participant.pages.filter(completed_at=None).order_by("position").first()
    return reverse("taking:page", args=[code, page.code]) if page else reverse("taking:end", args=[code])


def working(visit: Visit) -> Participant:
    """A participant in the middle of it; everybody else is told where they are."""
    participant = visit.known
    if participant.step != Step.STARTED:
        raise Refusal(answering.WHY_NOT[Step(participant.step)])
    require_taking(visit.study, participant.stage)
    return participant


@for_participants("GET", "HEAD", "POST")
def background(request: HttpRequest, visit: Visit) -> HttpResponse:
    participant = visit.known if request.method == "POST" else working(visit)
    texts = answering.texts_of(participant)
    if not texts.background:
        raise Http404
    context: dict[str, Any] = {"codebook": texts.background_form, "answers": participant.background or {}, "keys": {}}
    if request.method != "POST":
        return show(request, visit, texts, "background", context)
    answers = answers_in_form(texts.background_form, request.POST)
    try:
        answering.save_background(participant, answers)
    except Invalid as refusal:
        place, _, sentence = str(refusal).partition(": ")
        response = show(
            request, visit, texts, "background", {**context, "answers": answers, "errors": {place: sentence}}
        )
        response.status_code = refusal.status
        return response
    participant.refresh_from_db()
    return redirect(place_of(participant))


@for_participants("GET", "HEAD", "POST")
def instructions(request: HttpRequest, visit: Visit) -> HttpResponse:
    participant = visit.known if request.method == "POST" else working(visit)
    texts = answering.texts_of(participant)
    if request.method != "POST":
        context = {
            "instructions": texts.instructions,
            "pages": participant.pages.count(),
            "practice": texts.practice is not None,
            "link": resuming_link(visit),
        }
        return show(request, visit, texts, "instructions", context)
    if texts.practice and not request.POST.get("skip"):
        return redirect("taking:practice", visit.study.code)
    answering.finish_practice(participant)
    return first_page(participant)


def first_page(participant: Participant) -> HttpResponse:
    answering.show_page(participant, 1)
    participant.refresh_from_db()
    return redirect(place_of(participant))


def resuming_link(visit: Visit) -> str:
    """For somebody who came by the open link and has no address of their own to come back by."""
    is_personal = visit.newcomer is None and not (visit.participant and visit.participant.external_id)
    return public_url("taking:personal_link", visit.study.code, visit.secret) if is_personal else ""


@for_participants("GET", "HEAD", "POST")
def end(request: HttpRequest, visit: Visit) -> HttpResponse:
    participant = visit.known
    texts = answering.texts_of(participant)
    if request.method == "POST":
        answering.finish(participant, request.POST.get("exit_answer", ""))
        return redirect("taking:thanks", visit.study.code)
    working(visit)
    rows = participant.pages.order_by("position").values_list("position", "code", "completed_at")
    pages = [{"number": number, "code": code, "done": completed is not None} for number, code, completed in rows]
    context = {
        "pages": pages,
        "left": sum(not page["done"] for page in pages),
        "exit_question": texts.exit_question,
    }
    return show(request, visit, texts, "end", context)


@for_participants("GET", "HEAD")
def thanks(request: HttpRequest, visit: Visit) -> HttpResponse:
    participant = visit.known
    if participant.step != Step.FINISHED:
        return redirect(place_of(participant))
    texts = answering.texts_of(participant)
    context = {
        "thanks": texts.thanks,
        "receipt": participant.code,
        "completion_url": texts.completion_url,
        "until": leaving.kept_until(participant),
    }
    return show(request, visit, texts, "thanks", context)


@for_participants("GET", "HEAD", "POST")
def leave(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Stop and keep, or delete; afterwards the receipt."""
    participant = visit.known
    if request.method == "POST":
        leaving.withdraw(participant, request.POST.get("choice", ""))
        return redirect("taking:leave", visit.study.code)
    texts = answering.texts_of(participant)
    context = {
        "step": participant.step,
        "has_left": participant.step in leaving.LEFT,
        "receipt": participant.code,
        "ended_at": participant.ended_at,
        "until": leaving.kept_until(participant),
        "answered": participant.pages.filter(completed_at__isnull=False).count(),
    }
    return show(request, visit, texts, "leave", context)


@for_participants("GET", "HEAD")
def mine(request: HttpRequest, visit: Visit) -> HttpResponse:
    """All that is stored about the person who asks."""
    response = JsonResponse(leaving.own_data(visit.known), json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = 'attachment; filename="my-answers.json"'
    return response


@answers_to("GET", "HEAD", "POST")
def nothing(request: HttpRequest, study: Study, rest: str) -> HttpResponse:
    raise Http404
