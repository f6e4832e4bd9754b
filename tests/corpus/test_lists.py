"""Rows that come by one call: mostly new ones, which several may bring at the same time."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from labeling.corpus.exporting import item_numbers, write_items
from labeling.corpus.importing import Options, Outcome, import_list
from labeling.corpus.models import Item, Project
from labeling.corpus.projects import lock
from tests.corpus.samples import text_pair
from tests.jobs.waiting import wait_for


def rows(*numbers: int, **fields: Any) -> list[dict[str, Any]]:
    return [{"key": str(number), **text_pair(number), **fields} for number in numbers]


def bring(project: Project, brought: list[dict[str, Any]], **options: Any) -> Outcome:
    return import_list(brought, project, Options(kind="text_pair", **options))


def counts(outcome: Outcome) -> dict[str, int]:
    return {name: value for name, value in outcome.as_dict().items() if isinstance(value, int) and value}


@pytest.mark.parametrize("known", [1, 5, 9])
def test_known_ones_are_told_from_new_ones_wherever_they_stand(project: Project, known: int) -> None:
    bring(project, rows(known))
    assert counts(bring(project, rows(*range(1, 10)))) == {"rows": 9, "new": 8, "unchanged": 1}
    assert counts(bring(project, rows(known, context="another"))) == {"rows": 1, "changed": 1}
    assert Item.objects.count() == 9


def test_key_that_comes_twice_is_one_item(project: Project) -> None:
    assert counts(bring(project, rows(1, 2, 1))) == {"rows": 3, "new": 2, "unchanged": 1}
    assert list(Item.objects.values_list("key", flat=True)) == ["1", "2"]


def test_nothing_is_stored_for_a_trial_or_when_a_bad_row_spoils_all(project: Project) -> None:
    bring(project, rows(1))
    mixed = [*rows(1, 2), {"first": "alone"}]
    assert counts(bring(project, mixed, dry_run=True)) == {"rows": 3, "new": 1, "unchanged": 1, "bad": 1}
    assert counts(bring(project, mixed, all_or_nothing=True)) == {"rows": 3, "unchanged": 1, "bad": 1}
    assert counts(bring(project, mixed, dry_run=True, all_or_nothing=True)) == {"rows": 3, "unchanged": 1, "bad": 1}
    assert Item.objects.count() == 1
    assert counts(bring(project, mixed)) == {"rows": 3, "new": 1, "unchanged": 1, "bad": 1}


@pytest.mark.django_db(transaction=True)
def test_the_same_brought_by_many_at_once_is_stored_once(project: Project) -> None:
    many = rows(*range(300))

    def one(_: int) -> int:
        try:
            return bring(project, many).new
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(one, range(4))) == 300
    assert Item.objects.count() == 300


on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets only one write at a time")


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_who_wait_for_each_other_both_get_done(project: Project) -> None:
    def another() -> dict[str, int]:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET deadlock_timeout = '5s'")
            return counts(bring(project, rows(150, 1)))
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL deadlock_timeout = '60s'")
            bring(project, rows(1, 2))
            other = pool.submit(another)
            wait_for(lambda: somebody_waits(cursor))  # for our first item, with theirs in hand
            assert bring(project, rows(3, 150, 4)).new == 3
        assert other.result(20) == {"rows": 2, "unchanged": 2}
    assert Item.objects.count() == 5


def somebody_waits(cursor: Any) -> bool:
    cursor.execute("SELECT pg_stat_clear_snapshot()")  # a transaction would see the same all the time
    cursor.execute("SELECT wait_event_type FROM pg_stat_activity WHERE datname = current_database()")
    return ("Lock",) in cursor.fetchall()


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_who_needs_the_project_alone_is_not_overtaken(project: Project) -> None:
    order: list[str] = []

    def act(name: str, verb: Callable[[], object]) -> None:
        try:
            with transaction.atomic():
                verb()
                order.append(name)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic(), connection.cursor() as cursor:
            bring(project, rows(1))
            alone = pool.submit(act, "alone", lambda: lock(project))
            wait_for(lambda: somebody_waits(cursor))
            later = pool.submit(act, "later", lambda: bring(project, rows(2)))
            with pytest.raises(TimeoutError):
                later.result(1)
        alone.result(20)
        later.result(20)
    assert order == ["alone", "later"]


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_who_bring_new_ones_do_not_wait_for_each_other(project: Project) -> None:
    def another() -> int:
        try:
            return bring(project, rows(*range(100, 200))).new
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        assert bring(project, rows(*range(100))).new == 100
        assert pool.submit(another).result(20) == 100


def test_export_has_what_was_there_when_it_began(project: Project) -> None:
    """What comes in meanwhile may get a smaller number than what is there, and would be missed or make it too many."""
    bring(project, rows(1, 2))
    numbers = item_numbers(project, "text_pair")
    bring(project, rows(3))
    file = io.StringIO()
    assert sum(write_items(file, numbers, kind="text_pair", form="jsonl")) == len(numbers) == 2
    assert [json.loads(line)["key"] for line in file.getvalue().splitlines()] == ["1", "2"]
