"""A query set that is built at its first use, and how its answer becomes objects."""
# ruff: noqa: SLF001 (the way Django keeps the state of its objects)

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper as Database
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState

from labeling.statements.commands import Command
from labeling.statements.sessions import Session

M = TypeVar("M", bound=Model)


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
