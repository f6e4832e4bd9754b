"""How `bin/run` makes its environment. A script stands in for the environment's Python and notes what it is asked."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.jobs.waiting import wait_for
from tests.servers import ROOT

UV, BY_UV, BY_PIP = "bin/uv.txt", "-m uv pip install", "-m pip install"


@dataclass
class Folder:
    path: Path

    def begin(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(self.path / "bin" / "bootstrap.py"), "requirements.txt", "none"]
        with (self.path / "said").open("w") as said:
            return subprocess.Popen(command, stderr=said)

    def install(self) -> tuple[int, str]:
        return self.begin().wait(30), (self.path / "said").read_text()

    def asked(self) -> list[str]:
        """Which lock was asked to be installed, and how."""
        lines = [line for line in (self.path / "asked").read_text().splitlines() if " install " in line]
        return [
            f"{line[: line.index(' install ')].removeprefix('-m ')} {Path(line.split()[-1]).name}" for line in lines
        ]


def folder(path: Path, script: str) -> Folder:
    """What `bin/run` needs to install, and an environment whose Python is this script."""
    (path / "bin").mkdir()
    for name in ("bin/bootstrap.py", UV, "requirements.txt", "requirements-dev.txt"):
        (path / name).write_bytes((ROOT / name).read_bytes())
    python = path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho "$*" >> "{path}/asked"\n{script}\n')
    python.chmod(0o755)
    (path / ".venv" / "python.stamp").write_text(sys.version)
    return Folder(path)


def failing(*parts: str) -> str:
    """Ends with 1 for every command that has one of these in it."""
    return "".join(f'case "$*" in *"{part}"*) echo no: {part} >&2; exit 1;; esac\n' for part in parts) + "exit 0"


def test_uv_installs_where_it_can_be_had(tmp_path: Path) -> None:
    here = folder(tmp_path, failing())
    assert here.install()[0] == 0
    assert here.asked() == ["pip uv.txt", "uv pip requirements.txt"]
    assert here.install()[0] == 0
    assert len(here.asked()) == 2, "what is installed is not installed again"


@pytest.mark.parametrize("what", [UV, BY_UV])
def test_pip_installs_where_uv_does_not(tmp_path: Path, what: str) -> None:
    here = folder(tmp_path, failing(what))
    status, said = here.install()
    assert (status, "no: " in said) == (0, False), "nobody needs to know"
    assert here.asked()[-1] == "pip requirements.txt"
    forced = "--force-reinstall" in (tmp_path / "asked").read_text()
    assert forced == (what == BY_UV), "what uv left half done is not taken for installed"


def test_what_pip_says_is_shown_when_nothing_can_be_installed(tmp_path: Path) -> None:
    here = folder(tmp_path, failing(UV, f"{tmp_path}/requirements.txt"))
    status, said = here.install()
    assert status == 1
    assert f"no: {tmp_path}/requirements.txt" in said
    assert said.endswith("annotator: could not install requirements.txt; the lines above say why.\n")
    assert not (tmp_path / ".venv" / "requirements.stamp").exists()


def told(*settings: str) -> str:
    """The script of a pip that lists these settings."""
    return f'''case "$*" in *"pip config list"*) printf '%s\\n' "{'" "'.join(settings)}"; exit 0;; esac\n'''


def test_uv_looks_where_pip_was_told_to_look(tmp_path: Path) -> None:
    by_environment = ":env:.index-url='https://mine.example.org/simple'"
    by_file = "global.index-url='https://mirror.example.org/simple'"
    noted = f'case "$*" in *"{BY_UV}"*) echo "$UV_DEFAULT_INDEX" > "{tmp_path}/index"; exit 0;; esac'
    here = folder(tmp_path, told(by_environment, by_file) + noted)
    here.install()
    assert (tmp_path / "index").read_text() == "https://mine.example.org/simple\n", "the environment comes before files"


def test_uv_asks_no_index_where_pip_must_not(tmp_path: Path) -> None:
    here = folder(tmp_path, told("global.no-index='true'") + "exit 0")
    assert here.install()[0] == 0
    assert here.asked() == ["pip requirements.txt"]


def test_installation_that_is_broken_off_begins_anew(tmp_path: Path) -> None:
    here = folder(tmp_path, failing(UV, f"{tmp_path}/requirements.txt"))
    assert (tmp_path / ".venv" / "python.stamp").exists()
    here.install()
    assert not (tmp_path / ".venv" / "python.stamp").exists(), "so that the next one makes a new environment"


@pytest.mark.parametrize("stage", [UV, BY_UV])
def test_stop_during_the_installation_stops(tmp_path: Path, stage: str) -> None:
    """One that takes for ever stands in for a slow network."""
    here = folder(tmp_path, f'case "$*" in *"{stage}"*) exec sleep 60;; esac')
    process = here.begin()
    family = psutil.Process(process.pid)
    wait_for(lambda: any(child.name() == "sleep" for child in family.children()))
    process.terminate()
    assert process.wait(10) == 128 + signal.SIGTERM
