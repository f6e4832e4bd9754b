"""The processes that `bin/run` looks after: started together, started again when they die, stopped together."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

from django.conf import settings

GRACE = 8
MINUTE = 60
RESTARTS_A_MINUTE = 5
LARGEST_LOG = 10_000_000
PR_SET_PDEATHSIG = 1
M_TRIM_THRESHOLD, M_ARENA_MAX = -1, -8  # numbers of glibc
TRIM = 128 * 1024


def share_memory() -> None:
    """Puts all that is loaded out of the collector's reach. A process that is forked then shares it with the others;
    otherwise its first collection would write into every page, and so copy it."""
    gc.collect()
    gc.freeze()
    give_back_memory()


def give_back_memory() -> None:
    """One pool of memory for all threads, which take turns in the interpreter anyway: with one for each, what a large
    request leaves behind stays in several of them and is never given back."""
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # glibc; others have no such pools
        library.mallopt(M_ARENA_MAX, 1)
        library.mallopt(M_TRIM_THRESHOLD, TRIM)


@dataclass
class Child:
    name: str
    command: list[str]
    process: subprocess.Popen[bytes]
    restarts: list[float] = field(default_factory=list)


class Processes:
    def __init__(self) -> None:
        self.children: list[Child] = []

    def start(self, name: str, command: list[str]) -> None:
        self.children.append(Child(name, command, spawn(name, command)))

    def dead(self) -> str | None:
        return next((child.name for child in self.children if child.process.poll() is not None), None)

    def keep_running(self) -> str:
        """Returns only when a child keeps dying, with its name; a signal ends us before that."""
        while True:
            for child in self.children:
                if not self.tend(child):
                    return child.name
            time.sleep(0.5)

    def tend(self, child: Child) -> bool:
        if child.process.poll() is None:
            return True
        now = time.monotonic()
        child.restarts = [moment for moment in child.restarts if now - moment < MINUTE]
        log = settings.VAR_DIR / "log" / f"{child.name}.log"
        if len(child.restarts) >= RESTARTS_A_MINUTE:
            return False
        sys.stderr.write(f"annotator: the {child.name} process ended and is started again; {log} says why.\n")
        child.restarts.append(now)
        child.process = spawn(child.name, child.command)
        return True

    def close(self) -> None:
        """Asks every child to stop, last started first, and ends what does not."""
        for child in reversed(self.children):
            child.process.terminate()
        deadline = time.monotonic() + GRACE
        for child in reversed(self.children):
            try:
                child.process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                end_group(child.process)
        self.children.clear()


def spawn(name: str, command: list[str]) -> subprocess.Popen[bytes]:
    """A child in a session of its own, so that Ctrl-C reaches only us, and with a log of its own."""
    folder = settings.VAR_DIR / "log"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.log"
    mode = "wb" if path.exists() and path.stat().st_size > LARGEST_LOG else "ab"
    with path.open(mode) as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=settings.BASE_DIR,
            start_new_session=True,
            preexec_fn=die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509 (we have one thread)
        )


def die_with_parent() -> None:
    """Should we be killed outright, the kernel asks the child to stop: no orphan stays behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def end_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()
