"""Mining asks GitHub and nobody else: not by what a person types, and not by where GitHub sends us."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from django.test import Client

from labeling.corpus.models import Project
from labeling.jobs.models import Job
from labeling.mining.github.client import GitHub
from labeling.mining.github.exchanges import AnswerError, Question
from labeling.people.models import User
from tests.api.test_projects import caller

Enter = Callable[[User], Client]
ELSEWHERE = [
    "http://127.0.0.1/x",
    "https://127.0.0.1:6379/x",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/x",
    "http://0x7f000001/x",
    "http://localhost/x",
    "https://localtest.me/x",
    "file:///etc/passwd",
    "gopher://127.0.0.1/x",
    "//127.0.0.1/x",
    "acme/../../admin",
    "../admin",
    "acme/..",
    "acme/rockets/../../x",
    "acme/rockets?x=1",
    "acme/rockets#x",
    "acme/rockets%2f..",
    "user@127.0.0.1/x",
    "acme/rockets\n127.0.0.1/x",
    "acme\\rockets/x",
]


@pytest.mark.parametrize("typed", ELSEWHERE)
def test_only_owner_and_name_are_taken(project: Project, alice: User, enter: Enter, typed: str) -> None:
    page = enter(alice).post("/projects/names/mining/github/", {"github": typed, "state": "merged"})
    assert page.status_code == 422
    call = caller(alice).post("/api/v1/projects/names/mining/", {"github": typed})
    assert call.status_code in {400, 422}
    assert not Job.objects.exists()


class Server:
    """Answers every request as it is told, and notes what was asked."""

    def __init__(self, answer: Callable[[str], tuple[int, str]]) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                status, location = answer(self.path)
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"[]")

            def log_message(self, *_: Any) -> None:
                """Nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def stop(self) -> None:
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    made: list[Server] = []

    def start(answer: Callable[[str], tuple[int, str]]) -> Server:
        made.append(Server(answer))
        return made[-1]

    yield start
    for server in made:
        server.stop()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_out_of_the_api_is_not_followed(serve: Callable[..., Server], status: int) -> None:
    inner = serve(lambda _: (200, ""))
    github = serve(lambda _: (status, f"{inner.url}/latest/meta-data"))
    with GitHub(github.url, "token") as client, pytest.raises(AnswerError, match="not its own"):
        client.read_json(Question("repos/acme/rockets", "the repository"))
    assert inner.asked == []


def test_redirect_within_the_api_is_followed(serve: Callable[..., Server]) -> None:
    github = serve(lambda path: (301, "/repositories/7") if "acme" in path else (200, ""))
    with GitHub(github.url, "token") as client:
        assert client.read_json(Question("repos/acme/rockets", "the repository")) == []
    assert github.asked == ["/repos/acme/rockets", "/repositories/7"]
