"""What `bin/backup FILE` becomes: one consistent archive of the installation, while the app runs or not."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.archive import (
    FILES,
    SECRET,
    SQLITE_MEMBER,
    TABLES,
    ArchiveError,
    Command,
    Manifest,
    Writer,
    writing,
)

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper


def main() -> None:
    Command(
        name="bin/backup",
        about="Writes the whole installation into one archive.",
        file="where to; must not exist",
        act=back_up_and_tell,
        broken="the database does not answer as it should: {}. No backup was made.",
    ).run()


def back_up_and_tell(path: Path) -> str:
    manifest = back_up(path)
    rows, files = sum(manifest.rows.values()), sum(name.startswith(FILES) for name in manifest.members)
    return f"Backed up {rows:,} rows and {files:,} files into {path}."


def back_up(path: Path) -> Manifest:
    """The database first, as it is at one instant; then the files, of which none that it names is ever changed."""
    from django.db import connection

    tables = own_tables(connection)
    if "django_migrations" not in tables:
        raise ArchiveError("there is no installation here yet, so there is nothing to back up.")
    manifest = Manifest(engine=connection.vendor, migrations=[], rows={})
    with writing(path, manifest) as writer:
        if connection.vendor == "postgresql":
            copy_tables(connection, tables, writer, folder=path.parent)
        else:
            copy_sqlite(connection, tables, writer, folder=path.parent)
        copy_files(writer)
    return manifest


def own_tables(connection: BaseDatabaseWrapper) -> list[str]:
    with connection.cursor() as cursor:
        there = set(connection.introspection.table_names(cursor))
    return sorted(there & {*connection.introspection.django_table_names(), "django_migrations"})


def copy_sqlite(connection: BaseDatabaseWrapper, tables: list[str], writer: Writer, *, folder: Path) -> None:
    import sqlite3

    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        copy = Path(scratch) / "copy"
        with connection.cursor() as cursor:
            cursor.execute(
                "VACUUM INTO %s", [str(copy)]
            )  # one read transaction: what is written meanwhile is not in it
        snapshot = sqlite3.connect(copy)
        take_stock(snapshot.execute, tables, writer.manifest)
        snapshot.close()
        with copy.open("rb") as source:
            writer.add(SQLITE_MEMBER, source)


def copy_tables(connection: BaseDatabaseWrapper, tables: list[str], writer: Writer, *, folder: Path) -> None:
    from django.db import transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")  # one snapshot for all tables

        def query(sql: str) -> Any:
            cursor.execute(sql)
            return cursor

        take_stock(query, tables, writer.manifest)
        for table in tables:
            described = connection.introspection.get_table_description(cursor, table)
            writer.manifest.columns[table] = [column.name for column in described]
            names = ", ".join(f'"{column.name}"' for column in described)
            with tempfile.TemporaryFile(dir=folder) as spool:
                with connection.wrap_database_errors:
                    cursor.copy_expert(f'COPY "{table}" ({names}) TO STDOUT', spool)
                spool.seek(0)
                writer.add(f"{TABLES}{table}", spool)


def take_stock(query: Any, tables: list[str], manifest: Manifest) -> None:
    manifest.migrations = [list(row) for row in query("SELECT app, name FROM django_migrations ORDER BY id").fetchall()]
    for table in tables:
        manifest.rows[table] = query(f'SELECT COUNT(*) FROM "{table}"').fetchone()[0]  # noqa: S608 (our tables)


def copy_files(writer: Writer) -> None:
    from django.conf import settings

    for path in sorted(settings.MEDIA_ROOT.rglob("*")):
        if path.is_file():
            add_file(writer, FILES + path.relative_to(settings.MEDIA_ROOT).as_posix(), path)
    if (settings.VAR_DIR / SECRET).exists():
        add_file(writer, SECRET, settings.VAR_DIR / SECRET)


def add_file(writer: Writer, name: str, path: Path) -> None:
    try:
        source = path.open("rb")
    except FileNotFoundError:
        return  # removed since we looked: whatever named it is gone too
    with source:
        writer.add(name, source)


if __name__ == "__main__":
    main()
