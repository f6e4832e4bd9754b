"""Emptying the tables after a test. SQLite does it row by row, and a frozen release is never removed: not even then."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from django.db import connection


def let_tests_empty_everything() -> None:
    """Takes the trigger away for the moment of emptying, where there is one."""
    if connection.vendor != "sqlite":
        return
    kept = import_module("labeling.migrations.0011_release_kept")
    operations: Any = type(connection.ops)
    plain = operations.sql_flush

    def sql_flush(*arguments: Any, **options: Any) -> list[str]:
        statements: list[str] = plain(*arguments, **options)
        return [kept.UNKEPT, *statements, kept.KEPT] if statements else []

    operations.sql_flush = sql_flush
