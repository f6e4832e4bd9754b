"""What every page for participants shares: who is there, whose form it is, and refusals in words of theirs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt

from labeling.refusals import Refusal
from labeling.study.models import Study
from labeling.study.taking.entering import Visit, enter, find_study, require_form_of_ours
from labeling.study.taking.showing import shown_text
from labeling.study.texts import Texts

View = Callable[..., HttpResponse]
SAFE = ("GET", "HEAD")
NOTHING = "There is nothing at this address, or it is not on your sheet."
TITLES = {
    403: "We do not know who you are",
    404: "There is nothing here",
    405: "This page cannot be opened like this",
    409: "This cannot be done now",
    410: "This no longer works",
    422: "Something is not right",
}


def answers_to(*methods: str) -> Callable[[View], View]:
    """A view of the study that the address names. Django's check of forms is replaced by our own, because it wants a
    referrer or an origin, and our pages send neither."""

    def decorate(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        def inner(request: HttpRequest, code: str, **arguments: str) -> HttpResponse:
            try:
                if request.method not in methods:
                    return refused(request, 405, "Go back to the page you came from.")
                response = view(request, find_study(code), **arguments)
            except Refusal as refusal:
                response = refused(request, refusal.status, str(refusal))
            except Http404:
                response = refused(request, 404, NOTHING)
            patch_vary_headers(response, ["Cookie"])
            return response

        return inner

    return decorate


def for_participants(*methods: str) -> Callable[[View], View]:
    """The same for somebody who came by a link; a form must be one of ours."""

    def decorate(view: View) -> View:
        @answers_to(*methods)
        @wraps(view)
        def inner(request: HttpRequest, study: Study, **arguments: str) -> HttpResponse:
            visit = enter(request, study)
            if request.method not in SAFE:
                require_form_of_ours(request, visit)
            return view(request, visit, **arguments)

        return inner

    return decorate


def wants_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept", "") == "application/json"


def refused(request: HttpRequest, status: int, sentence: str) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"error": sentence}, status=status)
    context = {"title": TITLES.get(status, "This did not work"), "detail": sentence}
    return render(request, "study/taking/refused.html", context, status=status)


def show(request: HttpRequest, visit: Visit, texts: Texts, template: str, context: dict[str, Any]) -> HttpResponse:
    """A page in the frame of the study. `code` and `form` are all that it gets of study and person."""
    frame = {"code": visit.study.code, "form": visit.form_token, "text": shown_text(texts)}
    return render(request, f"study/taking/{template}.html", {**frame, **context})
