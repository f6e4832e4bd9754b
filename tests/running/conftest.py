"""`bin/run` itself, started as a person would, each time in a folder of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

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
