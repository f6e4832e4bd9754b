from __future__ import annotations

from pathlib import Path

from tests.auditing import audit, verdict

SOUND = {"name": "a", "version": "1", "vulns": []}
FAULTY = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1"}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


def test_known_fault_fails_and_is_named() -> None:
    assert verdict([SOUND, FAULTY, UNKNOWN]) == (False, "FAILED dependencies with known faults:\nb 2: PYSEC-1")


def test_what_nobody_looked_up_does_not_look_sound() -> None:
    assert verdict([SOUND, UNKNOWN])[1].startswith("not checked: known faults of 1 of 2")
    assert verdict([])[1].startswith("not checked")
    assert verdict([SOUND])[1].startswith("ok")


def test_audit_that_cannot_run_says_so_and_fails_nothing(tmp_path: Path) -> None:
    passed, said = audit(tmp_path / "missing.txt")
    assert passed
    assert said.startswith("not checked")
