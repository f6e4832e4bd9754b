"""The processes that `bin/run` looks after: started together, started again when they die, stopped together."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import runpy
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess
from pathlib import Path

from django.conf import settings

GRACE = 8
MINUTE = 60
RESTARTS_A_MINUTE = 5
LARGEST_LOG = 10_000_000
PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
M_TRIM_THRESHOLD, M_ARENA_MAX = -1, -8  # numbers of glibc
TRIM = 128 * 1024
LIBRARY = ctypes.CDLL(None)
STDIN, STDOUT, STDERR = range(3)


def share_memory() -> None:
    """Puts all that is loaded out of the collector's reach. A process that is forked then shares it with the others;
    otherwise its first collection would write into every page, and so copy it."""
    share_pool()
    give_back_memory()
    gc.freeze()


def share_pool() -> None:
    """One pool of memory for all threads, which take turns in the interpreter anyway: with one for each, what a large
    request leaves behind stays in several of them and is never given back."""
    if hasattr(LIBRARY, "mallopt"):  # glibc; others have no such pools
        LIBRARY.mallopt(M_ARENA_MAX, 1)
        LIBRARY.mallopt(M_TRIM_THRESHOLD, TRIM)


def give_back_memory() -> None:
    """Also what is free between what is not, where the allocator by itself does not look, and what a large request
    leaves behind because it refers to itself."""
    gc.collect()
    if hasattr(LIBRARY, "malloc_trim"):  # glibc
        LIBRARY.malloc_trim(0)


@dataclass
class Child:
    """A fork of us that becomes something else, and does so again when it has died."""

    name: str
    become: Callable[[], object]
    process: ForkProcess
    restarts: list[float] = field(default_factory=list)


class Processes:
    def __init__(self) -> None:
        self.children: list[Child] = []

    def start(self, name: str, become: Callable[[], object]) -> None:
        self.children.append(Child(name, become, fork(name, become)))

    def dead(self) -> str | None:
        return next((child.name for child in self.children if not child.process.is_alive()), None)

    def keep_running(self) -> str:
        """Returns only when a child keeps dying, with its name; a signal ends us before that."""
        while True:
            for child in self.children:
                if not self.tend(child):
                    return child.name
            time.sleep(0.5)

    def tend(self, child: Child) -> bool:
        if child.process.is_alive():
            return True
        now = time.monotonic()
        child.restarts = [moment for moment in child.restarts if now - moment < MINUTE]
        log = settings.VAR_DIR / "log" / f"{child.name}.log"
        if len(child.restarts) >= RESTARTS_A_MINUTE:
            return False
        sys.stderr.write(f"annotator: the {child.name} process ended and is started again; {log} says why.\n")
        child.restarts.append(now)
        child.process = fork(child.name, child.become)
        return True

    def close(self) -> None:
        """Asks every child to stop, last started first, and ends what does not."""
        for child in reversed(self.children):
            child.process.terminate()
        deadline = time.monotonic() + GRACE
        while self.living() and time.monotonic() < deadline:
            time.sleep(0.05)
        for child in self.living():
            end_group(child.process)
        self.children.clear()

    def living(self) -> list[Child]:
        """Asked of the kernel: to join a process that became another program takes no notice of a time."""
        return [child for child in self.children if child.process.is_alive()]


def fork(name: str, become: Callable[[], object]) -> ForkProcess:
    process = multiprocessing.get_context("fork").Process(target=begin, args=(name, become), name=name, daemon=True)
    process.start()
    return process


def begin(name: str, become: Callable[[], object]) -> None:
    """In a session of its own, so that Ctrl-C reaches only the parent, and with a log of its own."""
    if sys.platform == "linux":
        LIBRARY.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)  # should the parent be killed outright, no orphan stays behind
        LIBRARY.prctl(PR_SET_NAME, f"concord-{name}".encode())  # what `ps` and `top` show
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    os.chdir(settings.BASE_DIR)
    write_to(name)
    become()


def write_to(name: str) -> None:
    folder = settings.VAR_DIR / "log"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.log"
    mode = "wb" if path.exists() and path.stat().st_size > LARGEST_LOG else "ab"
    with path.open(mode) as log, Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), STDIN)
        for number in (STDOUT, STDERR):
            os.dup2(log.fileno(), number)


def become_module(name: str, *arguments: str) -> None:
    """As `python -m`, in a process that has loaded what it needs already."""
    sys.argv[1:] = arguments
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def end_group(process: ForkProcess) -> None:
    try:
        os.killpg(process.pid or 0, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.join()
