"""What the statistics answer: a small tree of dataclasses, and the same as plain data for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.scales import Distance, Level


@dataclass(frozen=True)
class Coefficient:
    """A value with its interval; where one is missing, `reason` says in words why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    interval: str | None = None  # the method, where there is an interval

    def as_dict(self) -> dict[str, Any]:
        return {"value": self.value, "low": self.low, "high": self.high, "reason": self.reason}


@dataclass(frozen=True)
class StandardError:
    """A standard error by formula, and the interval that it gives."""

    error: float
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        return {"standard_error": self.error, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class PairAgreement:
    """Two raters over their common items."""

    a: str
    b: str
    items: int
    coefficients: dict[str, Coefficient]

    @property
    def cohen_kappa(self) -> Coefficient:
        return self.coefficients["cohen_kappa"]

    def as_dict(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "items": self.items} | _plain(self.coefficients)


@dataclass(frozen=True)
class CategoryUse:
    """A category, or an option of a question with several answers: how often it was given, and agreed on."""

    label: str
    ratings: int
    share: float | None
    specific_agreement: Coefficient
    krippendorff_alpha: Coefficient | None = None  # of an option: given or not

    def as_dict(self) -> dict[str, Any]:
        plain = {"label": self.label, "ratings": self.ratings, "share": self.share}
        plain |= _plain({"specific_agreement": self.specific_agreement})
        return (
            plain
            if self.krippendorff_alpha is None
            else plain | _plain({"krippendorff_alpha": self.krippendorff_alpha})
        )


@dataclass(frozen=True)
class Agreement:
    """Everything about one question."""

    question: str
    level: Level
    distance: Distance | None
    items: int
    items_used: int
    left_out: dict[str, int]
    raters: int
    ratings: int
    groups: int | None
    coefficients: dict[str, Coefficient]
    weights: str
    errors: dict[str, StandardError]
    pairs: list[PairAgreement]
    pairs_without_common_items: int
    categories: list[CategoryUse]
    options: list[CategoryUse]
    resampling: Resampling
    notes: list[str] = field(default_factory=list)

    @property
    def items_left_out(self) -> int:
        return sum(self.left_out.values())

    def __getitem__(self, name: str) -> Coefficient:
        return self.coefficients[name]

    def as_dict(self) -> dict[str, Any]:
        """The form that `manage.py agreement --format json` prints (docs/agreement.md)."""
        return {
            "question": self.question,
            "items": self.items,
            "items_used": self.items_used,
            "items_left_out": self.items_left_out,
            "raters": self.raters,
            "ratings": self.ratings,
            **_plain(self.coefficients),
            "pairs": [pair.as_dict() for pair in self.pairs],
            "pairs_without_common_items": self.pairs_without_common_items,
            "left_out": self.left_out,
            "level": str(self.level),
            "distance": None if self.distance is None else str(self.distance),
            "weights": self.weights,
            "groups": self.groups,
            "categories": [category.as_dict() for category in self.categories],
            "options": [option.as_dict() for option in self.options],
            "standard_errors": {name: error.as_dict() for name, error in self.errors.items()},
            "interval": self._interval_dict(),
            "notes": self.notes,
        }

    def _interval_dict(self) -> dict[str, Any]:
        how = self.resampling
        return {
            "method": how.words if how.resamples else None,
            "share": self["unanimous"].interval,
            "resamples": how.resamples,
            "seed": how.seed,
            "confidence": how.confidence,
        }


def _plain(coefficients: dict[str, Coefficient]) -> dict[str, Any]:
    return {name: coefficient.as_dict() for name, coefficient in coefficients.items()}
