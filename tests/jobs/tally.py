"""A Celery app with one more kind of work: it adds one line to the activity log in each step, slowly."""

from __future__ import annotations

import os
import time
from typing import Any

import django

from annotator.celery import app

django.setup()

from labeling import tasks  # noqa: E402
from labeling.jobs.running import Run  # noqa: E402
from labeling.people.activity import record  # noqa: E402

__all__ = ["app"]


def tally(run: Run) -> dict[str, Any]:
    total = run.arguments["total"]
    run.expect(total, done=run.done)
    for number in range(run.done, total):
        with run.step(message=f"line {number}"):
            record(run.job.project, by=None, verb="counted", subject=str(number))
            time.sleep(run.arguments.get("pause", 0))
        time.sleep(run.arguments.get("rest", 0))  # nothing is held meanwhile
    return {"lines": total}


def die(run: Run) -> dict[str, Any]:
    os._exit(1)


tasks.WORK.update(tally=tally, die=die)
