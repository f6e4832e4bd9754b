from __future__ import annotations

from typing import Any

from labeling.annotation.models import Round


def round_status(round: Round) -> dict[str, Any]:
    return {}


def items_by_state(round: Round, state: str, *, after: int) -> Any:
    return None
