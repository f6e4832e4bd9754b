"""How often one caller may ask. Counted in Redis, a counter a minute; when Redis is away nobody is turned away."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError
from rest_framework.throttling import BaseThrottle

from annotator.addresses import client_address

if TYPE_CHECKING:  # DRF loads this module while it loads its views
    from rest_framework.request import Request
    from rest_framework.views import APIView

WINDOW = 60
PATIENCE = 2  # seconds


@cache
def counters() -> Redis:
    """One client for all calls of a process: Django's cache makes a new one for each, and asks three times."""
    return Redis.from_url(settings.REDIS_URL, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE)


class CallerThrottle(BaseThrottle):
    def allow_request(self, request: Request, view: APIView) -> bool:
        key, rate = self.caller(request)
        try:
            return self.count(key) <= rate
        except (RedisError, OSError):
            return True

    def wait(self) -> float:
        return WINDOW - time.time() % WINDOW

    def caller(self, request: Request) -> tuple[str, int]:
        if request.user.is_authenticated:
            return f"user-{request.user.pk}", settings.API_RATE_USER
        return f"address-{client_address(request)}", settings.API_RATE_ANONYMOUS

    def count(self, key: str) -> int:
        window = f"annotator:throttle-{int(time.time() // WINDOW)}-{key}"
        count = int(counters().incr(window))
        if count == 1:
            counters().expire(window, 2 * WINDOW)
        return count
