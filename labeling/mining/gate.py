"""Staying within GitHub's limits on several machines: whose turn it is, and until when all wait, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from django.db import connection

from labeling.mining.models import GitHubPause

LOCK_DIGITS = 15  # of a hexadecimal digest: as much as a lock's number has room for


class SharedGate:
    """What `Answers` keeps in a folder for one machine, kept where every worker sees it."""

    @contextmanager
    def turn(self, who: str) -> Iterator[None]:
        """One request at a time for each token. The lock belongs to the connection and goes with its process."""
        number = int(who[:LOCK_DIGITS], 16)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [number])
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])

    def pause(self, who: str, *, until: float, reason: str) -> None:
        """Nobody asks with this token before then; a pause that lasts longer stays."""
        end = datetime.fromtimestamp(until, UTC)
        GitHubPause.objects.get_or_create(who=who, defaults={"until": end, "reason": reason})
        GitHubPause.objects.filter(who=who, until__lt=end).update(until=end, reason=reason)

    def paused(self, who: str, *, now: float) -> tuple[float, str] | None:
        pause = GitHubPause.objects.filter(who=who, until__gt=datetime.fromtimestamp(now, UTC)).first()
        return (pause.until.timestamp(), pause.reason) if pause else None


def shared_gate() -> SharedGate | None:
    """None on SQLite, which only one machine uses: there the folder of answers does it."""
    return SharedGate() if connection.vendor == "postgresql" else None
