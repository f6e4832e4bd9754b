"""A server of ours that answers like GitHub's REST API, from repositories in memory, and misbehaves when told to."""

from __future__ import annotations

import hashlib
import json
import re
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

Json = dict[str, Any]
HOUR = 3600
MOST_COMMITS, MOST_FILES, FILES_PAGE = 250, 3000, 300


@dataclass
class Repository:
    """What there is to ask for. A pull request's lists are under its number."""

    pulls: list[Json] = field(default_factory=list)
    inline: dict[int, list[Json]] = field(default_factory=dict)
    reviews: dict[int, list[Json]] = field(default_factory=dict)
    talk: dict[int, list[Json]] = field(default_factory=dict)
    pull_commits: dict[int, list[Json]] = field(default_factory=dict)
    commits: dict[str, Json] = field(default_factory=dict)  # with their files; one that was pushed away is not here
    contents: dict[tuple[str, str], bytes] = field(default_factory=dict)  # by path and commit
    blobs: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Answer:
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Fault:
    """What happens, so many times, to requests whose address matches the pattern."""

    pattern: str
    status: int = 0
    message: str = "Something went wrong"
    headers: dict[str, str] = field(default_factory=dict)
    how: Literal["status", "cut", "close"] = "status"  # cut: JSON ends early; close: the connection does
    times: int = 1


