"""The HTTP client that drives every program alike: one connection, its cookies, and JSON."""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from subprocess import SubprocessError
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

IDLE = 1.0
PATIENCE = 900
NOT_FOUND = 404


class Failed(Exception):  # noqa: N818 (a word of the table)
    """Something of a program did not work; the sentence goes into its cell of the table."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


# What a program may do to us: fail, go away, or answer otherwise than it should.
TROUBLE = (Failed, OSError, SubprocessError, ValueError, LookupError, TypeError, AttributeError)


class Client:
    def __init__(self, url: str, headers: dict[str, str] | None = None) -> None:
        parts = urlsplit(url)
        if parts.hostname != "127.0.0.1":
            raise Failed(f"{url} is not on this machine's loopback.")
        self.connection = HTTPConnection("127.0.0.1", parts.port or 80, timeout=PATIENCE)
        self.headers = dict(headers or {})
        self.cookies: dict[str, str] = {}
        self.used = 0.0

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: object = None) -> Any:
        text = json.dumps({} if body is None else body).encode()
        return self.call("POST", path, text, "application/json")

    def put(self, path: str, body: object) -> Any:
        return self.call("PUT", path, json.dumps(body).encode(), "application/json")

    def form(self, path: str, fields: dict[str, str]) -> Any:
        return self.call("POST", path, urlencode(fields).encode(), "application/x-www-form-urlencoded")

    def upload(self, path: str, name: str, content: bytes) -> Any:
        """One file in the form field `filepond`, as browsers send it."""
        mark = uuid4().hex
        head = f'--{mark}\r\nContent-Disposition: form-data; name="filepond"; filename="{name}"\r\n'
        body = (
            f"{head}Content-Type: application/octet-stream\r\n\r\n".encode() + content + f"\r\n--{mark}--\r\n".encode()
        )
        return self.call("POST", path, body, f"multipart/form-data; boundary={mark}")

    def call(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> Any:
        """The answer as JSON where it is JSON, else its bytes."""
        data, answered = self.exchange(method, path, body, kind)
        return json.loads(data) if answered == "application/json" and data else data

    def fetch(self, path: str) -> bytes:
        """A file as it came, not read."""
        return self.exchange("GET", path, None, "")[0]

    def exchange(self, method: str, path: str, body: bytes | None, kind: str) -> tuple[bytes, str]:
        """What came, and of which type it says to be. Anything but 2xx and 3xx is a failure."""
        if time.monotonic() - self.used > IDLE:
            self.connection.close()  # servers close what is idle, and not always politely
        try:
            self.connection.request(method, path, body, self.all_headers(kind))
            answer = self.connection.getresponse()
            data = answer.read()
        except (OSError, HTTPException) as error:
            self.connection.close()
            raise Failed(f"{method} {path}: {type(error).__name__} {error}") from error
        self.used = time.monotonic()
        for line in answer.headers.get_all("Set-Cookie") or []:
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(line).items()}
        if not 200 <= answer.status < 400:
            raise Failed(f"{method} {path}: {answer.status} {data[:200].decode(errors='replace')}", answer.status)
        return data, answer.headers.get_content_type()

    def all_headers(self, kind: str) -> dict[str, str]:
        headers = {"Accept": "application/json, */*", **self.headers}
        if kind:
            headers["Content-Type"] = kind
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if "csrftoken" in self.cookies:
            headers["X-CSRFToken"] = self.cookies["csrftoken"]
        return headers


def wait_until(ready: Any, seconds: float, what: str, pause: float = 0.05) -> Any:
    """Asks again and again until the answer is true, and gives it back."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := ready():
            return found
        time.sleep(pause)
    raise Failed(f"{what} took longer than {seconds:.0f} s.")
