"""How long to wait: what GitHub's headers and messages say about its limits. Nothing here waits.

https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

FORBIDDEN, TOO_MANY = 403, 429
MARGIN = 1.0  # a second for clocks that round
FIRST_PAUSE = 60  # “wait for at least one minute”, then exponentially longer
FIRST_BACKOFF = 1
LONGEST = 24 * 3600.0  # then the host is asked again, whatever it said
SECONDARY = "GitHub asks for a pause (secondary limit)"
SECONDARY_WORDS = ("secondary rate limit", "abuse detection")


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float
    reason: str


def spent(headers: Mapping[str, str], *, now: float) -> Pause | None:
    """The pause until the hourly limit is whole again, when nothing is left of it.

    GitHub Enterprise sets no limit by default and then sends no such headers.
    """
    reset = whole(headers.get("x-ratelimit-reset"))
    if whole(headers.get("x-ratelimit-remaining")) != 0 or reset is None:
        return None
    # The host's own clock tells how far off the reset is: ours may be wrong.
    seconds = max(reset - (moment(headers.get("date")) or now), 0.0)
    limit = headers.get("x-ratelimit-limit", "")
    return Pause(min(seconds + MARGIN, LONGEST), f"the limit of {limit} requests an hour is used up".replace("  ", " "))


def refused(status: int, headers: Mapping[str, str], message: str, *, attempt: int, now: float) -> Pause | None:
    """How long to stay away after a refusal; nothing when it is no matter of limits."""
    if status not in {FORBIDDEN, TOO_MANY}:
        return None
    asked = retry_after(headers, now=now)
    if asked is not None:
        return Pause(min(asked + MARGIN, LONGEST), SECONDARY)
    if pause := spent(headers, now=now):
        return pause
    if status == TOO_MANY or any(words in message.lower() for words in SECONDARY_WORDS):
        return Pause(float(FIRST_PAUSE << attempt), SECONDARY)
    return None


def backoff(headers: Mapping[str, str], *, attempt: int, now: float) -> float:
    """Seconds before the next try after a passing fault. No jitter: requests of one client are one after another."""
    return min(max(float(FIRST_BACKOFF << attempt), retry_after(headers, now=now) or 0.0), LONGEST)


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """Seconds, or a date, as HTTP allows both."""
    value = headers.get("retry-after")
    seconds = whole(value)
    if seconds is not None:
        return float(seconds)
    until = moment(value)
    return None if until is None else max(until - (moment(headers.get("date")) or now), 0.0)


def whole(value: str | None) -> int | None:
    return int(value) if value and value.isascii() and value.isdigit() else None


def moment(value: str | None) -> float | None:
    """An HTTP date as epoch seconds."""
    try:
        return parsedate_to_datetime(value).timestamp() if value else None
    except ValueError:
        return None
