"""Many items that come by one call can be found by their words when a job has made them; few at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction

from labeling import tasks
from labeling.corpus import indexing, searching
from labeling.corpus.importing import Options, import_list
from labeling.corpus.indexing import KIND, MOST_AT_ONCE
from labeling.corpus.models import Item, Project
from labeling.corpus.searching import search
from labeling.jobs import queue, running
from labeling.jobs.models import Job, State
from labeling.people.models import User
from tests.corpus.samples import text_pair

OPTIONS = Options(kind="text_pair")


def found(words: str) -> int:
    return search(Item.objects.all(), words).count()


def bring(project: Project, count: int, *, start: int = 0, by: User | None = None) -> None:
    rows = [{"key": str(number), **text_pair(number, context="quokka")} for number in range(start, start + count)]
    import_list(rows, project, OPTIONS, by=by)


def work_off() -> None:
    for job in Job.objects.filter(kind=KIND, state=State.QUEUED):
        running.run(job.pk, tasks.WORK)


@pytest.mark.django_db
def test_few_are_found_at_once_and_many_after_the_job(project: Project, alice: User) -> None:
    bring(project, MOST_AT_ONCE)
    assert found("quokka") == MOST_AT_ONCE
    assert not Job.objects.filter(kind=KIND).exists()
    many = MOST_AT_ONCE + 1
    for place in (1, 2):
        bring(project, many, start=1000 * place, by=alice)
    assert Item.objects.count() == MOST_AT_ONCE + 2 * many
    assert found("quokka") == MOST_AT_ONCE
    job = Job.objects.get(kind=KIND)  # one for both
    assert job.created_by == alice
    work_off()
    assert found("quokka") == MOST_AT_ONCE + 2 * many
    bring(project, many, start=5000)
    assert Job.objects.filter(kind=KIND).count() == 2  # the first is over, and would not see these
    work_off()
    assert found("quokka") == MOST_AT_ONCE + 3 * many


@pytest.mark.django_db
def test_a_job_that_waits_for_more_takes_all_of_it_until_it_has_looked(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise every worker would come to wait for the same import."""
    many = MOST_AT_ONCE + 1
    bring(project, many)
    starts = iter([1000, 2000])

    def more(_: Project) -> bool:
        start = next(starts, None)
        if start is not None:
            bring(project, many, start=start)
        return start is not None

    def index(project: Project, **options: Any) -> int:
        count = searching.index_words(project, **options)
        bring(project, many, start=9000)
        return count

    monkeypatch.setattr(indexing, "is_being_filled", more)
    monkeypatch.setattr(indexing, "index_words", index)
    monkeypatch.setattr("labeling.corpus.indexing.time.sleep", lambda _: None)
    work_off()
    assert found("quokka") == 3 * many
    assert list(Job.objects.order_by("pk").values_list("state", flat=True)) == [State.FINISHED, State.QUEUED]
    monkeypatch.undo()
    work_off()
    assert found("quokka") == 4 * many


@pytest.mark.django_db
def test_a_job_that_is_to_stop_takes_no_more(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    many = MOST_AT_ONCE + 1
    bring(project, many)

    def stop(_: Project) -> bool:
        queue.cancel(Job.objects.get(), by=None)
        bring(project, many, start=1000)
        return False

    monkeypatch.setattr(indexing, "is_being_filled", stop)
    work_off()
    monkeypatch.undo()
    assert list(Job.objects.order_by("pk").values_list("state", flat=True)) == [State.CANCELLED, State.QUEUED]
    work_off()
    assert found("quokka") == 2 * many


on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_who_bring_many_at_once_start_one_job(project: Project) -> None:
    many = MOST_AT_ONCE + 1

    def another() -> None:
        try:
            bring(project, many, start=1000)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            bring(project, many)
            other = pool.submit(another)
            with pytest.raises(TimeoutError):
                other.result(timeout=1)
        other.result(timeout=30)
    assert Job.objects.filter(kind=KIND).count() == 1
    work_off()
    assert found("quokka") == 2 * many


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_the_job_waits_for_what_is_being_stored(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "QUIET", timedelta(0))  # it waits for nothing else
    many = MOST_AT_ONCE + 1
    bring(project, many)
    stored, begun = Event(), Event()

    def work() -> None:
        try:
            stored.wait(20)
            begun.set()
            work_off()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            bring(project, many, start=1000)  # starts no job of its own: one waits
            waiting = pool.submit(work)
            stored.set()
            begun.wait(20)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=1)  # it needs the lock that this transaction holds
        waiting.result(timeout=30)
    assert found("quokka") == 2 * many
