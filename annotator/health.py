"""/healthz: this process answers. /readyz: so do the things it needs. /metrics: numbers for Prometheus."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.conf import settings
from django.core.cache import cache
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST
from redis.exceptions import RedisError

from annotator import metrics
from labeling.jobs.workers import workers_alive

logger = logging.getLogger(__name__)


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    checks = {"database": database, "migrations": migrations, "redis": redis, "worker": worker}
    answers = {name: answer(check) for name, check in checks.items()}
    ready = all(state == "ok" for state in answers.values())
    return JsonResponse(answers, status=200 if ready else 503)


@require_safe
def prometheus(request: HttpRequest) -> HttpResponse:
    """404 without METRICS_TOKEN: nobody learns that there is something to guess."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not constant_time_compare(given, settings.METRICS_TOKEN):
        raise Http404
    return HttpResponse(metrics.exposition(), content_type=CONTENT_TYPE_LATEST)


def answer(check: Callable[[], str]) -> str:
    try:
        return check()
    except (Error, RedisError, OSError):
        logger.warning("%s does not answer", check.__name__)
        return "no answer"


def database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


def migrations() -> str:
    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return f"{len(pending)} not applied" if pending else "ok"


def redis() -> str:
    cache.set("readyz", 1, timeout=5)
    return "ok"


def worker() -> str:
    return "ok" if workers_alive() else "none"
