"""The processes of a program under test: started in a session of their own, weighed, and ended all together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bench.side_by_side.client import Failed

GRACE = 15
INHERITED = ("PATH", "HOME", "LANG", "TZ", "TMPDIR", "XDG_RUNTIME_DIR")


def clean_environment(**more: str) -> dict[str, str]:
    """Only what a program needs, so that settings meant for one do not reach another."""
    return {**{name: os.environ[name] for name in INHERITED if name in os.environ}, **more}


class Server:
    def __init__(self, command: list[str], *, environment: dict[str, str], folder: Path, log: Path) -> None:
        self.log, self.name = log, Path(command[0]).name
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                command,
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def require_alive(self) -> None:
        if self.process.poll() is not None:
            raise Failed(f"{self.name} ended at once: {last_line(self.log)}")

    def stop(self) -> None:
        """Asks, then ends whatever of the tree is left."""
        family = tree(self.process.pid)
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(GRACE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        deadline = time.monotonic() + GRACE / 3
        while time.monotonic() < deadline and any(Path(f"/proc/{pid}").exists() for pid in family):
            time.sleep(0.05)
        for pid, born in family.items():
            if birth(pid) == born:  # the number may be another's by now
                os.kill(pid, signal.SIGKILL)


def run(command: list[str], *, environment: dict[str, str], folder: Path, seconds: float = 900) -> str:
    """One step of setting up, or of exporting; what it printed."""
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False
    )
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise Failed(f"{' '.join(command[:4])}: {said[-1] if said else done.returncode}")
    return done.stdout


def tree(root: int) -> dict[int, str]:
    """The process and all below it, each with its birth."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and (fields := stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: dict[int, str] = {}
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        if born := birth(pid):
            found[pid] = born
        waiting += children.get(pid, [])
    return found


def stat(pid: int) -> list[str]:
    """State, parent and so on, as /proc tells them after the name; nothing when the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def birth(pid: int) -> str:
    fields = stat(pid)
    return fields[19] if fields else ""


def memory_of(roots: list[int]) -> float:
    """Proportional set size of the trees, in MB: what is shared counts once."""
    total = 0
    for pid in {pid for root in roots for pid in tree(root)}:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def load_average() -> float:
    return round(os.getloadavg()[0], 2)


def last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else "it printed nothing"


PYTHON = sys.executable
