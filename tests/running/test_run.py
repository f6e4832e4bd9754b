from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode

import psutil
import pytest

from tests.running.conftest import App, all_gone, environment, run_and_fail
from tests.servers import ROOT, redis_server

StartApp = Callable[..., App]


def log_in(app: App, email: str, password: str) -> str:
    """Logs in over HTTP with nothing but the standard library; the page that follows."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    form = opener.open(f"{app.url}/login/", timeout=10).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)
    assert token
    data = {"csrfmiddlewaretoken": token[1], "username": email, "password": password}
    page: str = opener.open(f"{app.url}/login/", urlencode(data).encode(), timeout=10).read().decode()
    return page


def test_empty_folder_serves_a_page_one_can_log_in_to(start_app: StartApp) -> None:
    app = start_app()
    app.wait_until_greeted()
    page = log_in(app, "coordinator@example.org", app.password())
    assert "Method names in code review" in page
    family = app.family()
    assert len(family) > 4
    app.process.terminate()
    assert app.process.wait(20) == 128 + signal.SIGTERM
    assert all_gone(family) == []


def test_second_start_keeps_everything_and_prints_no_password(start_app: StartApp) -> None:
    first = start_app()
    first.wait_until_greeted()
    password = first.password()
    first.process.terminate()
    first.process.wait(20)
    second = start_app()
    second.wait_until_greeted()
    assert password not in second.text()
    assert "Method names in code review" in log_in(second, "annotator1@example.org", password)


def test_interrupt_stops_it_in_the_background_of_a_script(tmp_path: Path) -> None:
    """A shell without job control starts background commands with SIGINT ignored."""
    output = tmp_path / "output"
    script = f'"{ROOT}/bin/run" --without-demo > "{output}" 2>&1 & echo $!; wait'
    command = ["/bin/sh", "-c", script]
    with subprocess.Popen(command, env=environment(tmp_path / "var"), stdout=subprocess.PIPE, text=True) as shell:
        assert shell.stdout is not None
        background = psutil.Process(int(shell.stdout.readline()))
        App(shell, "", output).wait_until_greeted()
        family = [background, *background.children(recursive=True)]
        background.send_signal(signal.SIGINT)
        assert all_gone(family) == []
    assert "create_coordinator" in output.read_text()


def test_killed_outright_it_leaves_no_orphan(start_app: StartApp) -> None:
    app = start_app("--without-demo")
    app.wait_until_greeted()
    family = app.family()
    app.process.kill()
    app.process.wait(5)
    assert all_gone(family) == []


def test_process_that_dies_is_started_again(start_app: StartApp) -> None:
    app = start_app("--without-demo")
    app.wait_until_greeted()
    web = next(child for child in app.family()[1:] if child.name() == "concord-web")
    web.kill()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            assert urllib.request.urlopen(f"{app.url}/healthz", timeout=2).status == 200
        except OSError:
            time.sleep(0.2)
        else:
            break
    else:
        pytest.fail("the web process was not started again")


def test_two_in_one_folder_are_refused(start_app: StartApp, tmp_path: Path) -> None:
    app = start_app("--without-demo")
    app.wait_until_greeted()
    assert f"already running here, as process {app.process.pid}" in run_and_fail(tmp_path / "var")


def test_named_redis_is_used(start_app: StartApp) -> None:
    with redis_server() as redis:
        app = start_app("--without-demo", REDIS_URL=redis.url)
        app.wait_until_greeted()
        assert not any("redis-server" in child.name() for child in app.family())
        assert redis.client().exists("annotator:1:worker-alive")


def test_port_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in run_and_fail(tmp_path, PORT=str(port))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DATABASE_URL", "postgres://nobody@127.0.0.1:1/none", "the database does not answer"),
        ("DATABASE_URL", "mysql://root@127.0.0.1/none", "DATABASE_URL must look like"),
        ("DATABASE_URL", "nonsense", "DATABASE_URL"),
        ("REDIS_URL", "redis://127.0.0.1:1", "does not answer"),
        ("REDIS_URL", "nonsense", "REDIS_URL"),
        ("PORT", "http", "PORT"),
        ("PORT", "99999", "cannot listen"),
        ("HOST", "203.0.113.1", "cannot listen on 203.0.113.1"),
        ("VAR_DIR", "/dev/null/var", "Cannot write to /dev/null/var"),
        ("VAR_DIR", "/proc/var", "Cannot write to /proc/var"),
        ("JOB_LEASE_SECONDS", "soon", "JOB_LEASE_SECONDS"),
        ("WEB_PROCESSES", "0", "WEB_PROCESSES must be at least 1"),
        ("LOG_LEVEL", "LOUD", "LOG_LEVEL must be"),
        ("DATABASE_URL", "postgres://u:p@h:abc/db", "DATABASE_URL cannot be read"),
    ],
)
def test_wrong_setting_is_said_in_one_sentence(tmp_path: Path, name: str, value: str, said: str) -> None:
    assert said in run_and_fail(tmp_path, **{name: value})


def test_old_python_is_said(tmp_path: Path) -> None:
    for name in ("python3", "python", "python3.11", "python3.12", "python3.13", "python3.14"):
        shim = tmp_path / name
        shim.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.8.1" && exit 0\nexit 1\n')
        shim.chmod(0o755)
    sentence = run_and_fail(tmp_path / "var", PATH=f"{tmp_path}:/usr/bin:/bin", PYTHON="")
    assert sentence == (
        "annotator: needs Python 3.11 or newer, but found Python 3.8.1. Install it, or name one in PYTHON."
    )


def test_app_that_cannot_hold_a_process_says_so_and_fails(start_app: StartApp) -> None:
    app = start_app("--without-demo")
    app.wait_until_greeted()
    deadline = time.monotonic() + 60
    while app.process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(psutil.NoSuchProcess):  # it may end while we look
            for child in app.family()[1:]:
                if "redis-server" in child.name():
                    child.kill()
        time.sleep(0.1)
    assert app.process.wait(20) == 1
    assert "the redis process keeps ending" in app.text()


def test_what_is_written_is_for_its_owner_only(start_app: StartApp, tmp_path: Path) -> None:
    app = start_app("--without-demo")
    app.wait_until_greeted()
    for path in (tmp_path / "var", tmp_path / "var" / "db.sqlite3", tmp_path / "var" / "secret_key"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_link_to_the_command_works(tmp_path: Path) -> None:
    (tmp_path / "concord").symlink_to(ROOT / "bin" / "run")
    done = subprocess.run([tmp_path / "concord", "--help"], capture_output=True, text=True, timeout=60)
    assert "--without-demo" in done.stdout
