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
        if not attempt([sys.executable, "-m", "venv", str(VENV)]):
            fail("could not make a virtual environment; the lines above say why.")
    print(f"Installing {requirements.name} …", file=sys.stderr, flush=True)
    for old in VENV.glob("*.stamp"):
        old.unlink()  # an installation that is broken off begins with a new environment
    install(requirements)
    (VENV / "python.stamp").write_text(sys.version)
    stamp.write_text(wanted)


def install(requirements: Path) -> None:
    """By uv, which takes a fifth of the time; where it cannot be had or fails, by pip, which says what is wrong.
    Python compiles what it loads when it loads it: to compile all that nobody ever loads takes as long as the rest.
    And the lock names all there is to install, so that no package needs to be asked what it wants."""
    pip = [str(PYTHON), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-compile"]
    named = ["--require-hashes", "--no-deps", "--requirement"]
    uv = [str(PYTHON), "-m", "uv", "pip", "install", "--quiet", "--no-config", "--python", str(PYTHON)]
    told = settings_of_pip()
    words = {"index-url": "UV_DEFAULT_INDEX", "cert": "SSL_CERT_FILE", "proxy": "ALL_PROXY"}
    environment = {words[name]: value for name, value in told.items() if name in words}
    may_ask = "no-index" not in told
    if may_ask and attempt([*pip, "--only-binary=uv", *named, str(ROOT / "bin" / "uv.txt")], quiet=True):
        if attempt([*uv, *named, str(requirements)], quiet=True, **environment):
            return
        pip.append("--force-reinstall")  # what uv left half done would pass for installed
    if not attempt([*pip, *named, str(requirements)]):
        fail(f"could not install {requirements.name}; the lines above say why.")


def settings_of_pip() -> dict[str, str]:
    """What pip has been told, by its files and, before them, by the environment: a mirror, say."""
    asked = subprocess.run([PYTHON, "-m", "pip", "config", "list"], check=False, capture_output=True, text=True)
    lines = sorted(asked.stdout.splitlines(), key=lambda line: line.startswith(":env:"))
    pairs = (line.partition("=") for line in lines)
    return {name.rpartition(".")[2]: value.strip("'\"") for name, _, value in pairs}


def fingerprint() -> str:
    """Both lock files together, because the environment is shared by the two commands."""
    locks = [ROOT / "requirements.txt", ROOT / "requirements-dev.txt"]
    return hashlib.sha256(b"".join(lock.read_bytes() for lock in locks)).hexdigest()


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def attempt(command: list[str], *, quiet: bool = False, **environment: str) -> bool:
    """Runs one step, takes it down with us when we are told to stop, and tells whether it worked."""
    into = subprocess.DEVNULL if quiet else None
    process = subprocess.Popen(command, stdout=into, stderr=into, env={**os.environ, **environment})
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
    return status == 0


def fail(sentence: str) -> NoReturn:
    sys.exit(f"annotator: {sentence}")


if __name__ == "__main__":
    main(*sys.argv[1:])
