"""Reading one moment of the database, however long it takes and whatever others write meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """All that is read inside is of one moment, and nothing can be written; others can write. Inside of another
    transaction it is that one's moment."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with deferred(), transaction.atomic():
            yield


@contextmanager
def deferred() -> Iterator[None]:
    """Lets SQLite begin without the lock for writing, which would make everybody else wait."""
    own: Any = connection
    usual, own.transaction_mode = own.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        own.transaction_mode = usual
