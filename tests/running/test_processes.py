"""What `bin/run` forks: it can always be ended, and keeps nothing of ours from the next one."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.running.conftest import environment
from tests.servers import ROOT

DEAF = """
import os
from contextlib import closing
from functools import partial
from annotator import processes

processes.GRACE = 1
with closing(processes.Processes()) as started:
    script = "trap '' TERM; readlink /proc/$$/fd/0; echo here; while true; do sleep 1; done"
    started.start("deaf", partial(os.execv, "/bin/sh", ["sh", "-c", script]))
    log = processes.settings.VAR_DIR / "log" / "deaf.log"
    while not log.exists() or "here" not in log.read_text():
        pass
    print(started.children[0].process.pid)
"""
HEIR = """
import os, time
from annotator import serve

lock = serve.hold_lock()
heir = os.fork()
if heir == 0:
    time.sleep(60)
print(heir, flush=True)
"""
WARM = """
import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.template import engines

django.setup()
call_command("collectstatic", interactive=False, verbosity=0)
from annotator import limits, metrics, wsgi

cached = engines["django"].engine.template_loaders[0].get_template_cache
print("people/login.html" in cached, connection.connection, vars(limits.counters), metrics.Files.reserved)
print(list(settings.VAR_DIR.rglob("*.db")))
"""
COMPILING = """
import sys
from importlib.util import find_spec
from pathlib import Path
from annotator import serve

def is_compiled():
    return {name: Path(find_spec(name).cached).exists() for name in ("labeling.tasks", "celery.apps.worker")}

print(is_compiled())
serve.compile_first()
print(is_compiled(), "django.db.models" in sys.modules)
"""
NEXT = "from annotator import serve; serve.hold_lock(); print('held')"


def run(script: str, var: Path, **more: str) -> str:
    settings = environment(var, DJANGO_SETTINGS_MODULE="annotator.settings", **{"PLAIN_HTTP": "1", **more})
    command = [sys.executable, "-c", script]
    with (var / "said").open("w+") as said:  # no pipe: who outlives the script would keep it open
        done = subprocess.run(command, env=settings, cwd=ROOT, stdout=said, stderr=said, timeout=120)
        said.seek(0)
        text = said.read()
    assert done.returncode == 0, text
    return text.strip()


def test_a_program_that_does_not_listen_is_ended(tmp_path: Path) -> None:
    started = time.monotonic()
    pid = int(run(DEAF, tmp_path))
    assert time.monotonic() - started < 20
    assert not psutil.pid_exists(pid)
    assert (tmp_path / "log" / "deaf.log").read_text().splitlines()[0] == "/dev/null", "nothing to read from a terminal"


def test_who_outlives_it_does_not_keep_its_lock(tmp_path: Path) -> None:
    heir = psutil.Process(int(run(HEIR, tmp_path)))
    try:
        assert run(NEXT, tmp_path) == "held"
        assert heir.is_running()
    finally:
        heir.kill()


@pytest.mark.parametrize(
    "settings",
    [{}, {"PLAIN_HTTP": "0", "ALLOWED_HOSTS": ".example.org", "TRUSTED_PROXIES": "1"}, {"ALLOWED_HOSTS": "*"}],
)
def test_a_page_is_answered_before_the_fork_and_leaves_nothing_open_or_written(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    """Who is forked would share a connection with all others, and nobody sent that request."""
    assert run(WARM, tmp_path, **settings).splitlines() == ["True None {} True", "[]"]


def test_a_first_start_has_everything_compiled_by_a_process_of_its_own(tmp_path: Path) -> None:
    place = {"PYTHONPYCACHEPREFIX": str(tmp_path / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    assert run(COMPILING, tmp_path, **place).splitlines() == [
        "{'labeling.tasks': False, 'celery.apps.worker': False}",
        "{'labeling.tasks': True, 'celery.apps.worker': True} False",
    ]
