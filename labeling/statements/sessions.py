"""What a connection keeps for its statements, and what waits to be written by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction


@dataclass
class Writes:
    """What is to be written with the next question, in the order in which it was said."""

    calls: list[str] = field(default_factory=list)
    given: list[Any] = field(default_factory=list)
    may_wait: bool = False

    def add(self, call: str, values: Sequence[Any]) -> None:
        self.calls.append(call)
        self.given += values

    def before(self, call: str, values: Sequence[Any]) -> tuple[str, list[Any]]:
        """All of it and then this, as one; nothing waits any more."""
        calls, given = "; ".join([*self.calls, call] if call else self.calls), [*self.given, *values]
        self.forget()
        return calls, given

    def forget(self) -> None:
        self.calls.clear()
        self.given.clear()


@dataclass
class Session:
    """What a connection keeps for its statements: one cursor, because to make one takes as long as to ask a short
    question, the numbers of what it has prepared, and what waits to be written."""

    connection: Any
    cursor: Any
    prepared: set[int] = field(default_factory=set)
    writes: Writes = field(default_factory=Writes)

    @classmethod
    def of(cls, database: Any) -> Session:
        if not database.health_check_done:
            database.close_if_health_check_failed()
        kept: Session | None = getattr(database, "session_for_statements", None)
        if kept is None or kept.connection is not database.connection:
            cursor = database.cursor()
            kept = database.session_for_statements = cls(database.connection, cursor)
        if database.force_debug_cursor:  # only a new cursor counts what it is asked
            return cls(kept.connection, database.cursor(), kept.prepared, kept.writes)
        return kept

    def send(self, call: str = "", values: Sequence[Any] = ()) -> None:
        """In one journey: what waits, and this."""
        if self.writes.calls or call:
            self.cursor.execute(*self.writes.before(call, values))

    def send_before(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        """Whatever else is asked of the database finds written what was said before."""
        if self.writes.calls:
            self.send()
        return execute(sql, params, many, context)


@contextmanager
def writing_along() -> Iterator[None]:
    """A transaction whose writes go with the next question, or at its end, instead of one journey each. PostgreSQL
    alone is far enough away for that to be worth it."""
    database: Any = connections[DEFAULT_DB_ALIAS]
    with transaction.atomic():
        if database.vendor != "postgresql":
            yield
            return
        session = Session.of(database)
        with database.execute_wrapper(session.send_before):
            session.writes.may_wait = True
            try:
                yield
                session.send()
            finally:
                session.writes.may_wait = False
                session.writes.forget()