class GitHubServer:
    """Runs in a thread. `asked` counts requests by address; `overdrawn` those that came when none were left."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.repositories: dict[str, Repository] = {}
        self.moved: dict[str, str] = {}
        self.tokens = {"good-token"}
        self.faults: list[Fault] = []
        self.asked: Counter[str] = Counter()
        self.statuses: list[int] = []
        self.headers: list[dict[str, str]] = []
        self.links_elsewhere = ""
        self.prefix = ""  # where the API of an enterprise server begins
        self.limit = 5000
        self.used = 0
        self.overdrawn = 0
        self.reset = int(clock()) + HOUR
        self.delay = 0.0  # seconds between counting a request and answering it
        self.lock = Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"github": self}))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def fail(self, pattern: str, status: int = 0, **options: Any) -> None:
        self.faults.append(Fault(pattern, status, **options))

    def next_fault(self, address: str) -> Fault | None:
        for fault in self.faults:
            if fault.times and re.search(fault.pattern, address):
                fault.times -= 1
                return fault
        return None

    def answer(self, address: str, headers: dict[str, str]) -> tuple[Answer, str]:
        """The answer to one request, and how to spoil it."""
        with self.lock:
            self.asked[address] += 1
            self.headers.append(headers)
            fault = self.next_fault(address)
            reply = self.refusal(headers) or (said(fault) if fault and fault.status else self.found(address, headers))
            is_free = reply.status == 401 or (reply.status == 304 and "authorization" in headers)
            if not is_free:  # only who has a token gets “not modified” for nothing
                self.used += 1
            self.statuses.append(reply.status)
            return self.with_limits(reply), fault.how if fault else "status"

    def refusal(self, headers: dict[str, str]) -> Answer | None:
        if self.clock() >= self.reset:
            self.used, self.reset = 0, int(self.clock()) + HOUR
        token = headers.get("authorization", "").removeprefix("token ")
        if token and token not in self.tokens:
            return problem(401, "Bad credentials")
        if self.used >= self.limit:
            self.overdrawn += 1
            return problem(403, "API rate limit exceeded for this address")
        return None

    def with_limits(self, reply: Answer) -> Answer:
        left = max(self.limit - self.used, 0)
        limits = {"X-RateLimit-Limit": self.limit, "X-RateLimit-Remaining": left, "X-RateLimit-Reset": self.reset}
        reply.headers = {name: str(value) for name, value in limits.items()} | reply.headers
        return reply

    def found(self, address: str, headers: dict[str, str]) -> Answer:
        parts = urlsplit(address)
        match = re.fullmatch(rf"{self.prefix}/repos/([^/]+/[^/]+)/(.+)", parts.path)
        if not match:
            return problem(404, "Not Found")
        name, rest = match.groups()
        if name in self.moved:
            target = f"{self.url}{self.prefix}/repos/{self.moved[name]}/{rest}"
            return Answer(301, b"{}", {"Location": f"{target}?{parts.query}" if parts.query else target})
        if name not in self.repositories:
            return problem(404, "Not Found")
        asked = {key: values[-1] for key, values in parse_qs(parts.query).items()} | {"accept": headers["accept"]}
        reply = self.route(self.repositories[name], unquote(rest), asked, parts.path)
        return tagged(reply, headers) if reply.status == 200 else reply

    def route(self, repository: Repository, rest: str, asked: dict[str, str], path: str) -> Answer:
        kind, _, inner = rest.partition("/")
        if kind == "commits":
            return self.one_commit(repository, inner, asked, path)
        if kind == "contents":
            return raw(repository.contents.get((inner, asked["ref"])), asked)
        if kind == "git":
            return raw(repository.blobs.get(inner.removeprefix("blobs/")), asked)
        if kind == "pulls" and inner.isdigit():
            return one_pull(repository, int(inner))
        found = sorted_pulls(repository, asked) if rest == "pulls" else part_of_pull(repository, rest)
        return problem(404, "Not Found") if found is None else self.page(found, asked, path)

    def one_commit(self, repository: Repository, sha: str, asked: dict[str, str], path: str) -> Answer:
        if sha not in repository.commits:
            return problem(422, f"No commit found for SHA: {sha}")
        commit = repository.commits[sha]
        page = self.page(commit["files"][:MOST_FILES], {"per_page": str(FILES_PAGE), **asked}, path)
        return Answer(200, json.dumps(commit | {"files": json.loads(page.body)}).encode(), page.headers)

    def page(self, found: list[Json], asked: dict[str, str], path: str) -> Answer:
        size, number = int(asked.get("per_page", "30")), int(asked.get("page", "1"))
        body = json.dumps(found[(number - 1) * size : number * size]).encode()
        if number * size >= len(found):
            return Answer(200, body)
        base = self.links_elsewhere or self.url
        again = {key: value for key, value in asked.items() if key != "accept"} | {"page": number + 1}
        after = f"{base}{path}?{urlencode(again)}"
        return Answer(200, body, {"Link": f'<{after}>; rel="next", <{base}{path}?page=99>; rel="last"'})


class Handler(BaseHTTPRequestHandler):
    github: GitHubServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply, how = self.github.answer(self.path, headers)
        time.sleep(self.github.delay)
        body = reply.body[: len(reply.body) // 2] if how == "cut" else reply.body
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if how == "close" else body)
        self.close_connection = how == "close"

    def date_time_string(self, timestamp: float | None = None) -> str:
        return formatdate(self.github.clock(), usegmt=True)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 (the base class calls it so)
        """Says nothing."""


def said(fault: Fault) -> Answer:
    reply = problem(fault.status, fault.message)
    reply.headers = dict(fault.headers)
    return reply


def problem(status: int, message: str) -> Answer:
    return Answer(status, json.dumps({"message": message}).encode())


def raw(content: bytes | None, asked: dict[str, str]) -> Answer:
    if content is None:
        return problem(404, "Not Found")
    if "raw" in asked["accept"]:
        return Answer(200, content, {"Content-Type": asked["accept"]})
    return Answer(200, json.dumps({"encoding": "base64", "content": b64encode(content).decode()}).encode())


def tagged(reply: Answer, headers: dict[str, str]) -> Answer:
    """The tag tells bodies apart, not links; “not modified” comes without one."""
    tag = f'W/"{hashlib.sha256(reply.body).hexdigest()}"'
    if headers.get("if-none-match") == tag:
        return Answer(304, b"", {"ETag": tag})
    reply.headers["ETag"] = tag
    return reply


def sorted_pulls(repository: Repository, asked: dict[str, str]) -> list[Json]:
    found = [pull for pull in repository.pulls if asked.get("state", "open") in {"all", pull["state"]}]
    by = f"{asked.get('sort', 'created')}_at"
    return sorted(found, key=lambda pull: str(pull[by]), reverse=asked.get("direction", "desc") == "desc")


def part_of_pull(repository: Repository, rest: str) -> list[Json] | None:
    kinds = {
        "pulls/comments": repository.inline,
        "pulls/reviews": repository.reviews,
        "pulls/commits": {number: found[:MOST_COMMITS] for number, found in repository.pull_commits.items()},
        "issues/comments": repository.talk,
    }
    kind, number, part = rest.split("/") if rest.count("/") == 2 else ("", "0", "")
    known = any(pull["number"] == int(number) for pull in repository.pulls)
    return kinds[f"{kind}/{part}"].get(int(number), []) if known else None


def one_pull(repository: Repository, number: int) -> Answer:
    """Alone, a pull request also tells how many comments and commits it has, the true number."""
    found = next((pull for pull in repository.pulls if pull["number"] == number), None)
    if found is None:
        return problem(404, "Not Found")
    counts = {
        "review_comments": len(repository.inline.get(number, [])),
        "comments": len(repository.talk.get(number, [])),
        "commits": len(repository.pull_commits.get(number, [])),
    }
    return Answer(200, json.dumps(found | counts).encode())
