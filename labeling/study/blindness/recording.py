"""A visitor inside the process: asks the real application, with all its middleware, and keeps every byte it answers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from io import BytesIO
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest


@dataclass(frozen=True)
class Received:
    """One answer, as it came over the wire."""

    method: str
    path: str
    status: int
    headers: list[tuple[str, str]]
    body: bytes
    seconds: float = 0.0

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


@dataclass
class Recorder:
    cookies: SimpleCookie = field(default_factory=SimpleCookie)
    received: list[Received] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.handler = WSGIHandler()

    def get(self, path: str, accept: str = "text/html") -> Received:
        return self.ask("GET", path, b"", accept)

    def post(self, path: str, data: Mapping[str, str], accept: str = "text/html") -> Received:
        return self.ask("POST", path, urlencode(data).encode(), accept)

    def ask(self, method: str, path: str, body: bytes, accept: str) -> Received:
        request = WSGIRequest(self.environment(method, path, body, accept))
        started = time.perf_counter()
        # Not through the handler's own call: that would close the connection, and with it what is to be rolled back.
        response = self.handler.get_response(request)
        seconds = time.perf_counter() - started
        for name, morsel in response.cookies.items():
            self.cookies[name] = morsel.value
        cookies = [("Set-Cookie", morsel.OutputString()) for morsel in response.cookies.values()]
        headers = [*response.items(), *cookies]
        content = getattr(response, "content", b"")
        self.received.append(Received(method, path, response.status_code, headers, content, seconds))
        return self.received[-1]

    def environment(self, method: str, path: str, body: bytes, accept: str) -> dict[str, Any]:
        address, public = urlsplit(path), urlsplit(settings.PUBLIC_URL)
        scheme = "https" if settings.SECURE_SSL_REDIRECT else "http"
        return {
            "REQUEST_METHOD": method,
            "PATH_INFO": address.path,
            "QUERY_STRING": address.query,
            "SERVER_NAME": public.hostname or "localhost",
            "SERVER_PORT": str(public.port or 80),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": public.netloc,
            "HTTP_ACCEPT": accept,
            "HTTP_X_FORWARDED_PROTO": scheme,
            "HTTP_COOKIE": "; ".join(f"{name}={morsel.value}" for name, morsel in self.cookies.items()),
            "CONTENT_TYPE": "application/x-www-form-urlencoded" if body else "",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.url_scheme": scheme,
            "wsgi.input": BytesIO(body),
            "wsgi.errors": BytesIO(),
            "wsgi.version": (1, 0),
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
