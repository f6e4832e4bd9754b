"""Makes the virtual environment match a requirements file, then becomes a module inside it.

Runs on a bare Python, so it uses the standard library only:
    python bin/bootstrap.py REQUIREMENTS MODULE [ARGUMENT ...]
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"


def main(requirements: str, module: str, *arguments: str) -> NoReturn:
    os.chdir(ROOT)
    try:
        prepare(ROOT / requirements)
    except OSError as error:
        fail(f"cannot prepare the virtual environment in {VENV}: {error.strerror or error}.")
    os.execv(PYTHON, [str(PYTHON), "-m", module, *arguments])


def prepare(requirements: Path) -> None:
    """Creates the environment or brings it up to date; does nothing when its stamp already matches."""
    stamp = VENV / f"{requirements.stem}.stamp"
    everything = VENV / "requirements-dev.stamp"  # the development lock holds all of the other one
    wanted = fingerprint()
    if PYTHON.exists() and wanted in {read(stamp), read(everything)}:
        return
    if not PYTHON.exists() or read(VENV / "python.stamp") != sys.version:
        print("Making the virtual environment …", file=sys.stderr, flush=True)
        shutil.rmtree(VENV, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(VENV)], "could not make a virtual environment")
        (VENV / "python.stamp").write_text(sys.version)
    print(f"Installing {requirements.name} …", file=sys.stderr, flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--require-hashes"]
    # Python compiles what it loads when it loads it; to compile all that nobody ever loads takes as long as the rest.
    # And the lock names all there is to install: to ask each package again what it needs takes a seventh of it.
    quick = ["--no-compile", "--no-deps"]
    run([*pip, *quick, "--requirement", str(requirements)], f"could not install {requirements.name}")
    stamp.write_text(wanted)


def fingerprint() -> str:
    """Both lock files together, because the environment is shared by the two commands."""
    locks = [ROOT / "requirements.txt", ROOT / "requirements-dev.txt"]
    return hashlib.sha256(b"".join(lock.read_bytes() for lock in locks)).hexdigest()


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def run(command: list[str], failure: str) -> None:
    """Runs one step and takes it down with us when we are told to stop."""
    process = subprocess.Popen(command)
    told: list[int] = []

    def stop(number: int, _frame: object) -> None:
        told.append(number)
        process.terminate()  # and no more: the wait below must not be entered a second time

    previous = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    status = process.wait()
    for number, handler in previous.items():
        signal.signal(number, handler)
    if told:
        sys.exit(128 + told[0])
    if status != 0:
        fail(f"{failure}; the lines above say why.")


def fail(sentence: str) -> NoReturn:
    sys.exit(f"annotator: {sentence}")


if __name__ == "__main__":
    main(*sys.argv[1:])
