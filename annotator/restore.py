"""What `bin/restore FILE` becomes: fills an empty installation from an archive of `bin/backup`, or changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from annotator.archive import (
    FILES,
    SECRET,
    SQLITE_MEMBER,
    TABLES,
    ArchiveError,
    Command,
    Manifest,
    checked,
    members,
    reading,
)

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.backends.utils import CursorWrapper

ENGINES = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}


def main() -> None:
    Command(
        name="bin/restore",
        about="Fills an empty installation from a backup.",
        file="an archive that bin/backup wrote",
        act=restore_and_tell,
        broken="the database refused: {}. Make sure that it is empty before you try again.",
    ).run()


def restore_and_tell(path: Path) -> str:
    manifest = restore(path)
    return f"Restored {sum(manifest.rows.values()):,} rows from {path}. Start the app with bin/run."


def restore(path: Path) -> Manifest:
    from django.core.management import call_command
    from django.db import connection

    from annotator.serve import hold_lock

    with reading(path):
        manifest = checked(path)
    lock = hold_lock()
    require_fit(connection, manifest)
    require_empty(connection)
    with all_or_nothing(connection):
        load_files(path)
        if connection.vendor == "postgresql":
            load_tables(connection, path, manifest)
        else:
            load_sqlite(connection, path)
            require_rows(connection, manifest)
    call_command("migrate", interactive=False, verbosity=0)  # from the version of the backup to ours
    lock.close()
    return manifest


def require_fit(connection: BaseDatabaseWrapper, manifest: Manifest) -> None:
    from django.db.migrations.loader import MigrationLoader

    if manifest.engine != connection.vendor:
        made, here = ENGINES.get(manifest.engine, manifest.engine), ENGINES[connection.vendor]
        raise ArchiveError(f"this backup is of {made}, and the database here is {here}. Set DATABASE_URL accordingly.")
    known = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    if unknown := [name for app, name in manifest.migrations if (app, name) not in known]:
        raise ArchiveError(f"this backup is of a newer version, which knows the migration {unknown[0]}. Update first.")


def require_empty(connection: BaseDatabaseWrapper) -> None:
    from django.conf import settings

    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
    if tables:
        raise ArchiveError("there is an installation here already. A backup is restored into an empty database only.")
    if settings.MEDIA_ROOT.exists() and any(settings.MEDIA_ROOT.iterdir()):
        raise ArchiveError(f"{settings.MEDIA_ROOT} is not empty. A backup is restored into an empty folder only.")


@contextmanager
def all_or_nothing(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """When something fails, what was written goes again, so that the same can be tried once more. PostgreSQL, which
    takes it all in one transaction, sees to itself."""
    from django.conf import settings

    try:
        yield
    except BaseException:
        shutil.rmtree(settings.MEDIA_ROOT, ignore_errors=True)
        if connection.vendor == "sqlite":
            remove_sqlite(connection)
        raise


def remove_sqlite(connection: BaseDatabaseWrapper) -> None:
    connection.close()
    database = Path(connection.settings_dict["NAME"])
    for suffix in ("", "-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def load_sqlite(connection: BaseDatabaseWrapper, path: Path) -> None:
    for info, source in members(path):
        if info.name == SQLITE_MEMBER:
            remove_sqlite(connection)
            write(Path(connection.settings_dict["NAME"]), source)


def load_tables(connection: BaseDatabaseWrapper, path: Path, manifest: Manifest) -> None:
    """The tables as they were made at the time of the backup, and all rows, in one transaction."""
    from django.db import transaction
    from django.db.migrations.executor import MigrationExecutor

    with transaction.atomic(), connection.cursor() as cursor:
        executor = MigrationExecutor(connection)
        executor.migrate([(app, name) for app, name in manifest.migrations])
        # Migrations have foreign keys checked at once, and the tables come in any order.
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        tables = ", ".join(f'"{table}"' for table in manifest.rows)
        cursor.execute(f"TRUNCATE {tables} CASCADE")
        for info, source in members(path):
            table = info.name.removeprefix(TABLES)
            if table in manifest.columns and info.name.startswith(TABLES):
                names = ", ".join(f'"{column}"' for column in manifest.columns[table])
                with connection.wrap_database_errors:
                    cursor.copy_expert(f'COPY "{table}" ({names}) FROM STDIN', source)
        for table in manifest.rows:
            for sequence in connection.introspection.get_sequences(cursor, table):
                reset_sequence(cursor, table, sequence["column"])
        require_rows(connection, manifest)


def reset_sequence(cursor: CursorWrapper, table: str, column: str) -> None:
    last = f'MAX("{column}")'
    start = f"setval(pg_get_serial_sequence('\"{table}\"', '{column}'), COALESCE({last}, 1), {last} IS NOT NULL)"
    cursor.execute(f'SELECT {start} FROM "{table}"')  # noqa: S608 (names from a manifest that was checked)


def require_rows(connection: BaseDatabaseWrapper, manifest: Manifest) -> None:
    with connection.cursor() as cursor:
        for table, rows in manifest.rows.items():
            cursor.execute(f'SELECT COUNT(*) FROM "{table}"')  # noqa: S608 (names from a manifest that was checked)
            if (found := cursor.fetchone()[0]) != rows:
                raise ArchiveError(f"{table} has {found:,} rows after the restore, and had {rows:,} in the backup.")


def load_files(path: Path) -> None:
    from django.conf import settings

    for info, source in members(path):
        if info.name.startswith(FILES):
            write(settings.MEDIA_ROOT / info.name.removeprefix(FILES), source)
        elif info.name == SECRET:
            write(settings.VAR_DIR / SECRET, source)


def write(path: Path, source: IO[bytes]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as target:
            shutil.copyfileobj(source, target)
    except OSError as error:
        raise ArchiveError(f"cannot write {path}: {error.strerror or error}. Nothing was restored.") from error


if __name__ == "__main__":
    main()
