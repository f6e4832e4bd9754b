"""docs/configuration.md lists every environment variable the settings read, with its default, and no other."""

from __future__ import annotations

import re

import pytest

from tests.deployment.variables import COMPUTED, ROOT, SETTINGS, variables_read

READ = variables_read(SETTINGS)
ROWS = re.findall(
    r"^\| `([A-Z_]+)` \| (.+?) \| (.+?) \|$",
    (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)
DOCUMENTED = {name: default for name, default, _ in ROWS}


def test_settings_are_understood() -> None:
    assert {"SECRET_KEY", "DATABASE_URL", "API_RATE_USER", "PROMETHEUS_MULTIPROC_DIR"} <= READ.keys()


def test_every_variable_is_documented_and_every_documented_one_exists() -> None:
    assert READ.keys() == DOCUMENTED.keys()


def test_no_variable_is_documented_twice() -> None:
    assert len(ROWS) == len(DOCUMENTED)


@pytest.mark.parametrize("name", sorted(name for name, default in READ.items() if default is not COMPUTED))
def test_documented_default_is_the_default(name: str) -> None:
    assert DOCUMENTED[name] == in_words(READ[name])


def in_words(default: object) -> str:
    if default in ("", []):
        return "empty"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
