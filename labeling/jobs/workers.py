"""Which workers live, and what each does besides its jobs."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.cache import cache
from django.db import Error, connections
from redis.exceptions import RedisError

from labeling.jobs.queue import sweep

logger = logging.getLogger(__name__)

ALIVE = "worker-alive"


def keep_watch(worker: str) -> None:
    """Called by every worker every few seconds: says that it lives, and looks for lost jobs."""
    try:
        sweep()
        cache.set(ALIVE, worker, timeout=3 * settings.JOB_SWEEP_SECONDS)
    except (Error, RedisError, OSError):
        logger.warning("the watch could not be kept this time")
    finally:
        # The pool forks from this process: a connection left open would be shared with its children.
        connections.close_all()


def workers_alive() -> bool:
    return cache.get(ALIVE) is not None
