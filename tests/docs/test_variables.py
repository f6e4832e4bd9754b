"""docs/configuration.md lists every environment variable that is read, with its default, and no other."""

from __future__ import annotations

import re

import pytest

from tests.deployment.variables import COMPUTED, ROOT, SETTINGS, variables_read
from tests.docs.pages import text_of

READ = variables_read(SETTINGS)
SETTINGS_PART, _, OTHER_PART = text_of("configuration.md").partition("## Outside the settings")
ROW = re.compile(r"^\| `([A-Z_]+)` \| (.+?) \| (.+?) \|$", re.MULTILINE)
ROWS = ROW.findall(SETTINGS_PART)
DOCUMENTED = {name: default for name, default, _ in ROWS}
FOLDERS = ("annotator", "bench", "bin", "labeling", "tests")
SOURCES = [ROOT / "manage.py", *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]
SHELL = [*(path for path in (ROOT / "bin").iterdir() if path.is_file()), ROOT / "docker-compose.yml"]
# Of Celery, Django, pytest and the system.
NOT_OURS = {"CELERY_SKIP_CHECKS", "DJANGO_SETTINGS_MODULE", "PATH", "PYTEST_XDIST_WORKER", "XDG_RUNTIME_DIR"}
# What a test or a bench tells the process that it starts; nobody sets them.
BETWEEN_PROCESSES = {"BENCH_REPEAT", "BENCH_SEARCH", "LOOKS"}


def test_settings_are_understood() -> None:
    assert {"SECRET_KEY", "DATABASE_URL", "API_RATE_USER", "PROMETHEUS_MULTIPROC_DIR"} <= READ.keys()


def test_every_variable_is_documented_and_every_documented_one_exists() -> None:
    assert READ.keys() == DOCUMENTED.keys()


def test_what_is_read_elsewhere_is_documented_too() -> None:
    shell = {name for path in SHELL for name in re.findall(r"\$\{([A-Z_]+)", path.read_text(encoding="utf-8"))}
    elsewhere = (variables_read(*SOURCES).keys() | shell) - READ.keys() - NOT_OURS - BETWEEN_PROCESSES
    assert elsewhere == {name for name, *_ in ROW.findall(OTHER_PART)}


def test_no_variable_is_documented_twice() -> None:
    assert len(ROWS) == len(DOCUMENTED)


@pytest.mark.parametrize("name", sorted(name for name, default in READ.items() if default is not COMPUTED))
def test_documented_default_is_the_default(name: str) -> None:
    assert DOCUMENTED[name] == in_words(READ[name])


def in_words(default: object) -> str:
    if default in ("", []):
        return "empty"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
