"""What the statistics of a study answer: small dataclasses, each number with its n, interval and reason."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from labeling.agreement.statistics.intervals import Interval
from labeling.agreement.statistics.results import Agreement


class Result:
    """A dataclass that can be written as JSON."""

    def to_dict(self) -> dict[str, Any]:
        return {part.name: plain(getattr(self, part.name)) for part in fields(self)}  # type: ignore[arg-type]


def plain(value: Any) -> Any:
    """The same in dictionaries, lists, strings and numbers."""
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, Interval):
        return {"low": value.low, "high": value.high, "reason": value.reason}
    if isinstance(value, Agreement):
        return value.as_dict()
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


@dataclass(frozen=True)
class Share(Result):
    """`count` of `n`: Wilson's interval takes judgements, the bootstrap takes participants to be independent."""

    count: int
    n: int
    value: float | None
    wilson: Interval
    bootstrap: Interval
    reason: str | None = None  # why there is no value


@dataclass(frozen=True)
class Estimate(Result):
    """A number with its interval; an end that is open, or a value that is missing, has its reason."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    method: str = ""
    reason: str | None = None


@dataclass(frozen=True)
class SignificanceTest(Result):
    """A p-value with what it rests on; `adjusted` is Holm's where the test is one of a family."""

    method: str
    n: int
    p: float | None
    statistic: float | None = None
    adjusted: float | None = None
    smallest: float | None = None  # the smallest p that so few could give
    reason: str | None = None
    caveat: str = ""
