"""What a host answered, kept on disk: so that a second run asks for what changed, and a killed one loses nothing.

Why not hishel, through which githubkit caches: it writes the request with its token to the disk in the clear; it
keeps an answer whose JSON is cut, and since the host then says “not modified”, serves it for ever; and it asks again
for what can never change, a commit or a blob. A table of our own does without all three.
"""

from __future__ import annotations

import fcntl
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from labeling.mining.github.exchanges import CacheError

SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (
  key TEXT PRIMARY KEY, etag TEXT NOT NULL, next TEXT NOT NULL, body BLOB NOT NULL, at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pause (who TEXT PRIMARY KEY, until REAL NOT NULL, reason TEXT NOT NULL);
"""
PAUSE = """
INSERT INTO pause (who, until, reason) VALUES (?, ?, ?)
ON CONFLICT (who) DO UPDATE SET until = excluded.until, reason = excluded.reason WHERE excluded.until > until
"""
PATIENCE = 30.0  # seconds that a process waits for another's write


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole and readable answer, the address of the page after it, and when it was given (epoch seconds)."""

    body: bytes
    next: str = ""
    etag: str = ""  # empty when it must not be asked for by its tag
    at: float = 0.0


class Gate(Protocol):
    """Lets one request through at a time, and none during a pause, among all who use the same token."""

    def turn(self, who: str) -> AbstractContextManager[None]: ...
    def pause(self, who: str, *, until: float, reason: str) -> None: ...
    def paused(self, who: str, *, now: float) -> tuple[float, str] | None: ...


class Answers:
    """Answers by key, and until when each client must stay away, in one SQLite file that several processes share.

    The pauses live here too: a process that was killed, or works beside others, must not overdraw the limit.
    """

    def __init__(self, folder: Path | None) -> None:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # may hold private code
        self.folder = folder
        with self.turn("opening"):  # SQLite does not wait when two turn a new file to WAL at once
            self.database = opened(str(folder / "github.sqlite3") if folder else ":memory:")

    def find(self, key: str) -> Answer | None:
        row = self.database.execute("SELECT body, next, etag, at FROM answer WHERE key = ?", (key,)).fetchone()
        return Answer(zlib.decompress(row[0]), row[1], row[2], row[3]) if row else None

    def keep(self, key: str, answer: Answer) -> None:
        body = zlib.compress(answer.body, 1)
        row = (key, answer.etag, answer.next, body, answer.at)
        self.database.execute("INSERT OR REPLACE INTO answer (key, etag, next, body, at) VALUES (?, ?, ?, ?, ?)", row)

    def confirm(self, key: str, *, at: float) -> None:
        """Notes that the answer was still right at this time."""
        self.database.execute("UPDATE answer SET at = ? WHERE key = ?", (at, key))

    @contextmanager
    def turn(self, who: str) -> Iterator[None]:
        """One request at a time for each token, over all processes: the host asks for it, and only so is a limit of
        which several take never overdrawn. The lock goes with the process that holds it."""
        if self.folder is None:
            yield
            return
        with (self.folder / f"{who[:16]}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def pause(self, who: str, *, until: float, reason: str) -> None:
        """Nobody asks with this token before then."""
        self.database.execute(PAUSE, (who, until, reason))

    def paused(self, who: str, *, now: float) -> tuple[float, str] | None:
        """Until when, and why, if there is a pause."""
        query = "SELECT until, reason FROM pause WHERE who = ? AND until > ?"
        row = self.database.execute(query, (who, now)).fetchone()
        return (row[0], row[1]) if row else None

    def close(self) -> None:
        self.database.close()


def opened(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    try:
        # Whatever is written survives a killed process at once, and that is all that is asked of it.
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(SCHEMA)
    except sqlite3.DatabaseError as error:
        database.close()
        raise CacheError(f"The cache {path} cannot be used ({error}); delete it to start anew.") from error
    return database
