"""What `bin/test` becomes: every check, then the tests on SQLite and on PostgreSQL. No check is skipped in silence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

from tests.auditing import audit
from tests.servers import ROOT, postgres_url

BIN = Path(sys.executable).parent
NO_TESTS_COLLECTED = 5
CHECKS = {
    "format": ["ruff", "format", "--check", "--quiet", "."],
    "lint": ["ruff", "check", "--quiet", "."],
    "templates": ["djade", "--check", "--target-version", "5.2"],
    "types": ["mypy"],
    "architecture": ["lint-imports"],
    "packages": ["python", "-m", "pip", "check"],  # they are installed as the lock names them, and nothing else
    "settings": ["python", "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
    "migrations": ["python", "manage.py", "makemigrations", "--check", "--dry-run"],
}


def main() -> NoReturn:
    arguments = sys.argv[1:]
    os.environ["CHROMIUM"] = find_chromium()
    faults = [] if arguments else run_checks()
    with postgres_url() as postgres:
        passes = {"SQLite": run_pytest("", arguments), "PostgreSQL": run_pytest(postgres, arguments)}
    faults += [name for name, status in passes.items() if status not in {0, NO_TESTS_COLLECTED}]
    if all(status == NO_TESTS_COLLECTED for status in passes.values()):
        faults.append("no test was collected")
    if faults:
        sys.exit(f"bin/test: failed: {', '.join(faults)}")
    sys.exit(0)


def run_checks() -> list[str]:
    """The names of the checks that failed; what they print is shown."""
    with ThreadPoolExecutor(2) as pool:
        faults = [name for name, passed in zip(CHECKS, pool.map(run_check, CHECKS), strict=True) if not passed]
    sound, said = audit()
    print(said, flush=True)
    return faults if sound else [*faults, "dependencies"]


def run_check(name: str) -> bool:
    command = list(CHECKS[name])
    if name == "templates":
        command += [str(path) for path in sorted((ROOT / "templates").rglob("*.html"))]
    environment = {
        **os.environ,
        "DATABASE_URL": "",
        "DEBUG": "0",
        "PLAIN_HTTP": "0",
        "SECRET_KEY": "x" * 20 + "Ab1-" * 10,
    }
    started = time.monotonic()
    done = subprocess.run(
        [str(BIN / command[0]), *command[1:]], cwd=ROOT, capture_output=True, text=True, env=environment
    )
    passed = done.returncode == 0
    print(f"{'ok    ' if passed else 'FAILED'} {name} ({time.monotonic() - started:.1f} s)", flush=True)
    if not passed:
        print(done.stdout + done.stderr, flush=True)
    return passed


def run_pytest(database_url: str, arguments: list[str]) -> int:
    """One pass. Browser tests run once, on PostgreSQL: what they look at is the same on both."""
    engine = "PostgreSQL" if database_url else "SQLite"
    print(f"\nTests on {engine}", flush=True)
    options = arguments or ["-n", "2", "-q"]
    selection = [] if database_url else ["-m", "not browser"]
    command = [sys.executable, "-m", "pytest", *selection, *options]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "DATABASE_URL": database_url}).returncode


def find_chromium() -> str:
    """One on the PATH, else Playwright's own, else Debian's package."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    if path := playwright_chromium():
        return path
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Chromium …", flush=True)
        subprocess.run(["apt-get", "update", "-qq"], stdout=subprocess.DEVNULL)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], stdout=subprocess.DEVNULL)
        if path := shutil.which("chromium"):
            return path
    sys.exit(
        "bin/test: the browser tests need Chromium and none could be had. Put one on the PATH, or run "
        "'.venv/bin/playwright install chromium'."
    )


def playwright_chromium() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


if __name__ == "__main__":
    main()
