"""The app of tally.py in a worker that never learns by itself that a child of it has ended."""

from __future__ import annotations

from typing import Any

from celery.concurrency.asynpool import AsynPool

from tests.jobs.tally import app

__all__ = ["app"]


def hear_nothing(pool: Any, hub: Any, child: Any) -> None:
    pool._untrack_child_process(child, hub)  # or its end would be told again and again


CHANGED: Any = AsynPool
CHANGED._event_process_exit = hear_nothing
CHANGED.timers = {}
