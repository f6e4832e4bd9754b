"""The whole app as real processes in a folder and with servers of its own, any of which may be killed."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.db import connection

from tests.faults.cutting import CuttingProxy
from tests.running.conftest import environment
from tests.servers import ROOT, PostgresServer, RedisServer, WebServer, Worker, postgres_server, redis_server

ROOM = 64  # MB in which the app must live


class App:
    """Two web processes, a worker, Redis and a database; its folder is a disk of its own that can be full."""

    def __init__(self, var: Path, redis: RedisServer, postgres: PostgresServer | None) -> None:
        self.var, self.redis, self.postgres = var, redis, postgres
        self.manage("migrate", "--verbosity=0")
        self.web = WebServer(WEB_PROCESSES="2", WEB_THREADS="8", API_RATE_USER="1000000", **self.settings())
        self.worker: Worker | None = None
        self.proxy = CuttingProxy(self.web.url, seed=7)

    def settings(self) -> dict[str, str]:
        database = self.postgres.url if self.postgres else f"sqlite:///{self.var / 'db.sqlite3'}"
        return {
            "VAR_DIR": str(self.var),
            "PROMETHEUS_MULTIPROC_DIR": str(self.var / "metrics"),
            "DATABASE_URL": database,
            "REDIS_URL": self.redis.url,
            "JOB_LEASE_SECONDS": "2",
        }

    def start_worker(self) -> None:
        own = self.settings()
        self.worker = Worker(
            app="tests.jobs.tally", redis_url=own.pop("REDIS_URL"), lease=2, WORKER_PROCESSES="2", **own
        )

    def kill_worker(self) -> None:
        """All of it, by SIGKILL."""
        if self.worker:
            self.worker.stop()
            self.worker = None

    def manage(self, *arguments: str) -> str:
        return self.run("manage.py", *arguments)

    def run(self, *command: str) -> str:
        known = {
            "PLAIN_HTTP": "1",
            "SECRET_KEY": os.environ["SECRET_KEY"],
            "DJANGO_SETTINGS_MODULE": "annotator.settings",
        }
        done = subprocess.run(
            [sys.executable, *command],
            env={**environment(self.var), **known, **self.settings()},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def fill(self, name: str) -> Any:
        """The worker comes after that: whoever fills does the first jobs themselves."""
        self.kill_worker()
        facts = json.loads(self.run("-m", "tests.faults.filling", name))
        self.start_worker()
        return facts

    def count(self, name: str, round: int) -> Any:
        return json.loads(self.run("-m", "tests.faults.counting", name, str(round)))

    def jobs_ended(self, jobs: list[int]) -> bool:
        with self.connect() as database:
            cursor = database.cursor()
            cursor.execute("SELECT id FROM labeling_job WHERE ended_at IS NOT NULL")
            return set(jobs) <= {pk for (pk,) in cursor.fetchall()}

    def connect(self) -> Any:
        if self.postgres:
            return closing(psycopg2.connect(self.postgres.url))
        return closing(sqlite3.connect(self.var / "db.sqlite3"))

    def stop(self) -> None:
        self.proxy.close()
        self.kill_worker()
        self.web.stop()

    def output(self) -> str:
        return f"{self.web.output()[-3000:]}\n{self.worker.output()[-3000:] if self.worker else 'no worker'}"


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of a few megabytes, mounted there."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}m", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"needs the right to mount a small disk: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with ExitStack() as stack:
        var = stack.enter_context(small_disk(tmp_path_factory.mktemp("faults") / "var"))
        redis = stack.enter_context(redis_server())
        postgres = stack.enter_context(postgres_server()) if connection.vendor == "postgresql" else None
        started = App(var, redis, postgres)
        stack.callback(started.stop)
        yield started
