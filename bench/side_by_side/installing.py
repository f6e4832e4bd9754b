"""Makes the virtual environments of the programs and writes down how long it took and how much came with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from importlib import metadata
from pathlib import Path
from typing import Any

from bench.side_by_side.client import Failed
from bench.side_by_side.processes import load_average

ROOT = Path(__file__).resolve().parent.parent.parent
OURS = "concord"
PROGRAMS = {
    OURS: [],  # has a way of its own
    "label-studio": ["label-studio"],
    # Its own bounds let in a marshmallow and a numpy with which it does not start.
    "doccano": ["doccano", "marshmallow<4", "numpy<2"],
    "potato-annotation": ["potato-annotation"],
}
# Needed for the bench only, so neither timed nor counted.
BESIDE = {"label-studio": ["gunicorn", "psycopg2-binary", "setuptools<81"]}


def install(folder: Path, programs: list[str]) -> None:
    """Each into a new environment, from the package index that pip is set up for."""
    folder.mkdir(parents=True, exist_ok=True)
    for program in programs:
        place = folder / f"venv-{program}"
        if place.exists():
            print(f"{program}: is there already; delete {place} to install it anew", flush=True)
            continue
        try:
            made = install_one(place, program)
        except Failed as error:
            print(f"{program}: {error}", flush=True)
            continue
        (folder / f"venv-{program}.json").write_text(json.dumps(made) + "\n")
        print(f"{program}: {made['seconds']:.0f} s, {made['packages']} packages, load {made['load']}", flush=True)


def install_one(place: Path, program: str) -> dict[str, Any]:
    load, started = load_average(), time.perf_counter()
    if program == OURS:
        install_ours(place)
    else:
        venv.create(place, with_pip=True)
        pip(place, PROGRAMS[program])
    seconds = time.perf_counter() - started
    made = {"seconds": seconds, "packages": count_packages(place), "load": load, "python": sys.version.split()[0]}
    if program in BESIDE:
        pip(place, BESIDE[program])
    return made


def install_ours(place: Path) -> None:
    """As `bin/run` does it, in a copy of what it needs for that."""
    copy = place.with_name(f"copy-{OURS}")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "bin", copy / "bin")
    for lock in ROOT.glob("requirements*.txt"):
        shutil.copy(lock, copy)
    step([sys.executable, str(copy / "bin" / "bootstrap.py"), "requirements.txt", "site"])
    place.symlink_to((copy / ".venv").resolve())


def pip(place: Path, wanted: list[str]) -> None:
    step([str(place / "bin" / "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *wanted])


def step(command: list[str]) -> None:
    """Everything comes from the index, nothing from a cache that somebody filled before."""
    own = {**os.environ, "PIP_NO_CACHE_DIR": "1", "UV_NO_CACHE": "1"}
    done = subprocess.run(command, env=own, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"it could not be installed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")


def count_packages(place: Path) -> int:
    """What is installed, without pip and setuptools, which every new environment may have."""
    names = {file.name.split("-")[0].lower() for file in place.glob("lib/python*/site-packages/*.dist-info")}
    return len(names - {"pip", "setuptools", "wheel"})


def count_locked() -> int:
    """What our lock has for this machine, judged by the environment that runs the bench."""
    found = re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    here = {dist.name.lower().replace("_", "-").replace(".", "-") for dist in metadata.distributions()}
    return len({name.lower() for name in found} & here - {"pip", "setuptools", "wheel"})


def installed(folder: Path | None, program: str) -> dict[str, Any]:
    """What was written down when it was installed; only the number of packages where nothing was."""
    written = folder / f"venv-{program}.json" if folder else None
    if written and written.exists():
        found: dict[str, Any] = json.loads(written.read_text())
        return found
    if program == OURS:
        return {"packages": count_locked()}
    place = folder / f"venv-{program}" if folder else None
    return {"packages": count_packages(place)} if place and place.exists() else {}
