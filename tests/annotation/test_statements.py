"""Statements that are built once say what the query set says, and say it to every connection."""

from __future__ import annotations

import threading
from contextlib import nullcontext, suppress
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import Exists, IntegerField, OuterRef, QuerySet, UUIDField

from labeling.annotation.models import Assignment, Draft, Rater, Vote
from labeling.corpus.models import Project
from labeling.statements import Given, NextNumber, Statement, insert, update, writing_along
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


def test_a_row_whose_number_is_known_is_written_under_it(round_with_votes: Any) -> None:
    first = Vote.objects.all()[0]
    numbers = Statement(lambda: Rater.objects.annotate(coming=NextNumber(Vote)).filter(pk=Given("pk")).order_by())
    number = vars(numbers.first(pk=first.rater_id))["coming"]
    assert (number is None) == (connection.vendor != "postgresql")
    again = Vote(pk=number or 99, assignment=first.assignment, rater=first.rater, revision=2, submission=uuid4(),
                 protocol=first.protocol, answers={})  # fmt: skip
    insert(again)
    assert Vote.objects.get(submission=again.submission).pk == again.pk
    later = Vote(assignment=first.assignment, rater=first.rater, revision=3, submission=uuid4(),
                 protocol=first.protocol, answers={})  # fmt: skip
    insert(later)
    assert later.pk > again.pk


def places() -> list[int]:
    return list(Rater.objects.order_by("pk").values_list("place", flat=True))


def test_writes_go_along_in_their_order(round_with_votes: Any) -> None:
    one, other = Rater.objects.order_by("pk")
    again = Rater.objects.get(pk=one.pk)
    one.place, other.place, other.recent, again.place = 7, 8, [[2, 1.5]], 9
    with writing_along():
        update(again, "place")
        update(one, "place")
        update(other, "place", "recent")
        update(again, "place")
    assert places() == [9, 8]
    assert Rater.objects.get(pk=other.pk).recent == [[2, 1.5]]


STANDING = Statement(lambda: Rater.objects.filter(pk=Given("pk")).order_by())


@pytest.mark.parametrize("asked_by", [lambda pk: STANDING.first(pk=pk), lambda pk: Rater.objects.get(pk=pk)])
def test_what_was_written_is_found_by_the_next_question(round_with_votes: Any, asked_by: Any) -> None:
    rater = Rater.objects.all()[0]
    with writing_along():
        rater.place = 7
        update(rater, "place")
        assert asked_by(rater.pk).place == 7
        rater.place = 8
        update(rater, "place")
    assert Rater.objects.get(pk=rater.pk).place == 8


def test_what_was_to_be_written_is_forgotten_when_something_breaks(round_with_votes: Any) -> None:
    one, other = Rater.objects.order_by("pk")
    before, one.place, other.place = one.place, 7, 8
    with suppress(LookupError), writing_along():
        update(one, "place")
        raise LookupError
    with writing_along():
        update(other, "place")
    assert places() == [before, 8], "nothing of the first goes along with the second"
    update(one, "place")
    assert places() == [7, 8], "outside it is written at once"


def test_what_the_database_refuses_is_told_before_the_end(round_with_votes: Any) -> None:
    rater = Rater.objects.all()[0]
    rater.place = -1
    with pytest.raises(IntegrityError), transaction.atomic(), writing_along():
        update(rater, "place")
    with writing_along():
        pass
    assert -1 not in places()


@on_postgresql
def test_writes_need_no_journey_of_their_own(round_with_votes: Any, django_assert_num_queries: Any) -> None:
    rater = Rater.objects.all()[0]
    for _ in range(2):  # prepared by the first
        with django_assert_num_queries(4) if _ else nullcontext(), writing_along():  # with a savepoint and its end
            update(rater, "place")
            update(rater, "seen_at")
            STANDING.first(pk=rater.pk)
            update(rater, "place")


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
