"""Statements that are built once. Django takes a millisecond to turn a query set into SQL, and PostgreSQL longer to
plan it than to answer it. What every vote repeats is said in Django's language, built at its first use, prepared once
for each connection, and kept."""
# ruff: noqa: S608, SLF001 (the names of our own tables and columns, the way Django keeps them)

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Expression, Field, Model, QuerySet
from django.db.models.base import ModelState

M = TypeVar("M", bound=Model)
numbers = count(1)
Database = BaseDatabaseWrapper


@dataclass
class Writes:
    """What is to be written with the next question, in the order in which it was said."""

    calls: list[str] = field(default_factory=list)
    given: list[Any] = field(default_factory=list)
    may_wait: bool = False

    def add(self, call: str, values: Sequence[Any]) -> None:
        self.calls.append(call)
        self.given += values

    def before(self, call: str, values: Sequence[Any]) -> tuple[str, list[Any]]:
        """All of it and then this, as one; nothing waits any more."""
        calls, given = "; ".join([*self.calls, call] if call else self.calls), [*self.given, *values]
        self.forget()
        return calls, given

    def forget(self) -> None:
        self.calls.clear()
        self.given.clear()


@dataclass
class Session:
    """What a connection keeps for its statements: one cursor, because to make one takes as long as to ask a short
    question, the numbers of what it has prepared, and what waits to be written."""

    connection: Any
    cursor: Any
    prepared: set[int] = field(default_factory=set)
    writes: Writes = field(default_factory=Writes)

    @classmethod
    def of(cls, database: Any) -> Session:
        if not database.health_check_done:
            database.close_if_health_check_failed()
        kept: Session | None = getattr(database, "session_for_statements", None)
        if kept is None or kept.connection is not database.connection:
            cursor = database.cursor()
            kept = database.session_for_statements = cls(database.connection, cursor)
        if database.force_debug_cursor:  # only a new cursor counts what it is asked
            return cls(kept.connection, database.cursor(), kept.prepared, kept.writes)
        return kept

    def send(self, call: str = "", values: Sequence[Any] = ()) -> None:
        """In one journey: what waits, and this."""
        if self.writes.calls or call:
            self.cursor.execute(*self.writes.before(call, values))

    def send_before(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        """Whatever else is asked of the database finds written what was said before."""
        if self.writes.calls:
            self.send()
        return execute(sql, params, many, context)


@contextmanager
def writing_along() -> Iterator[None]:
    """A transaction whose writes go with the next question, or at its end, instead of one journey each. PostgreSQL
    alone is far enough away for that to be worth it."""
    database: Any = connections[DEFAULT_DB_ALIAS]
    with transaction.atomic():
        if database.vendor != "postgresql":
            yield
            return
        session = Session.of(database)
        with database.execute_wrapper(session.send_before):
            session.writes.may_wait = True
            try:
                yield
                session.send()
            finally:
                session.writes.may_wait = False
                session.writes.forget()


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


@dataclass(frozen=True)
class Part:
    """Where in a row of the answer an object is, and the objects it refers to. They are made as `from_db` makes
    them, but without signals and without the setter of each field, which nothing here needs."""

    model: type[Model]
    columns: slice
    names: Sequence[str]
    key: int
    parts: Sequence[Part]
    link: Callable[[Model, Model | None], None]
    link_back: Callable[[Model, Model], None]

    @classmethod
    def of(cls, info: dict[str, Any], select: Sequence[Any]) -> Part:
        columns = slice(info["select_fields"][0], info["select_fields"][-1] + 1)
        model, names = info["model"], [column.target.attname for column, *_ in select[columns]]
        key = columns.start + names.index(model._meta.pk.attname)
        parts = [cls.of(related, select) for related in info.get("related_klass_infos", [])]
        return cls(model, columns, names, key, parts, info.get("local_setter"), info.get("remote_setter"))  # type: ignore[arg-type]  # the first has none

    def read(self, row: Sequence[Any], alias: str) -> Any:
        if row[self.key] is None:
            return None
        found = self.model.__new__(self.model)
        found._state = state = ModelState()
        state.adding, state.db = False, alias
        vars(found).update(zip(self.names, row[self.columns], strict=True))
        for part in self.parts:
            related = part.read(row, alias)
            part.link(found, related)
            if related is not None:
                part.link_back(related, found)
        return found


@dataclass(frozen=True)
class Reading:
    """How a row of the answer becomes an object."""

    converters: Sequence[tuple[int, Sequence[Callable[..., Any]], Any]]
    whole: Part
    annotations: dict[str, int]

    @classmethod
    def of(cls, compiler: Any) -> Reading:
        found = compiler.get_converters([column for column, *_ in compiler.select])
        converters = [(at, methods, expression) for at, (methods, expression) in found.items()]
        return cls(converters, Part.of(compiler.klass_info, compiler.select), compiler.annotation_col_map or {})

    def read(self, answer: Sequence[Any], database: Database) -> Any:
        row = list(answer)
        for at, methods, expression in self.converters:
            for method in methods:
                row[at] = method(row[at], expression, database)
        found = self.whole.read(row, database.alias)
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
        session = Session.of(database)
        command.run(session, [each.value(values, database) for each in command.given])
        return [reading.read(row, database) for row in session.cursor.fetchall()]

    def first(self, **values: Any) -> M | None:
        found = self.all(**values)
        return found[0] if found else None

    def build(self, database: Database) -> tuple[Command, Reading]:
        compiler: Any = self.describe().query.get_compiler(connection=database)
        sql, parameters = compiler.as_sql()
        lock = self.lock if database.features.has_select_for_update else ""
        return Command(f"{sql} {lock}", parameters), Reading.of(compiler)


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
