"""How requests take turns in a web process: nobody is kept out by who asks nothing or asks slowly, and nobody is lost.

One process with one turn at a time, so that everybody is in everybody's way."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPResponse
from itertools import chain

import pytest

from annotator.turns import LONG, SPARE_THREADS, UNASKED
from tests.servers import WebServer

PATIENCE = 4  # less than gunicorn itself would keep a thread for somebody who asks nothing
HALF_ASKED = b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 20\r\n\r\nusername="
TOO_LARGE = b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 9000000000\r\n\r\n"
UNREADABLE = b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: many\r\n\r\n"
ASKED = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture(scope="module")
def server(django_db_setup: None) -> Iterator[WebServer]:
    started = WebServer(WEB_THREADS="1")
    yield started
    started.stop()


def place(server: WebServer) -> tuple[str, int]:
    host, _, port = server.url.removeprefix("http://").partition(":")
    return host, int(port)


def opened(server: WebServer, *, sent: bytes = b"") -> socket.socket:
    own = socket.create_connection(place(server), timeout=PATIENCE)
    own.sendall(sent)
    return own


def answer(own: socket.socket) -> HTTPResponse:
    response = HTTPResponse(own)
    response.begin()
    response.read()
    return response


def asked(connection: HTTPConnection) -> HTTPResponse:
    connection.request("GET", "/healthz")
    response = connection.getresponse()
    response.read()
    return response


def is_answered(server: WebServer) -> bool:
    with closing(HTTPConnection(*place(server), timeout=PATIENCE)) as connection:
        return asked(connection).status == 200


def test_who_asks_nothing_keeps_nobody_out(server: WebServer) -> None:
    with ExitStack() as stack:
        silent = [stack.enter_context(opened(server)) for _ in range(4 * SPARE_THREADS)]
        assert is_answered(server)
        silent[-1].sendall(ASKED)
        assert answer(silent[-1]).status == 200


def test_who_asks_slowly_keeps_nobody_out(server: WebServer) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(opened(server, sent=HALF_ASKED)) for _ in range(SPARE_THREADS)]
        assert is_answered(server)
        for own in slow:
            own.sendall(b"x" * 11)
            assert answer(own).status == 403  # of a form without its token


def test_who_is_alone_keeps_the_connection(server: WebServer) -> None:
    with closing(HTTPConnection(*place(server), timeout=PATIENCE)) as connection:
        assert [asked(connection).will_close for _ in range(5)] == [False] * 5


def test_connection_is_closed_only_by_an_answer_that_says_so(server: WebServer) -> None:
    """A client that believes what it is told loses no request, however many ask at the same time."""

    def ask_again_and_again(_: int) -> list[bool]:
        with closing(HTTPConnection(*place(server), timeout=PATIENCE * 5)) as connection:
            connection.auto_open = 0  # an early end is a failure, not a reason to begin anew
            said = [True]
            for _ in range(40):
                if said[-1]:
                    connection.connect()
                response = asked(connection)
                assert response.status == 200
                said.append(response.will_close)
            return said[1:]

    with ThreadPoolExecutor(12) as people:
        said = list(chain.from_iterable(people.map(ask_again_and_again, range(12))))
    assert len(said) == 12 * 40
    assert said.count(True) > said.count(False)


def test_who_finds_a_process_crowded_is_told_to_come_again(django_db_setup: None) -> None:
    """Another process may have nothing to do. After a moment, who is slow no longer makes a crowd."""
    server = WebServer(WEB_THREADS="2")

    def is_closed(*, after: float) -> bool:
        with closing(HTTPConnection(*place(server), timeout=PATIENCE)) as connection:
            connection.connect()
            with opened(server, sent=HALF_ASKED) as slow:
                time.sleep(after)
                said = asked(connection).will_close
                slow.sendall(b"x" * 11)
                assert answer(slow).status == 403
            return said

    try:
        assert any(is_closed(after=0.02) for _ in range(20))  # a busy machine may be late
        assert not is_closed(after=3 * LONG)
    finally:
        server.stop()


@pytest.mark.parametrize(("sent", "status"), [(TOO_LARGE, 413), (UNREADABLE, 400)], ids=["too large", "unreadable"])
def test_refusal_reaches_who_is_still_sending(server: WebServer, sent: bytes, status: int) -> None:
    with opened(server, sent=sent) as own:
        for _ in range(5):
            own.sendall(b"x" * 10_000)  # fails when the other side has closed
            time.sleep(0.2)
        assert answer(own).status == status


def test_who_asked_before_the_end_is_answered(django_db_setup: None) -> None:
    """Also those who still waited in the kernel's line, and who had not sent everything."""
    server = WebServer(WEB_THREADS="1")
    try:
        with ExitStack() as stack:
            slow = stack.enter_context(opened(server, sent=HALF_ASKED))
            assert is_answered(server)
            others = [stack.enter_context(opened(server, sent=ASKED)) for _ in range(20)]
            server.process.send_signal(signal.SIGTERM)
            assert [answer(own).status for own in others] == [200] * 20
            slow.sendall(b"x" * 11)
            assert answer(slow).status == 403
    finally:
        server.stop()


def test_who_asks_late_is_answered_and_who_never_asks_delays_no_end(django_db_setup: None) -> None:
    """Later than the kernel waits for it, so that the connection is ours without a request."""
    server = WebServer(WEB_THREADS="1")
    try:
        with opened(server) as late, opened(server):
            time.sleep(2 * UNASKED)
            assert is_answered(server)
            late.sendall(ASKED)
            assert answer(late).status == 200
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(8) == 0
    finally:
        server.stop()
