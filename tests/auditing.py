"""Known faults of what is locked. Where there is no data nothing was checked, and that must not look like health."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.servers import ROOT

COMMAND = ["--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off", "--requirement"]
PATIENCE = 120


def audit(requirements: Path = ROOT / "requirements-dev.txt") -> tuple[bool, str]:
    """Whether no fault is known, and what to print."""
    program = str(Path(sys.executable).with_name("pip-audit"))
    try:
        done = subprocess.run(
            [program, *COMMAND, str(requirements)], capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE
        )
        return verdict(json.loads(done.stdout)["dependencies"])
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError):
        return True, "not checked: known faults of dependencies (their data cannot be had from this machine)"


def verdict(packages: list[dict[str, Any]]) -> tuple[bool, str]:
    faulty = [f"{one['name']} {one['version']}: {fault['id']}" for one in packages for fault in one.get("vulns", [])]
    if faulty:
        return False, "FAILED dependencies with known faults:\n" + "\n".join(faulty)
    unknown = [one["name"] for one in packages if "skip_reason" in one]
    if unknown or not packages:
        return True, f"not checked: known faults of {len(unknown)} of {len(packages)} dependencies (no data about them)"
    return True, f"ok     no known fault in {len(packages)} dependencies"
