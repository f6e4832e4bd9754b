"""Asking GitHub's REST API: one question at a time, never over its limits, never again for what was answered.

githubkit sends the requests. Its typed models are left alone: they read no faster than we do (100 comments in 2 ms),
take 0.3 s more at the first use, and refuse a whole page over one value that they do not know.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

from labeling.mining.github.answers import Answer, Answers, Gate
from labeling.mining.github.exchanges import (
    NOT_MODIFIED,
    OK,
    AnswerError,
    GitHubError,
    Question,
    Reply,
    TokenError,
    UnreachableError,
    refusal,
)
from labeling.mining.github.limits import backoff, refused, spent

if TYPE_CHECKING:
    from githubkit import GitHubCore
    from httpx import Client, Response

PUBLIC_API = "https://api.github.com"
API_VERSION = "2022-11-28"  # what we read is the same in 2026-03-10, which older GitHub Enterprise does not know
PER_PAGE = 100
ATTEMPTS = 6
MOST_REDIRECTS = 5
TIMEOUT = 60.0  # githubkit's default is to wait for ever
NO_TOKEN = "No token is set: GitHub allows 60 requests an hour for an address, to public repositories only."  # noqa: S105

OnWait = Callable[[datetime, str], None]
Parse = Callable[[bytes], "T"]
T = TypeVar("T")


class GitHub:
    """GitHub or a GitHub Enterprise server, for one thread. Every wait is announced to `on_wait` before it begins.

    With `fresh_since`, what the cache got or confirmed since then is not asked for again: a job that gives its own
    start goes on after a kill without repeating a finished request. Without a `gate` of the caller's, those who share
    `cache_dir` share one.
    """

    def __init__(  # noqa: PLR0913 (each is a different thing a caller decides)
        self,
        base_url: str = PUBLIC_API,
        token: str = "",
        *,
        on_wait: OnWait = lambda _until, _reason: None,
        cache_dir: Path | None = None,
        fresh_since: datetime | None = None,
        gate: Gate | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.base_url = checked_address(base_url)
        self.token = checked_token(token)
        self.notice = "" if self.token else NO_TOKEN  # for the person who waits
        self.on_wait = on_wait
        self.fresh_since = fresh_since.timestamp() if fresh_since else float("inf")
        self.sleep = sleep
        self.clock = clock
        self.who = digest(self.base_url, self.token)
        self.answers = Answers(cache_dir)
        self.gate: Gate = gate or self.answers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self.answers.close()
        if "kit" in self.__dict__:
            self.kit.__exit__()

    @cached_property
    def kit(self) -> GitHubCore[Any]:
        # 0.3 s and 41 MB, which a process that only reads the cache, or only serves pages, is spared.
        from githubkit import GitHubCore

        kit: GitHubCore[Any] = GitHubCore(
            self.token or None,
            base_url=self.base_url,
            user_agent="annotator",
            timeout=TIMEOUT,
            http_cache=False,  # answers.py says why
            follow_redirects=False,  # `fetch` does, and only within the API
        )
        kit.__enter__()  # type: ignore[no-untyped-call] # one connection for all requests; without this, each makes its own
        return kit

    def read_bytes(self, question: Question) -> bytes:
        """The body as it came."""
        return self.ask(question, bytes)[0]

    def read_json(self, question: Question) -> Any:
        """The data in the body."""
        return self.ask(question, json.loads)[0]

    def read_pages(self, question: Question) -> Iterator[Any]:
        """The data of each page; the next is asked for only when it is wanted."""
        while True:
            data, answer = self.ask(question, json.loads)
            yield data
            if not answer.next:
                return
            question = replace(question, path=self.path_below(answer.next))

    def ask(self, question: Question, parse: Parse[T]) -> tuple[T, Answer]:
        """The answer and what `parse` makes of it; one that it cannot read (ValueError) counts as a passing fault."""
        key = digest(self.base_url, self.token, question.accept, question.path)
        kept = self.answers.find(key)
        if kept and self.is_fresh(kept, question):
            return parse(kept.body), kept
        fault = ""
        for attempt in range(ATTEMPTS):
            outcome = self.ask_in_turn(key, question, parse)
            if not isinstance(outcome, Reply):
                return outcome
            fault = self.stand_back(outcome, question, attempt)
        raise UnreachableError(
            f"{self.base_url}/{question.path} gave no usable answer in {ATTEMPTS} attempts: {fault}."
        )

    def is_fresh(self, kept: Answer, question: Question) -> bool:
        return question.lasting or kept.at >= self.fresh_since

    def ask_in_turn(self, key: str, question: Question, parse: Parse[T]) -> tuple[T, Answer] | Reply:
        """Waits out whatever pause there is, then asks and keeps the answer; a reply is one that cannot be used."""
        while True:
            with self.gate.turn(self.who):
                paused = self.gate.paused(self.who, now=self.now())
                if not paused:
                    return self.ask_once(key, question, parse)
            self.wait(*paused)

    def ask_once(self, key: str, question: Question, parse: Parse[T]) -> tuple[T, Answer] | Reply:
        """All of it in our turn: who waits for the same answer finds it kept."""
        kept = self.answers.find(key)
        if kept and self.is_fresh(kept, question):
            return parse(kept.body), kept
        reply = self.send(question, etag=kept.etag if kept else "")
        if pause := spent(reply.headers, now=self.now()):
            self.gate.pause(self.who, until=self.now() + pause.seconds, reason=pause.reason)
        if reply.status == NOT_MODIFIED and kept:
            self.answers.confirm(key, at=self.now())
            return parse(kept.body), kept
        if reply.status != OK:
            return reply
        try:
            return self.keep(key, reply, parse(reply.body))
        except ValueError:
            return Reply(fault="the answer is cut off or is no JSON")

    def keep(self, key: str, reply: Reply, data: T) -> tuple[T, Answer]:
        # A full last page stays as it is when another comes after it, and “not modified” would then hide that one.
        is_full_end = isinstance(data, list) and len(data) >= PER_PAGE and not reply.next
        etag = "" if is_full_end else reply.headers.get("etag", "")
        answer = Answer(reply.body, reply.next, etag, self.now())
        self.answers.keep(key, answer)
        return data, answer

    def send(self, question: Question, *, etag: str) -> Reply:
        from httpx import RequestError

        headers = {"Accept": question.accept, "X-GitHub-Api-Version": API_VERSION}
        if etag:
            headers["If-None-Match"] = etag
        # Its client, not its `request`: that raises on limits, and breaks down when Retry-After is a date.
        with self.kit.get_sync_client() as client:
            try:
                response = self.fetch(client, question.path, headers)
            except RequestError as error:
                return Reply(fault=f"the connection failed ({type(error).__name__}: {error})")
        next_page = response.links.get("next", {}).get("url", "")
        return Reply(response.status_code, response.headers, response.content, next_page)

    def fetch(self, client: Client, path: str, headers: dict[str, str]) -> Response:
        """Goes where it is sent, as by a repository that was renamed, but never out of the API: what is beside us in
        the network is nobody's business."""
        response = client.get(f"{self.base_url}/{path}", headers=headers)
        for _ in range(MOST_REDIRECTS):
            if response.next_request is None:
                break
            path = self.path_below(str(response.next_request.url))
            response = client.get(f"{self.base_url}/{path}", headers=headers)
        return response

    def stand_back(self, reply: Reply, question: Question, attempt: int) -> str:
        """Waits as long as the reply asks for before the next attempt; says what was wrong, raises what is final."""
        now = self.now()
        pause = refused(reply.status, reply.headers, reply.message, attempt=attempt, now=now)
        if pause:  # noted for all who use this token; the next attempt waits for it
            self.gate.pause(self.who, until=now + pause.seconds, reason=pause.reason)
            return pause.reason
        if not reply.is_passing:
            raise refusal(reply, question, has_token=bool(self.token))
        fault = reply.fault or f"GitHub is in trouble ({reply.status})"
        if attempt + 1 < ATTEMPTS:
            self.wait(now + backoff(reply.headers, attempt=attempt, now=now), fault)
        return fault

    def wait(self, until: float, reason: str) -> None:
        told = reason if self.token else f"{reason}; no token is set"
        self.on_wait(datetime.fromtimestamp(until, UTC), told)
        self.sleep(max(until - self.now(), 0.0))

    def now(self) -> float:
        return self.clock().timestamp()

    def path_below(self, url: str) -> str:
        """The part after the base: a link elsewhere would be sent the token."""
        if not url.startswith(f"{self.base_url}/"):
            raise AnswerError(f"{self.base_url} leads to an address that is not its own: {url}")
        return url.removeprefix(f"{self.base_url}/")


def checked_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise GitHubError(f"“{url}” is no address of a GitHub API; it begins with https://.")
    return parts._replace(netloc=parts.netloc.lower()).geturl().rstrip("/")


def checked_token(token: str) -> str:
    token = token.strip()
    # The HTTP library would show such a token in its error.
    if not token.isascii() or not token.isprintable() or " " in token:
        raise TokenError("The token is wrong: it has characters that no token has.")
    return token


def digest(*parts: str) -> str:
    """A key that gives nothing away: what one token may see is not found with another."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
