"""What happens around every request: its id and log line, its security headers, and refusals said in words."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django_htmx.http import HttpResponseClientRedirect

from annotator import metrics
from annotator.errors import method_not_allowed, refusal_page, too_large
from annotator.logs import request_id
from annotator.processes import give_back_memory
from labeling.refusals import Refusal

logger = logging.getLogger("annotator.requests")
GetResponse = Callable[[HttpRequest], HttpResponseBase]
ACCEPTABLE_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
PARTICIPANTS = "/s/"
LARGE, PAUSE = 1 << 18, 1.0  # bytes, seconds
QUIET_ROUTES = {"healthz", "readyz", "metrics"}


class RequestLogMiddleware:
    """Gives the request an id (the proxy's, if it sent a sane one), and writes one line and one measurement."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-ID", "")
        token = request_id.set(given if ACCEPTABLE_ID.fullmatch(given) else uuid4().hex)
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            response["X-Request-ID"] = request_id.get()
            self.record(request, response, seconds=time.perf_counter() - started)
        finally:
            request_id.reset(token)
        return response

    def record(self, request: HttpRequest, response: HttpResponseBase, *, seconds: float) -> None:
        # The route, never the path: a path can hold the token of a personal link.
        route = request.resolver_match.view_name if request.resolver_match else "none"
        method = request.method if request.method in METHODS else "other"
        metrics.observe(method=method, route=route, status=response.status_code, seconds=seconds)
        if route not in QUIET_ROUTES:
            fields = {"method": method, "route": route, "status": response.status_code}
            logger.info("request", extra={"fields": {**fields, "ms": round(seconds * 1000, 1)}})


class SecurityHeadersMiddleware:
    """A Content-Security-Policy that lets nothing in from elsewhere, and no caching of what a person sees."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        if not request.path.startswith(settings.STATIC_URL):
            response.headers.setdefault("Cache-Control", "private, no-store")
        if request.path.startswith(PARTICIPANTS):
            response.headers["Referrer-Policy"] = "no-referrer"  # an address of theirs can hold a personal link
        return response


class BodySizeMiddleware:
    """Refuses a body that is too large before a byte of it is kept, whoever sends it. A server reads no more than the
    length that was announced, so that looking at that is enough. What large ones took of the memory is given back with
    the first small one a while later: each of many would only have to ask for it again, a seventh of its time."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.last_large: float | None = None

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        length = str(request.META.get("CONTENT_LENGTH") or "")
        if length.isdecimal() and int(length) > settings.LARGEST_UPLOAD:
            largest = settings.LARGEST_UPLOAD // 1024**2
            said = f"What you sent is larger than {largest:,} MB, which is the most this installation takes."
            return too_large(request, said)
        response = self.get_response(request)
        if length.isdecimal() and int(length) > LARGE:
            self.last_large = time.monotonic()
        elif (last := self.last_large) is not None and time.monotonic() - last > PAUSE:  # other threads change it
            self.last_large = None
            give_back_memory()
        return response


class RefusalMiddleware:
    """Turns a refusal raised by a view into a page with its sentence and its status, and helps out of dead ends."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and not request.path.startswith("/api/"):
            page = method_not_allowed(request)
            page["Allow"] = response["Allow"]
            return page
        asks_for_login = response.status_code == HTTPStatus.FOUND and response["Location"].startswith("/login/?next=")
        if asks_for_login and request.method == "POST":
            # After the log-in the browser asks with GET: it must come back to the page that had the form.
            response["Location"] = f"/login/?{urlencode({'next': page_of(request), 'lost': 1})}"
        if asks_for_login and getattr(request, "htmx", False):
            return HttpResponseClientRedirect(str(response["Location"]))
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return refusal_page(request, exception) if isinstance(exception, Refusal) else None


def page_of(request: HttpRequest) -> str:
    """The page of ours that a form was sent from."""
    referer = urlsplit(request.headers.get("Referer", ""))
    return referer.path if referer.netloc == request.get_host() and referer.path else "/"
