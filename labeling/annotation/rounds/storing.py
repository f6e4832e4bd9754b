"""Writing many rows of a plan at once, by the fastest way each engine has. Cells are numbers and words of ours."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from django.db import connection, models

Cell = int | str | None


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    table, names = model._meta.db_table, ", ".join(map(connection.ops.quote_name, columns))  # noqa: SLF001 (Django's way)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.copy_expert(f"COPY {table} ({names}) FROM STDIN", io.StringIO("".join(map(copy_line, rows))))
        else:
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(rows))  # noqa: S608 (our names)


def copy_line(row: Sequence[Cell]) -> str:
    return "\t".join("\\N" if cell is None else str(cell) for cell in row) + "\n"


def refresh_statistics(*tables: type[models.Model]) -> None:
    """Tells PostgreSQL what was written, or it plans the first claims for empty tables."""
    if connection.vendor != "postgresql":
        return
    names = ", ".join(table._meta.db_table for table in tables)  # noqa: SLF001 (Django's way)
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {names}")
