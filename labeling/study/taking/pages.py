"""One method and its names: the page, each answer on it, its clock, and the practice item."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from labeling.refusals import Invalid
from labeling.study.taking import answering
from labeling.study.taking.answering import Given, Sent, Stale
from labeling.study.taking.entering import Visit
from labeling.study.taking.frame import for_participants, show
from labeling.study.taking.models import Answer, Participant
from labeling.study.taking.showing import ShownLine, ShownPage, shown_page, shown_practice
from labeling.study.taking.views import first_page, place_of, working

MOST_DIGITS = 9
INCOMPLETE = "Each name needs an answer, and a no its reason."


@dataclass(frozen=True)
class Trouble:
    """Why a page is shown again after it was sent."""

    words: str
    status: int
    missing: Collection[str] = ()
    sent: QueryDict | None = None  # what was sent, where nothing of it was stored


@for_participants("GET", "HEAD", "POST")
def page(request: HttpRequest, visit: Visit, page: str) -> HttpResponse:
    if request.method != "POST":
        return method_page(request, visit, page)
    participant = visit.known
    try:
        missing = answering.save_page(participant, page, read_page(request.POST))
    except Stale as refusal:
        return method_page(request, visit, page, Trouble(str(refusal), refusal.status))
    except Invalid as refusal:
        return method_page(request, visit, page, Trouble(str(refusal), refusal.status, sent=request.POST))
    number = answering.own_page(participant, page).position
    if request.POST.get("go") == "back":
        return to_page(participant, number - 1)
    if missing:
        return method_page(request, visit, page, Trouble(INCOMPLETE, 422, missing=[line.code for line in missing]))
    return to_page(participant, number + 1)


def to_page(participant: Participant, position: int) -> HttpResponse:
    """The page at this place; behind the last one, what is still open or the end."""
    found = answering.show_page(participant, position)
    code = participant.study.code
    return redirect(reverse("taking:page", args=[code, found.code]) if found else place_of(participant))


def method_page(request: HttpRequest, visit: Visit, code: str, trouble: Trouble | None = None) -> HttpResponse:
    participant = working(visit)
    missing = trouble.missing if trouble else ()
    found = shown_page(participant, answering.own_page(participant, code), missing=missing)
    if trouble and trouble.sent is not None:
        found = as_sent(found, trouble.sent)
    context = {"page": found, "error": trouble.words if trouble else ""}
    response = show(request, visit, answering.texts_of(participant), "page", context)
    response.status_code = trouble.status if trouble else 200
    return response


def as_sent(page: ShownPage, data: QueryDict) -> ShownPage:
    lines = [
        replace(line, answer=data.get(f"answer.{line.code}", ""), reason=data.get(f"reason.{line.code}", ""))
        for line in page.lines
    ]
    return replace(page, lines=lines, comment=data.get("comment", page.comment))


@for_participants("POST")
def answer(request: HttpRequest, visit: Visit, page: str) -> HttpResponse:
    """One answer, from a page that saves each at once."""
    data = request.POST
    given = Given(
        data.get("line", ""), data.get("answer", ""), data.get("reason", ""), whole(data.get("revision", "0"))
    )
    line, complete = answering.save_answer(visit.known, page, given, read_times(data))
    return JsonResponse({"revision": line.revision, "complete": complete})


@for_participants("POST")
def comment(request: HttpRequest, visit: Visit, page: str) -> HttpResponse:
    """A comment, from a page that saves it as it is written."""
    answering.save_comment(visit.known, page, read_page(request.POST))
    return HttpResponse(status=204)


@for_participants("POST")
def time(request: HttpRequest, visit: Visit, page: str) -> HttpResponse:
    answering.save_times(visit.known, page, read_times(request.POST))
    return HttpResponse(status=204)


@for_participants("GET", "HEAD", "POST")
def practice(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Looks like any page; its answers are shown back with a remark and not stored."""
    participant = visit.known if request.method == "POST" else working(visit)
    texts = answering.texts_of(participant)
    if texts.practice is None:
        return redirect("taking:instructions", visit.study.code)
    if request.POST.get("go") == "begin":
        answering.finish_practice(participant)
        return first_page(participant)
    found = as_sent(shown_practice(texts.practice), request.POST)
    wanting = {line.code for line in found.lines if is_wanting(line)}
    if request.method == "POST" and not wanting:
        return show(request, visit, texts, "practice", {"page": found, "done": True})
    missing = wanting if request.method == "POST" else set()
    lines = [replace(line, is_missing=line.code in missing, remark="") for line in found.lines]
    context = {"page": replace(found, lines=lines), "error": INCOMPLETE if missing else ""}
    response = show(request, visit, texts, "practice", context)
    response.status_code = 422 if missing else 200
    return response


def is_wanting(line: ShownLine) -> bool:
    return not line.answer or (line.answer == Answer.NO) != bool(line.reason)


def read_page(data: QueryDict) -> Sent:
    """The answers in a form, one for each name that has one; names without are left as they are."""
    codes = [name.removeprefix("answer.") for name in data if name.startswith("answer.")]
    reasons = [name.removeprefix("reason.") for name in data if name.startswith("reason.") and data[name]]
    for code in reasons:
        if code not in codes:
            raise Invalid("reason: is asked only when the answer is no. Choose yes or no for each name.")
    answers = [
        Given(
            code,
            data.get(f"answer.{code}", ""),
            data.get(f"reason.{code}", ""),
            whole(data.get(f"revision.{code}", "0")),
        )
        for code in codes
    ]
    return Sent(answers, data.get("comment"), data.getlist("comment_was") or [""], read_times(data))


def whole(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS):
        raise Invalid("revision: must be a whole number.")
    return int(value)


def read_times(data: QueryDict) -> dict[str, float]:
    """Seconds by each clock; none when the browser runs no script."""
    try:
        times = {clock: float(data.get(clock, "")) for clock in answering.CLOCKS if data.get(clock)}
    except ValueError as error:
        raise Invalid("time: must be in seconds.") from error
    if any(not math.isfinite(seconds) or seconds < 0 for seconds in times.values()):
        raise Invalid("time: must be in seconds, 0 or more.")
    return times
