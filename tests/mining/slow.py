"""A Celery app whose mining is slow enough to be killed in the middle, and notes each look into a pull request."""

from __future__ import annotations

import os
import time
from pathlib import Path

import django

from annotator.celery import app

django.setup()

from labeling.mining import collecting, sharing  # noqa: E402
from labeling.mining.models import MinedChange  # noqa: E402
from labeling.mining.sources import Found, Source  # noqa: E402
from labeling.people.activity import record  # noqa: E402

__all__ = ["app"]

look_into, store = collecting.look_into, collecting.store
sharing.PER_HELPER = 5


def slow_look(change: MinedChange, source: Source, problems: list[str]) -> Found:
    with Path(os.environ["LOOKS"]).open("a") as file:
        file.write(f"{os.getppid()} {change.number}\n")
    time.sleep(0.25)
    return look_into(change, source, problems)


def noted_store(change: MinedChange, found: Found, problems: list[str]) -> None:
    store(change, found, problems)
    record(change.project, by=None, verb="stored", subject=str(change.number))


collecting.look_into = slow_look
collecting.store = noted_store
