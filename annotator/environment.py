"""What the settings need from the machine: where things lie, and the secrets and servers of the embedded default."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import secrets
import tempfile
import zoneinfo
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

SQLITE = "django.db.backends.sqlite3"
POSTGRESQL = "annotator.postgresql"
HOST = re.compile(r"[\w.:%-]+", re.ASCII)
LONGEST_SOCKET_PATH = 100  # the kernel takes 107 bytes; Redis adds a suffix while it starts

SQLITE_OPTIONS = {
    # Take the write lock at BEGIN, so that two writers queue instead of one failing halfway (ADR 3).
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;",
}


class Environment(environ.Env):  # type: ignore[misc]
    """Reads variables, and says which one is wrong when one is."""

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().get_value(var, *args, **kwargs)
        except ValueError as error:
            raise ImproperlyConfigured(f"{var} cannot be read: {error}.") from error

    def count(self, var: str, *, default: int) -> int:
        """A whole number of at least one."""
        number: int = self.int(var, default=default)
        if number < 1:
            raise ImproperlyConfigured(f"{var} must be at least 1, not {number}.")
        return number


def database(url: str, *, var: Path) -> dict[str, Any]:
    """The database that DATABASE_URL names, else SQLite in var/, each with the options its engine needs."""
    # Tests use a file too, not memory: the worker that a test starts must see it.
    sqlite = {"ENGINE": SQLITE, "NAME": str(var / "db.sqlite3"), "TEST": {"NAME": str(var / "test.sqlite3")}}
    if url and not url.startswith(("postgres://", "postgresql://", "sqlite:///")):
        raise ImproperlyConfigured(
            "DATABASE_URL must look like postgres://user:password@host:5432/name or sqlite:////path/to/file."
        )
    try:
        configuration: dict[str, Any] = environ.Env.db_url_config(url) if url else sqlite
    except ValueError as error:
        raise ImproperlyConfigured(f"DATABASE_URL cannot be read: {error}.") from error
    options = configuration.get("OPTIONS", {})
    if configuration["ENGINE"] == SQLITE:
        return {**configuration, "OPTIONS": {**SQLITE_OPTIONS, **options}}
    kept_open = {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    return {**configuration, "ENGINE": POSTGRESQL, **kept_open, "OPTIONS": {"connect_timeout": 5, **options}}


def private_redis_url(var: Path) -> str:
    """The socket of the Redis that `bin/run` starts when REDIS_URL names no other."""
    path = var / "redis.sock"
    if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
        digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        path = Path(tempfile.gettempdir()) / f"annotator-{os.getuid()}-{digest}.sock"
    return f"unix://{path}"


def known_zone(name: str) -> str:
    """The time zone, or UTC where the machine names one in a way of its own."""
    return name if name in zoneinfo.available_timezones() else "UTC"


def known_level(name: str) -> str:
    if name not in logging.getLevelNamesMapping():
        raise ImproperlyConfigured(f"LOG_LEVEL must be DEBUG, INFO, WARNING or ERROR, not {name}.")
    return name


def known_origin(variable: str, origin: str, *, wild: bool = False) -> str:
    """An address without a path; with `wild`, *.example.org stands for all hosts below."""
    try:
        parts = urlsplit(origin)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        parts, host = urlsplit(""), ""
    is_bare = origin == f"{parts.scheme}://{parts.netloc}" and parts.username is None
    is_host = HOST.fullmatch(host.removeprefix("*.") if wild else host)
    if parts.scheme not in {"http", "https"} or not is_bare or not is_host:
        raise ImproperlyConfigured(f"{variable} must look like https://concord.example.org, not “{origin}”.")
    return origin


def url_host(host: str) -> str:
    """How a browser on this machine spells the address that we listen on."""
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104 (compared, not bound)
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def broker_url(redis_url: str) -> str:
    """Celery's spelling of a Redis address."""
    return redis_url.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=", 1)


def made_folder(path: Path) -> str:
    """A folder that is there and that we may write to."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return str(path)
    except OSError as error:
        raise ImproperlyConfigured(
            f"Cannot write to {path}: {error.strerror}. Make it writable, or name another folder in VAR_DIR."
        ) from error


def kept_secret(path: Path) -> str:
    """Reads a secret from a file only we can read, and makes it on first use."""
    if not path.exists():
        # Written aside and linked into place, so that of two processes that start together none reads half a secret.
        with tempfile.NamedTemporaryFile("w", dir=made_folder(path.parent)) as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(file.name)
    return path.read_text()


def fingerprint(paths: Iterable[Path]) -> str:
    """Changes when a file below one of the paths changes."""
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    facts = [f"{file}:{file.stat().st_size}:{file.stat().st_mtime_ns}" for file in files]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()
