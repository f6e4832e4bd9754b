"""How the requests that reach a web process take turns."""

from __future__ import annotations

import select
import selectors
import socket
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from gunicorn.http.errors import ParseException
from gunicorn.workers.gthread import TConn, ThreadWorker

if TYPE_CHECKING:
    from gunicorn.http import Request

SPARE_THREADS = 6  # for requests that take longer than LONG
LONG = 0.25
SOON = 0.1
UNASKED = 5  # seconds that the kernel keeps a connection to itself on which nothing is asked; it makes 7 of them
AT_ONCE = 0.001


@dataclass(eq=False)
class Turn:
    """A thread at work, on one connection after the other."""

    connection: TConn
    since: float = field(default_factory=time.monotonic)


class TurnWorker(ThreadWorker):
    """gunicorn's process with threads, but for what happens when more is asked than can be answered at once:

    - It works on few requests at a time (WEB_THREADS); the others wait, first come, first served. Many at a time would
      fight for the one interpreter, and all be late. What takes long by itself, such as a large upload by a slow line,
      is not counted any more after a moment: there are spare threads for it.
    - While it is full it leaves new connections to the other processes. While others wait, or several share a full
      process, it closes each of its own after the answer, and says so in it. The next request goes to whoever has
      time then; otherwise six of eight people may happen to sit with one process of two.
    - A thread that has closed a connection takes the next one itself, and need not wait until the main thread has.
    - A connection on which nothing is asked has no thread.
    """

    line: deque[TConn]
    turns: set[Turn]
    listens = False
    has_let_all_in = False

    def init_process(self) -> None:
        self.line, self.turns = deque(), set()
        for listener in self.sockets:
            if hasattr(socket, "TCP_DEFER_ACCEPT") and listener.family != socket.AF_UNIX:
                # Linux: a connection is there when something is asked on it.
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, UNASKED)
        super().init_process()

    # In the main thread -------------------------------------------------------------------------------------------
    def wait_for_and_dispatch_events(self, timeout: float | None) -> None:
        """What takes long does not tell us when it does, so that a full process looks again soon."""
        self.admit()
        if not self.has_room():
            self.set_accept_enabled(False)
        super().wait_for_and_dispatch_events(timeout if self.listens else SOON)

    def set_accept_enabled(self, enabled: bool | None) -> None:
        """gunicorn asks for it before each wait, and a last time at our end."""
        self.listens = bool(enabled) and self.has_room()
        super().set_accept_enabled(self.listens)
        if not self.alive and not self.has_let_all_in:
            self.has_let_all_in = True
            self.let_all_in()

    def let_all_in(self) -> None:
        """At our end: who asked before it is answered, and would not be if the kernel still had them."""
        for _ in range(self.worker_connections):
            if not self.has_callers():
                return
            for listener in self.sockets:
                self.let_in(listener)

    def accept(self, listener: socket.socket) -> None:
        if self.has_room():  # others may have come before it since we began to wait
            self.let_in(listener)

    def let_in(self, listener: socket.socket) -> None:
        if connection := self.accepted(listener):
            self.nr_conns += 1
            self.enqueue_req(connection)

    def enqueue_req(self, conn: TConn) -> None:
        self.line.append(conn)
        self.admit()

    def admit(self) -> None:
        while self.line and self.has_room():
            turn = Turn(self.line.popleft())
            self.turns.add(turn)
            work = self.tpool.submit(self.take, turn)
            work.add_done_callback(partial(self.method_queue.defer, self.end, turn))

    def end(self, turn: Turn, work: Future[bool]) -> None:
        self.turns.discard(turn)
        if work.exception() is None and work.result() is False:
            self.nr_conns -= 1  # closed already, by the thread
        else:
            self.finish_request(turn.connection, work)
        self.admit()

    def expect(self, connection: TConn) -> None:
        """Waits, without a thread, until something is asked on it."""
        connection.set_timeout()
        self.nr_conns += 1
        self.pending_conns.append(connection)
        asked = partial(self.on_pending_socket_readable, connection)
        self.poller.register(connection.sock, selectors.EVENT_READ, asked)

    def murder_pending(self) -> None:
        if not self.alive:
            for connection in self.pending_conns:
                connection.timeout = 0
        super().murder_pending()

    def is_parent_alive(self) -> bool:
        """Without it we end, and so do our threads, which would go on taking connections."""
        self.alive = self.alive and super().is_parent_alive()
        return self.alive

    # In any thread ------------------------------------------------------------------------------------------------
    def has_room(self, besides: Turn | None = None) -> bool:
        turns = [turn for turn in list(self.turns) if turn is not besides]
        lately = time.monotonic() - LONG
        return len(turns) < self.cfg.threads and sum(turn.since > lately for turn in turns) < settings.WEB_THREADS

    def take(self, turn: Turn) -> bool:
        while (kept := self.handle(turn.connection)) is False:
            part(turn.connection)
            if (following := self.first_outside(turn)) is None:
                break
            turn.connection, turn.since = following, time.monotonic()
        return kept

    def first_outside(self, turn: Turn) -> TConn | None:
        if not self.alive or self.line or not self.has_room(besides=turn):
            return None
        return next(filter(None, map(self.accepted, self.sockets)), None)

    def accepted(self, listener: socket.socket) -> TConn | None:
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):  # another process was faster, or the client has gone
            return None
        connection = TConn(self.cfg, client, address, listener.getsockname())
        if not has_unread(client):
            self.method_queue.defer(self.expect, connection)
            return None
        connection.data_ready = True
        return connection

    def handle_request(self, req: Request, conn: TConn) -> bool:
        if self.alive and (self.line or self.has_callers() or self.is_crowded()):
            req.force_close()
        return super().handle_request(req, conn)

    def is_crowded(self) -> bool:
        """Several are at work here and there is no room for more, while another process may have nothing to do."""
        return len(self.turns) > 1 and not self.has_room()

    def has_callers(self) -> bool:
        poll = select.poll()
        for listener in self.sockets:
            poll.register(listener, select.POLLIN)
        return bool(poll.poll(0))


def part(connection: TConn) -> None:
    """At once, where there was an answer and all that was sent has been read. Otherwise the answer could be lost on its
    way, so that the client gets time to see it."""
    parser: Any = connection.parser
    try:
        announced = parser is not None and parser.mesg is not None and parser.mesg.should_close()
        read = announced and parser.finish_body(deadline=time.monotonic() + AT_ONCE)
        connection.close(graceful=not read or has_unread(connection.sock))
    except (OSError, ParseException):
        connection.close(graceful=True)


def has_unread(connection: socket.socket) -> bool:
    """Also when it is the end of the connection, or that it broke."""
    try:
        connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
