"""Statements that are built once. Django takes a millisecond to turn a query set into SQL, and PostgreSQL longer to
plan it than to answer it. What every vote repeats is said in Django's language, built at its first use, prepared once
for each connection, and kept."""
# ruff: noqa: S608, SLF001 (the names of our own tables and columns, the way Django keeps them)

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.query import get_related_populators

M = TypeVar("M", bound=Model)
numbers = count(1)
Database = BaseDatabaseWrapper
Change = tuple[Model, tuple[str, ...]]  # a row, and which of its fields
prepared: WeakKeyDictionary[Any, set[int]] = WeakKeyDictionary()  # by connection, the numbers of what it knows


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

    def run(self, cursor: Any, values: Sequence[Any]) -> None:
        """Executes it with one value for each `Given`, in their order."""
        if cursor.db.vendor == "postgresql":
            cursor.execute(self.call(cursor), values)
            return
        rest = iter(values)  # elsewhere it costs little to say it all again
        cursor.execute(self.sql, [next(rest) if isinstance(each, Given) else each for each in self.parameters])

    def call(self, cursor: Any) -> str:
        """How PostgreSQL is asked for it, with a place for each `Given`."""
        known = prepared.setdefault(cursor.db.connection, set())
        if self.number not in known:
            cursor.execute(f"PREPARE statement_{self.number} AS {self.numbered(cursor)}")
            known.add(self.number)
        return self.execution

    @cached_property
    def execution(self) -> str:
        places = ", ".join("%s" for each in self.parameters if isinstance(each, Given))
        return f"EXECUTE statement_{self.number}{f' ({places})' if places else ''}"

    def numbered(self, cursor: Any) -> str:
        """With $1, $2, … for what is given, and all else as it stays."""
        places = count(1)
        return self.sql % tuple(
            f"${next(places)}" if isinstance(each, Given) else cursor.mogrify("%s", [each]).decode()
            for each in self.parameters
        )


@dataclass(frozen=True)
class Reading:
    """How a row of the answer becomes an object."""

    model: type[Model]
    converters: Sequence[tuple[int, Sequence[Callable[..., Any]], Any]]
    columns: slice
    names: Sequence[str]
    related: Sequence[Any]
    annotations: dict[str, int]

    @classmethod
    def of(cls, compiler: Any) -> Reading:
        select, info = compiler.select, compiler.klass_info
        alias = compiler.connection.alias
        found = compiler.get_converters([column for column, *_ in select])
        converters = [(at, methods, expression) for at, (methods, expression) in found.items()]
        columns = slice(info["select_fields"][0], info["select_fields"][-1] + 1)
        names = [column.target.attname for column, *_ in select[columns]]
        related = get_related_populators(info, select, alias)  # type: ignore[call-arg]  # stubs of a later Django
        return cls(info["model"], converters, columns, names, related, compiler.annotation_col_map or {})

    def read(self, answer: Sequence[Any], database: Database) -> Any:
        row = list(answer)
        for at, methods, expression in self.converters:
            for method in methods:
                row[at] = method(row[at], expression, database)
        found = self.model.from_db(database.alias, self.names, row[self.columns])
        for relation in self.related:
            relation.populate(row, found)
        for name, at in self.annotations.items():
            setattr(found, name, row[at])
        return found


class Statement(Generic[M]):
    """A query set that is built at its first use. What changes from call to call is `Given`; all else is fixed.
    `lock` is for a lock that Django has no word for; where the database has none of rows, it is left out."""

    def __init__(self, describe: Callable[[], QuerySet[M]], *, lock: str = "") -> None:
        self.describe, self.lock = describe, lock
        self.built: dict[str, tuple[Command, Reading]] = {}  # by database engine

    def all(self, **values: Any) -> list[M]:
        database = connections[DEFAULT_DB_ALIAS]
        if database.vendor not in self.built:
            self.built[database.vendor] = self.build(database)
        command, reading = self.built[database.vendor]
        given = [each.value(values, database) for each in command.parameters if isinstance(each, Given)]
        cursor = kept_cursor(database)
        command.run(cursor, given)
        return [reading.read(row, database) for row in cursor.fetchall()]

    def first(self, **values: Any) -> M | None:
        found = self.all(**values)
        return found[0] if found else None

    def build(self, database: Database) -> tuple[Command, Reading]:
        compiler: Any = self.describe().query.get_compiler(connection=database)
        sql, parameters = compiler.as_sql()
        lock = self.lock if database.features.has_select_for_update else ""
        return Command(f"{sql} {lock}", parameters), Reading.of(compiler)


def insert(row: Model) -> None:
    """As `row.save(force_insert=True)`, for a row whose number the database gives."""
    database = connections[DEFAULT_DB_ALIAS]
    command, fields = insertion(type(row))
    cursor = kept_cursor(database)
    command.run(cursor, written(row, fields, database))
    ((row.pk,),) = cursor.fetchall()
    row._state.adding, row._state.db = False, database.alias


def update(row: Model, *names: str) -> None:
    """As `row.save(update_fields=names)`."""
    update_all((row, names))


def update_all(*changes: Change) -> None:
    """The same for several rows, in this order; PostgreSQL is told of them all at once."""
    database = connections[DEFAULT_DB_ALIAS]
    cursor = kept_cursor(database)
    calls, given = [], []
    for row, names in changes:
        command, fields = change(type(row), names)
        values = [*written(row, fields, database), row.pk]
        if database.vendor == "postgresql":
            calls.append(command.call(cursor))
            given += values
        else:
            command.run(cursor, values)
    if calls:
        cursor.execute("; ".join(calls), given)


def kept_cursor(database: Any) -> Any:
    """The one that this connection has for all its statements: to make one takes as long as to ask a short question."""
    if database.queries_logged:
        return database.cursor()
    database.close_if_health_check_failed()
    connection, cursor = vars(database).get("kept_cursor", (None, None))
    if connection is None or connection is not database.connection:
        cursor = database.cursor()
        database.kept_cursor = (database.connection, cursor)
    return cursor


def written(row: Model, fields: list[Any], database: Database) -> list[Any]:
    return [each.get_db_prep_save(getattr(row, each.attname), database) for each in fields]


@cache
def insertion(model: type[Model]) -> tuple[Command, list[Any]]:
    fields: list[Any] = [each for each in model._meta.concrete_fields if not each.primary_key]
    columns = ", ".join(f'"{each.column}"' for each in fields)
    values = ", ".join(["%s"] * len(fields))
    sql = f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES ({values}) RETURNING id'
    return Command(sql, [Given(each.name) for each in fields]), fields


@cache
def change(model: type[Model], names: Sequence[str]) -> tuple[Command, list[Any]]:
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    columns = ", ".join(f'"{each.column}" = %s' for each in fields)
    sql = f'UPDATE "{model._meta.db_table}" SET {columns} WHERE id = %s'
    return Command(sql, [Given(name) for name in (*names, "pk")]), fields
