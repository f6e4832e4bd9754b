"""Statements that are built once say what the query set says, and say it to every connection."""

from __future__ import annotations

import threading
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import Exists, IntegerField, OuterRef, QuerySet, UUIDField

from labeling.annotation.models import Assignment, Draft, Rater, Vote
from labeling.corpus.models import Project
from labeling.statements import Given, Statement, insert, update, update_all
from tests.annotation.samples import annotators, items, judge, opened_round

on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite prepares nothing")


@pytest.fixture
def round_with_votes(project: Project) -> Any:
    items(project, 3)
    people = annotators(project, 2)
    round = opened_round(project, people, votes=2)
    for user in people:
        judge(user, round)
    return round


def described(slot: Any, submission: Any, factor: Any) -> QuerySet[Assignment]:
    """With what query sets are made of: joins, a subquery, a sum, a sign of per cent, and values that stay."""
    drafts = Draft.objects.filter(round_item=OuterRef("round_item"), rater__number__lt=5)
    mine = Vote.objects.filter(submission=submission, assignment=OuterRef("pk"))
    slots = Assignment.objects.select_related("round__protocol", "vote", "rater")
    slots = slots.annotate(has_draft=Exists(drafts), is_mine=Exists(mine), mixed=factor * 7 % 5)
    return slots.filter(pk=slot, state="voted", round__name__contains="i").order_by("-pk")


STATEMENT = Statement(lambda: described(Given("slot"), Given("uuid", UUIDField()), Given("factor", IntegerField())))


def test_a_statement_finds_what_its_query_set_finds(round_with_votes: Any) -> None:
    from django.db.models import Value

    for vote in Vote.objects.all():
        (found,) = STATEMENT.all(slot=vote.assignment_id, uuid=vote.submission, factor=vote.pk)
        (wanted,) = described(vote.assignment_id, vote.submission, Value(vote.pk))
        for name in ("pk", "held_at", "voted_at", "slot", "has_draft", "is_mine", "mixed"):
            assert (name, getattr(found, name)) == (name, getattr(wanted, name))
        assert found.is_mine is True  # type: ignore[attr-defined]
        assert found.vote == vote
        assert isinstance(found.vote.submission, UUID)
        assert found.vote.answers == vote.answers
        assert found.round.protocol.content == wanted.round.protocol.content
        assert not found._state.adding
    assert STATEMENT.first(slot=0, uuid=uuid4(), factor=1) is None


def test_a_row_is_written_as_django_writes_it(round_with_votes: Any) -> None:
    first, second = Vote.objects.order_by("pk")[:2]
    again = Vote(assignment=first.assignment, rater=first.rater, revision=2, submission=uuid4(), picked=3,
                 protocol=first.protocol, answers={"include": "no", "ü": ["%s", 1.5]}, note="100 % “sure”")  # fmt: skip
    insert(again)
    stored = Vote.objects.get(pk=again.pk)
    for field in Vote._meta.concrete_fields:
        assert (field.name, getattr(stored, field.attname)) == (field.name, getattr(again, field.attname))
    rater = second.rater
    rater.recent, rater.seen_at, rater.place = [[1, None]], None, 9
    update(rater, "recent", "seen_at")
    found = Rater.objects.get(pk=rater.pk)
    assert (found.recent, found.seen_at) == ([[1, None]], None)
    assert found.place != 9  # only what was named
    assert Rater.objects.exclude(pk=rater.pk).get().recent != [[1, None]]


def test_several_rows_are_written_in_their_order(round_with_votes: Any) -> None:
    one, other = Rater.objects.order_by("pk")
    one.place, other.place, other.recent = 7, 8, [[2, 1.5]]
    update_all((one, ("place",)), (other, ("place", "recent")))
    again = Rater.objects.get(pk=one.pk)
    again.place = 9
    update_all((again, ("place",)), (one, ("place",)), (again, ("place",)))
    assert list(Rater.objects.order_by("pk").values_list("place", flat=True)) == [9, 8]
    assert Rater.objects.get(pk=other.pk).recent == [[2, 1.5]]
    update_all()


def test_statements_are_counted_like_any_other(round_with_votes: Any, django_assert_num_queries: Any) -> None:
    statement = Statement(lambda: Rater.objects.filter(pk=Given("pk")).order_by())
    rater = Rater.objects.all()[0]
    statement.first(pk=rater.pk)
    update(rater, "place")  # both are prepared now
    with django_assert_num_queries(2):
        statement.first(pk=rater.pk)
        update(rater, "place")


@on_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("in_the_middle", [False, True])
def test_a_connection_that_the_server_closed_is_made_anew(round_with_votes: Any, in_the_middle: bool) -> None:
    statement = Statement(lambda: Rater.objects.filter(pk=Given("pk")).order_by())
    rater = Rater.objects.all()[0]
    found: list[Any] = []
    known, cut = threading.Event(), threading.Event()

    def ask() -> None:
        found.append(statement.first(pk=rater.pk))
        connection.close_if_unusable_or_obsolete()  # as at the end of a request
        kept = connection.connection
        found.append(statement.first(pk=rater.pk))
        found.append(connection.connection is kept)
        connection.close_if_unusable_or_obsolete()
        if in_the_middle:
            statement.first(pk=rater.pk)
        known.set()
        cut.wait(30)
        if in_the_middle:
            with pytest.raises(OperationalError):
                statement.first(pk=rater.pk)
            connection.close_if_unusable_or_obsolete()
        found.append(statement.first(pk=rater.pk))
        found.append(connection.connection is kept)
        connection.close()

    asking = threading.Thread(target=ask)
    asking.start()
    assert known.wait(30)
    with connection.cursor() as cursor:
        others = "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
        cursor.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM ({others}) AS others")  # noqa: S608 (our own words)
    cut.set()
    asking.join(30)
    assert found == [rater, rater, True, rater, False]


@on_postgresql
def test_what_was_prepared_in_a_transaction_that_failed_is_known_after_it(round_with_votes: Any) -> None:
    statement = Statement(lambda: Rater.objects.filter(pk=Given("pk")).order_by())
    rater = Rater.objects.all()[0]
    with transaction.atomic():
        assert statement.first(pk=rater.pk) == rater
        transaction.set_rollback(True)
    assert statement.first(pk=rater.pk) == rater
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'PREPARE%%labeling_rater%%'")
        (count,) = cursor.fetchone() or (0,)
    assert count > 0


@pytest.mark.django_db(transaction=True)
def test_each_connection_learns_a_statement_of_its_own(round_with_votes: Any) -> None:
    statement = Statement(lambda: Rater.objects.filter(pk=Given("pk")).order_by())
    rater, found = Rater.objects.all()[0], []

    def ask() -> None:
        found.extend([statement.first(pk=rater.pk), statement.first(pk=rater.pk)])
        connection.close()
        found.append(statement.first(pk=rater.pk))
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [rater] * 9
