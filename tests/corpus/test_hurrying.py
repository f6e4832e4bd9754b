from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from labeling.corpus import importing
from labeling.corpus.hurrying import one_ahead
from labeling.corpus.importing import Options, import_rows
from labeling.corpus.models import Item, Project
from labeling.corpus.projects import create_project
from labeling.corpus.reading import Row, row_of
from labeling.corpus.storing import known_digests
from labeling.jobs.running import Cancelled
from labeling.people.models import User
from labeling.refusals import Invalid
from tests.corpus.samples import review_rename


def rows(count: int, seen: list[int] | None = None) -> Iterator[Row]:
    for number in range(count):
        if seen is not None:
            seen.append(number)
        yield row_of(number + 1, {"key": f"item-{number}", **review_rename(number)})


def reading_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("ahead")]


def test_elements_come_in_order_and_at_most_one_is_made_ahead() -> None:
    made: list[int] = []

    def source() -> Iterator[int]:
        for number in range(20):
            made.append(number)
            yield number

    with one_ahead(source()) as coming:
        for number in coming:
            assert len(made) <= number + 2
    assert made == list(range(20))
    assert not reading_threads()


def test_next_batch_is_made_while_the_last_is_stored() -> None:
    second_made = threading.Event()

    def source() -> Iterator[int]:
        yield 1
        second_made.set()
        yield 2

    with one_ahead(source()) as coming:
        assert next(coming) == 1
        assert second_made.wait(10)


def test_batches_before_an_unreadable_place_are_stored_and_the_error_is_told(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "BATCH", 2)

    def cut() -> Iterator[Row]:
        yield from rows(4)
        raise Invalid("Line 5 is not CSV.")

    with pytest.raises(Invalid, match="Line 5"):
        bring(project, cut())
    assert Item.objects.count() == 4
    assert not reading_threads()


def test_cancel_ends_the_reading_too(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "BATCH", 2)
    read: list[int] = []

    def cancel(*_: object) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        bring(project, rows(100, read), done_with=cancel)
    assert not reading_threads()
    assert len(read) <= 4


def test_thread_that_reads_has_no_connection_to_the_database(project: Project) -> None:
    at_the_end: list[tuple[str, object]] = []

    def watched() -> Iterator[Row]:
        yield from rows(5)
        at_the_end.append((threading.current_thread().name, connection.connection))

    bring(project, watched())
    [(name, opened)] = at_the_end
    assert name.startswith("ahead")
    assert opened is None


def test_known_keys_of_a_new_project_are_looked_up_by_their_index(project: Project, alice: User) -> None:
    """What the database knows of the table says that the new project has next to nothing."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite goes by the index anyway")
    bring(create_project(name="Older", by=alice), rows(500))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE labeling_item")
    bring(project, rows(500))
    with CaptureQueriesContext(connection) as queries:
        assert len(known_digests([f"item-{number}" for number in range(490, 510)], project)) == 10
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {queries[0]['sql']}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Index Scan using item_key_once_per_project" in plan


def bring(project: Project, source: Iterator[Row], done_with: object = lambda *_: None) -> None:
    import_rows(
        source,
        project,
        Options(kind="review_rename"),
        step=lambda _: transaction.atomic(),
        done_with=done_with,  # type: ignore[arg-type]
    )
