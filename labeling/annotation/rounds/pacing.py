"""How fast people judge, and how long what is left will take them: from their own latest votes, or not at all."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from labeling.annotation.models import Rater

FEWEST = 5
NO_PACE = f"Fewer than {FEWEST} votes with a time so far."


@dataclass(frozen=True)
class Estimate:
    """Seconds of active work, or why nobody can say."""

    seconds: float | None
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def recent_pace(rater: Rater) -> float | None:
    """Active seconds an item over their latest votes; None when there are too few to say."""
    times = [seconds for _, seconds, *_ in rater.recent if seconds is not None]
    return round(sum(times) / len(times), 1) if len(times) >= FEWEST else None


def estimate(left: int, rater: Rater) -> Estimate:
    pace = recent_pace(rater)
    return Estimate(None, NO_PACE) if pace is None else Estimate(round(left * pace, 1))


def estimate_together(left: int, raters: list[Rater]) -> Estimate:
    """The work of all together, at the mean pace of those who take part."""
    paces = [pace for rater in raters if rater.left_at is None and (pace := recent_pace(rater)) is not None]
    return Estimate(round(left * sum(paces) / len(paces), 1)) if paces else Estimate(None, NO_PACE)
