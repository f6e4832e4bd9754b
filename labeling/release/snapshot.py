"""One state of the database for a long read, while others go on writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from django.db import DEFAULT_DB_ALIAS, connection, connections

BEGIN = {
    "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "sqlite": "BEGIN",  # not IMMEDIATE, as `atomic` would: a reader of the log keeps no writer waiting
}
Aside = Callable[[], AbstractContextManager[None]]


@contextmanager
def snapshot() -> Iterator[Aside]:
    """Everything read inside is of one moment. What is to be written meanwhile goes `aside`, by another connection."""
    if connection.in_atomic_block:  # it is a snapshot's equal already
        yield nullcontext
        return
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
    spare = connections.create_connection(DEFAULT_DB_ALIAS)

    @contextmanager
    def aside() -> Iterator[None]:
        held = connections[DEFAULT_DB_ALIAS]
        connections[DEFAULT_DB_ALIAS] = spare
        try:
            yield
        finally:
            connections[DEFAULT_DB_ALIAS] = held

    try:
        yield aside
    finally:
        spare.close()
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")
