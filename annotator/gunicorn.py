"""How gunicorn serves us; used by `bin/run` and by the container (`-c python:annotator.gunicorn`)."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from gunicorn.glogging import Logger
from prometheus_client.multiprocess import mark_process_dead

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")

from annotator.processes import share_memory
from annotator.turns import SPARE_THREADS

if TYPE_CHECKING:
    from gunicorn.arbiter import Arbiter
    from gunicorn.workers.base import Worker

wsgi_app = "annotator.wsgi"
bind = f"[{settings.HOST}]:{settings.PORT}" if ":" in settings.HOST else f"{settings.HOST}:{settings.PORT}"
workers = settings.WEB_PROCESSES
threads = settings.WEB_THREADS + SPARE_THREADS
worker_class = "annotator.turns.TurnWorker"
preload_app = True
worker_connections = 500  # kept ones too; where a process may open 1,024 files, there is room for the others
timeout = 60
graceful_timeout = 10
keepalive = 30
logconfig_dict = settings.LOGGING
control_socket_disable = True
forwarded_allow_ips = ""  # the app itself decides which proxy to believe, by TRUSTED_PROXIES
forwarder_headers = ""


class QuietLogger(Logger):
    """The app writes its own request log, without addresses. Where logging is set up by a dictionary, gunicorn makes a
    line of each request all the same, for nobody."""

    def access(self, *_: object) -> None:
        pass


logger_class = QuietLogger


def when_ready(server: Arbiter) -> None:
    """Before the first fork: what all processes share stays shared as long as none of them moves it."""
    share_memory()


def on_starting(server: Arbiter) -> None:
    """Counts of an earlier start would be added to ours."""
    for file in Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).glob("*.db"):
        file.unlink()


def post_fork(server: Arbiter, worker: Worker) -> None:
    gc.set_threshold(10_000)  # a request makes thousands of objects and few cycles: look for those less often
    from annotator.metrics import Files  # only now: it needs the models

    Files.reserve()


def child_exit(server: Arbiter, worker: Worker) -> None:
    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
