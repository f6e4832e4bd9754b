"""Error pages in words; under /api/ the same as problem details (RFC 9457)."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme

from annotator.logs import request_id
from labeling.people.access import Seat, take_seat
from labeling.people.models import User
from labeling.refusals import Refusal

TITLES = {
    400: "This request makes no sense to us",
    403: "You may not do this",
    404: "There is nothing here",
    405: "This page cannot be opened like this",
    409: "This cannot be done now",
    410: "This link no longer works",
    413: "This is too large",
    422: "Something in this form is not right",
    429: "Too many tries",
    500: "Something broke on our side",
}


def error_response(request: HttpRequest, status: int, detail: str) -> HttpResponse:
    title = TITLES.get(status, "This did not work")
    if request.path.startswith("/api/"):
        problem = {"type": "about:blank", "title": title, "status": status, "detail": detail}
        if status >= 500:  # noqa: PLR2004
            problem["reference"] = request_id.get()
        return JsonResponse(problem, status=status, content_type="application/problem+json")
    context: dict[str, Any] = {"title": title, "detail": detail, "status": status, "reference": request_id.get()}
    if seat := seat_of(request):
        context |= {"seat": seat, "back": page_before(request)}
    return render(request, "error.html", context, status=status)


def seat_of(request: HttpRequest) -> Seat | None:
    """For the menu of the project, when the page is in one and its reader belongs to it."""
    slug = request.resolver_match.kwargs.get("slug") if request.resolver_match else None
    user = getattr(request, "user", None)
    if not slug or not isinstance(user, User):
        return None
    try:
        return take_seat(user, slug)
    except Http404:
        return None


def page_before(request: HttpRequest) -> str:
    """The address of our page that the form was on; nothing when there is none."""
    before = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(before, {request.get_host()}, require_https=request.is_secure())
    if not before or not ours or (request.method == "GET" and before == request.build_absolute_uri()):
        return ""
    return before


def refusal_page(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    response = error_response(request, refusal.status, str(refusal))
    if wait := getattr(refusal, "wait", 0):
        response["Retry-After"] = str(int(wait) + 1)
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 400, "The address or the data sent with it is not well formed.")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    detail = str(exception) or "Your role in this project does not include this page."
    return error_response(request, 403, detail)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(
        request, 404, "The address may be mistyped, or it belongs to a project that you are not a member of."
    )


def server_error(request: HttpRequest) -> HttpResponse:
    detail = "Nothing that was stored before is lost. Try again; if it stays, send us the reference."
    if request.path.startswith("/api/"):
        return error_response(request, 500, detail)
    # The usual page asks who is there and which style sheets there are; what is broken may be just that.
    page = render_to_string("broken.html", {"title": TITLES[500], "detail": detail, "reference": request_id.get()})
    return HttpResponse(page, status=500)


def method_not_allowed(request: HttpRequest) -> HttpResponse:
    return error_response(request, 405, "This address takes no visit of this kind. Go back to the page you came from.")


def too_large(request: HttpRequest, detail: str) -> HttpResponse:
    """Said before anything is known about who asks, so without the frame of our pages."""
    if request.path.startswith("/api/"):
        return error_response(request, 413, detail)
    context = {"title": TITLES[413], "detail": detail, "reference": request_id.get()}
    return HttpResponse(render_to_string("broken.html", context), status=413)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return error_response(
        request, 403, "Your session ended or this form is old. Go back, reload the page, and send the form again."
    )
