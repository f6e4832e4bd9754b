"""Making the next thing while the last one is still being stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def one_ahead(source: Iterable[T]) -> Iterator[Iterator[T]]:
    """The same elements, each made in a thread while the caller is at the one before; never more than one ahead.

    What the source raises is raised where the element would have come. On leaving, the thread has ended: whatever
    the source reads from may be closed. The source must not touch the database, whose connections belong to threads.
    """
    elements = iter(source)
    end = object()
    with ThreadPoolExecutor(1, thread_name_prefix="ahead") as thread:

        def taken() -> Iterator[T]:
            coming = thread.submit(next, elements, end)
            while (found := coming.result()) is not end:
                coming = thread.submit(next, elements, end)
                yield found  # type: ignore[misc]

        yield taken()
