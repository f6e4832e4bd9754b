"""`bin/run` itself, started as a person would, and installations that do not run; each in a folder of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
from django.db import connection

from tests import servers
from tests.servers import ROOT, free_port

PATIENCE = 60
# The test's own settings must not reach the app that is started here.
OWN = {"VAR_DIR", "SECRET_KEY", "PLAIN_HTTP", "DEBUG", "DATABASE_URL", "REDIS_URL", "PROMETHEUS_MULTIPROC_DIR",
       "METRICS_TOKEN", "EMAIL_URL", "DEMO_PASSWORD", "LOG_LEVEL", "DJANGO_ALLOW_ASYNC_UNSAFE"}  # fmt: skip


@dataclass
class App:
    """A started `bin/run`: its process, its address, and all that it printed."""

    process: subprocess.Popen[str]
    url: str
    output: Path

    def text(self) -> str:
        return self.output.read_text() if self.output.exists() else ""

    def wait_until_greeted(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while "Stop it with Ctrl-C" not in self.text():
            assert self.process.poll() is None, self.text()
            assert time.monotonic() < deadline, self.text()
            time.sleep(0.1)

    def password(self) -> str:
        found = re.search(r"Password of each: (\S+)$", self.text(), re.MULTILINE)
        assert found, self.text()
        return found[1]

    def family(self) -> list[psutil.Process]:
        return [psutil.Process(self.process.pid), *psutil.Process(self.process.pid).children(recursive=True)]


def environment(var: Path, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in OWN}
    return {**inherited, "VAR_DIR": str(var), "PORT": str(free_port()), **more}


def all_gone(processes: list[psutil.Process], *, seconds: float = 20) -> list[psutil.Process]:
    """Those that still live after a while; none is expected."""
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return [process for process in alive if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]


@pytest.fixture
def start_app(tmp_path: Path) -> Iterator[Callable[..., App]]:
    started: list[App] = []

    def start(*arguments: str, var: Path = tmp_path / "var", **more: str) -> App:
        settings = environment(var, **more)
        output = tmp_path / f"output-{len(started)}"
        with output.open("w") as file:
            process = subprocess.Popen(
                [str(ROOT / "bin" / "run"), *arguments], env=settings, stdout=file, stderr=file, text=True
            )
        started.append(App(process, f"http://127.0.0.1:{settings['PORT']}", output))
        return started[-1]

    yield start
    for app in started:
        if app.process.poll() is None:
            app.process.send_signal(signal.SIGTERM)
            app.process.wait(20)


def run_and_fail(var: Path, **more: str) -> str:
    """Runs `bin/run` where it cannot work: the one sentence it says."""
    done = subprocess.run(
        [str(ROOT / "bin" / "run")], env=environment(var, **more), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    sentence = done.stderr.strip()
    assert sentence.startswith("annotator: ")
    assert "\n" not in sentence
    return sentence


@dataclass
class Installation:
    """A folder, and a database that is its own."""

    var: Path
    url: str

    def settings(self, **more: str) -> dict[str, str]:
        named = {"DJANGO_SETTINGS_MODULE": "annotator.settings", "DATABASE_URL": self.url}
        return environment(self.var, **named, **more)

    def run(self, *command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, env=self.settings(), cwd=cwd, capture_output=True, text=True, timeout=120)

    def manage(self, *arguments: str) -> str:
        done = self.run(sys.executable, "manage.py", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def backup(self, path: Path) -> subprocess.CompletedProcess[str]:
        return self.run(str(ROOT / "bin" / "backup"), path.name, cwd=path.parent)

    def restore(self, path: Path) -> subprocess.CompletedProcess[str]:
        return self.run(str(ROOT / "bin" / "restore"), str(path))

    def connect(self) -> Any:
        if self.url.startswith("sqlite"):
            import sqlite3

            return closing(sqlite3.connect(self.url.removeprefix("sqlite:///")))
        import psycopg2

        return closing(psycopg2.connect(self.url))

    def content(self) -> dict[str, list[Any]]:
        """Every row of every table of ours."""
        with self.connect() as database:
            cursor = database.cursor()
            if self.url.startswith("sqlite"):
                cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            else:
                cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            tables = sorted(name for (name,) in cursor.fetchall() if not name.startswith("sqlite_"))
            found = {}
            for table in tables:
                cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608
                found[table] = sorted(map(repr, cursor.fetchall()))
            return found


Install = Callable[[str], Installation]


@pytest.fixture(scope="module")
def install(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any
) -> Iterator[Install]:
    made: list[str] = []
    folder = tmp_path_factory.mktemp("installations")

    def make(name: str) -> Installation:
        var = folder / name
        var.mkdir()
        if connection.vendor == "sqlite":
            return Installation(var, f"sqlite:///{var / 'db.sqlite3'}")
        database = f"{connection.settings_dict['NAME']}_{name}"
        made.append(database)
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{database}"')
        return Installation(var, urlsplit(servers.test_database_url())._replace(path=f"/{database}").geturl())

    yield make
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for database in made:
            cursor.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')
