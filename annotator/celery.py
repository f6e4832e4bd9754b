"""The Celery app. A worker also keeps watch: it says that it lives, and looks for jobs that were lost."""

from __future__ import annotations

import logging.config
import os
from typing import Any

from celery import Celery, bootsteps
from celery.signals import setup_logging, worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they load every page; whatever migrates the database makes them

SOON = 0.2  # seconds

app = Celery("annotator")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def log_like_the_web(**_: object) -> None:
    from django.conf import settings

    logging.config.dictConfig(settings.LOGGING)


@worker_init.connect
def load_before_forking(**_: object) -> None:
    from annotator.processes import share_memory

    app.loader.import_default_modules()
    share_memory()


class Watch(bootsteps.StartStopStep):
    """Runs in the worker's own loop, not in a thread or a second process (ADR 5)."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, parent: Any, **options: Any) -> None:
        self.timers: list[Any] = []
        super().__init__(parent, **options)

    def start(self, parent: Any) -> None:
        from django.conf import settings

        from labeling.jobs.workers import keep_watch

        keep_watch(parent.hostname)
        self.timers = [
            parent.timer.call_repeatedly(settings.JOB_SWEEP_SECONDS, keep_watch, (parent.hostname,)),
            # A child that has done its job ends. Celery hears of it a moment before the kernel will say so, looks, and
            # looks again only after 5 seconds, during which the next job may wait.
            parent.timer.call_repeatedly(SOON, parent.pool.maintain_pool),
        ]

    def stop(self, parent: Any) -> None:
        for timer in self.timers:
            timer.cancel()
        self.timers = []

    shutdown = stop


app.steps["consumer"].add(Watch)
