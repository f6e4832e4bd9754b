"""SQL with places for what each call names, prepared once for each connection; and the two writes of the loop."""
# ruff: noqa: S608, SLF001 (the names of our own tables and columns, the way Django keeps them)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper as Database
from django.db.models import BigIntegerField, Expression, Field, Model

from labeling.statements.sessions import Session

numbers = count(1)


class NextNumber(Expression):
    """The number of a row that is about to be inserted. Who knows it beforehand need not wait for the row; where the
    database only tells it afterwards, it is None."""

    def __init__(self, model: type[Model]) -> None:
        super().__init__(output_field=BigIntegerField())
        self.table = model._meta.db_table

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "NULL", []

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "nextval(pg_get_serial_sequence(%s, %s))", [f'"{self.table}"', "id"]


class Given(Expression):
    """Stands in a query set for a value that each call names; a field says how the database writes it."""

    def __init__(self, name: str, field: Field[Any, Any] | None = None) -> None:
        super().__init__(output_field=field)
        self.name, self.written_by = name, field

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]

    def value(self, values: dict[str, Any], database: Database) -> Any:
        value = values[self.name]
        return value if self.written_by is None else self.written_by.get_db_prep_value(value, database)


@dataclass(frozen=True)
class Command:
    """SQL whose parameters are either fixed or `Given`."""

    sql: str
    parameters: Sequence[Any]
    number: int = field(default_factory=lambda: next(numbers))

    @cached_property
    def given(self) -> list[Given]:
        return [each for each in self.parameters if isinstance(each, Given)]

    def run(self, session: Session, values: Sequence[Any]) -> None:
        """Executes it with one value for each `Given`, in their order."""
        if session.cursor.db.vendor == "postgresql":
            session.send(self.call(session), values)
            return
        rest = iter(values)  # elsewhere it costs little to say it all again
        given = [next(rest) if isinstance(each, Given) else each for each in self.parameters]
        session.cursor.execute(self.sql, given)

    def write(self, session: Session, values: Sequence[Any]) -> None:
        """The same for what answers nothing: it may wait."""
        if session.writes.may_wait:
            session.writes.add(self.call(session), values)
        else:
            self.run(session, values)

    def call(self, session: Session) -> str:
        """How PostgreSQL is asked for it, with a place for each `Given`."""
        if self.number not in session.prepared:
            session.cursor.execute(f"PREPARE statement_{self.number} AS {self.numbered(session.cursor)}")
            session.prepared.add(self.number)
        return self.execution

    @cached_property
    def execution(self) -> str:
        places = ", ".join("%s" for _ in self.given)
        return f"EXECUTE statement_{self.number}{f' ({places})' if places else ''}"

    def numbered(self, cursor: Any) -> str:
        """With $1, $2, … for what is given, and all else as it stays."""
        places = count(1)
        return self.sql % tuple(
            f"${next(places)}" if isinstance(each, Given) else cursor.mogrify("%s", [each]).decode()
            for each in self.parameters
        )


def insert(row: Model) -> None:
    """As `row.save(force_insert=True)`; without a number, the row gets one from the database."""
    database = connections[DEFAULT_DB_ALIAS]
    has_number = row.pk is not None
    command, fields = insertion(type(row), has_number=has_number)
    session = Session.of(database)
    if has_number:
        command.write(session, written(row, fields, database))
    else:
        command.run(session, written(row, fields, database))
        ((row.pk,),) = session.cursor.fetchall()
    row._state.adding, row._state.db = False, database.alias


def update(row: Model, *names: str) -> None:
    """As `row.save(update_fields=names)`."""
    database = connections[DEFAULT_DB_ALIAS]
    command, fields = change(type(row), names)
    command.write(Session.of(database), [*written(row, fields, database), row.pk])


def written(row: Model, fields: list[Any], database: Database) -> list[Any]:
    return [each.get_db_prep_save(getattr(row, each.attname), database) for each in fields]


@cache
def insertion(model: type[Model], *, has_number: bool) -> tuple[Command, list[Any]]:
    fields: list[Any] = [each for each in model._meta.concrete_fields if has_number or not each.primary_key]
    columns = ", ".join(f'"{each.column}"' for each in fields)
    values = ", ".join(["%s"] * len(fields))
    answer = "" if has_number else " RETURNING id"
    sql = f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES ({values}){answer}'
    return Command(sql, [Given(each.name) for each in fields]), fields


@cache
def change(model: type[Model], names: Sequence[str]) -> tuple[Command, list[Any]]:
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    columns = ", ".join(f'"{each.column}" = %s' for each in fields)
    sql = f'UPDATE "{model._meta.db_table}" SET {columns} WHERE id = %s'
    return Command(sql, [Given(name) for name in (*names, "pk")]), fields
