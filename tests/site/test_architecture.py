"""The rules about who may import whom grow with the tree: a room that needs one cannot come without it."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from tests.servers import ROOT

# Room, what its science or its participant-facing part must never import, and the file with which the demand begins.
# Rules name modules, and import-linter knows none that are not there: origins come to study with its tables.
NEEDS_A_RULE = [
    ("mining", "django", "__init__.py"),
    ("agreement", "django", "__init__.py"),
    ("study", "django", "__init__.py"),
    ("study", "labeling.study.origins", "models.py"),
]


def contracts() -> list[dict[str, Any]]:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found: list[dict[str, Any]] = configuration["tool"]["importlinter"]["contracts"]
    return found


def test_flow_is_a_rule_without_exceptions() -> None:
    flow = contracts()[0]
    assert flow["type"] == "layers"
    assert flow["exhaustive"]
    assert "ignore_imports" not in flow


@pytest.mark.parametrize(("room", "forbidden", "begins_with"), NEEDS_A_RULE)
def test_room_comes_with_its_rule(room: str, forbidden: str, begins_with: str) -> None:
    there = (ROOT / "labeling" / room / begins_with).exists()
    rules = [
        contract
        for contract in contracts()
        if contract["type"] == "forbidden"
        and forbidden in contract["forbidden_modules"]
        and any(module.startswith(f"labeling.{room}") for module in contract["source_modules"])
    ]
    assert bool(rules) == there
