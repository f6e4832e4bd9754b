"""Emptying the tables after a test. SQLite does it row by row, and a frozen release is never removed: not even then."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from django.db.backends.sqlite3.operations import DatabaseOperations


def let_tests_empty_everything() -> None:
    """Takes the trigger away for the moment of emptying. Nothing but the tests' own flush is touched."""
    kept = import_module("labeling.migrations.0011_release_kept")
    plain: Callable[..., list[str]] = DatabaseOperations.sql_flush

    def sql_flush(self: DatabaseOperations, style: Any, tables: Any, **options: Any) -> list[str]:
        statements = plain(self, style, tables, **options)
        return [kept.UNKEPT, *statements, kept.KEPT] if statements else []

    DatabaseOperations.sql_flush = sql_flush  # type: ignore[method-assign,assignment]
