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
from tests.faults.filling import JOBS
from tests.jobs.waiting import wait_for
from tests.running.conftest import environment
from tests.servers import ROOT, PostgresServer, RedisServer, WebServer, Worker, postgres_server, redis_server

ROOM = 64  # MB in which the app must live


class App:
    """Two web processes, a worker, Redis and a database; its folder is a disk of its own that can be full."""

    def __init__(self, var: Path, redis: RedisServer, postgres: PostgresServer | None, *, unfillable: str) -> None:
        self.var, self.redis, self.postgres = var, redis, postgres
        self.unfillable = unfillable  # why its folder is not a disk of its own, if it is not
        self.manage("migrate", "--verbosity=0")
        self.web = WebServer(WEB_PROCESSES="2", WEB_THREADS="8", API_RATE_USER="1000000", **self.settings())
        self.worker: Worker | None = None
        self.proxy = CuttingProxy(self.web.url, seed=7, share=0.4)

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
        own = {"WORKER_PROCESSES": str(JOBS + 1), **self.settings()}  # one is free for what else is asked
        self.worker = Worker(app="tests.jobs.tally", redis_url=own.pop("REDIS_URL"), lease=2, **own)

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

    def how_it_ended(self, job: int) -> tuple[str, str]:
        """Its state and its error, once it has ended."""
        wait_for(lambda: self.jobs_ended([job]), what=self.output)
        with self.connect() as database:
            cursor = database.cursor()
            cursor.execute(f"SELECT state, error FROM labeling_job WHERE id = {job:d}")  # noqa: S608 (a number)
            state, error = cursor.fetchone()
            return state, error

    def files_of(self, job: int) -> list[Path]:
        return sorted((self.var / "files" / "jobs" / str(job)).glob("*"))

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
def small_disk(folder: Path) -> Iterator[str]:
    """A disk of a few megabytes, mounted there; where we may not, it is a plain folder, and we say why."""
    folder.mkdir()
    if problem := mount(folder):
        yield f"needs the right to mount a small disk: {problem}"
        return
    try:
        yield ""
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def mount(folder: Path) -> str:
    """What is wrong, if something is."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return done.stderr.strip() or f"mount ended with {done.returncode}" if done.returncode else ""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with ExitStack() as stack:
        var = tmp_path_factory.mktemp("faults") / "var"
        unfillable = stack.enter_context(small_disk(var))
        redis = stack.enter_context(redis_server())
        postgres = stack.enter_context(postgres_server()) if connection.vendor == "postgresql" else None
        started = App(var, redis, postgres, unfillable=unfillable)
        stack.callback(started.stop)
        yield started
