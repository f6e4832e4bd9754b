"""How often one caller may do a thing: a counter a window, in Redis. When Redis is away nobody is turned away."""

from __future__ import annotations

import threading
import time
from functools import cached_property

from django.conf import settings
from django.http import HttpRequest
from redis import Redis
from redis.exceptions import RedisError

from annotator.addresses import client_address
from labeling.refusals import Refusal

MINUTE, HOUR = 60, 3600
# Tries a minute from one address. A class behind one address may log in at once; nobody guesses a link that way.
RATES = {"log-in": 60, "reset": 10, "link": 30}
MAILS = 3  # an hour to one person, however often somebody asks
PATIENCE = 2  # seconds
SHARES = 100


class Counters(threading.local):
    """A connection for each thread, kept: Django's cache makes a client for each request and asks three times, and to
    borrow from a pool takes as long as to ask."""

    @cached_property
    def redis(self) -> Redis:
        patience = {"socket_connect_timeout": PATIENCE, "socket_timeout": PATIENCE}
        return Redis.from_url(settings.REDIS_URL, single_connection_client=True, **patience)


counters = Counters()


class TooOften(Refusal):
    """Too many tries; `wait` is when to come back, in seconds."""

    status = 429

    def __init__(self, wait: float) -> None:
        super().__init__("Too many tries from where you are. Wait a minute, then try again.")
        self.wait = wait


def count(key: str, *, window: int = MINUTE, times: int = 1) -> int:
    """How often this was counted in the present window, this time included; 0 when Redis is away."""
    name = f"annotator:throttle-{window}-{int(time.time() // window)}-{key}"
    try:
        found = int(counters.redis.incrby(name, times))
        if found == times:
            counters.redis.expire(name, 2 * window)
    except (RedisError, OSError):
        return 0
    return found


class Shares:
    """For who may come thousands of times a minute: each process takes leave for a hundredth of them at once, and asks
    again when that is used up. Nobody gets more than they may; what one process has left, another cannot use."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.minute = 0
        self.left: dict[tuple[str, int], int] = {}

    def take(self, key: str, *, most: int) -> bool:
        """Whether this may be done once more in this minute."""
        minute, share = int(time.time() // MINUTE), max(1, most // SHARES)
        if self.use(minute, (key, most)):
            return True
        if count(key, times=share) > most:
            return False
        with self.lock:
            if minute == self.minute:
                self.left[key, most] = self.left.get((key, most), 0) + share - 1
        return True

    def use(self, minute: int, name: tuple[str, int]) -> bool:
        with self.lock:
            if minute != self.minute:
                self.minute, self.left = minute, {}
            left = self.left.get(name, 0)
            self.left[name] = max(0, left - 1)
            return left > 0


shares = Shares()


def left(window: int = MINUTE) -> float:
    """Seconds until the next window."""
    return window - time.time() % window


def require_patience(request: HttpRequest, what: str) -> None:
    """Counts a try from this address, and refuses when there were too many."""
    if count(f"{what}-{client_address(request)}") > RATES[what]:
        raise TooOften(left())


class Doorkeeper:
    """The first of the backends: wherever a password is tried, on our page or the admin's, it is counted."""

    def authenticate(self, request: HttpRequest | None, **_: object) -> None:
        if request is not None:
            require_patience(request, "log-in")  # five tries for one account are counted elsewhere
