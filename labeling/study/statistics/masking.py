"""Counts of people in small groups, hidden so that they cannot be worked out from what is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from labeling.refusals import Invalid
from labeling.study.statistics.results import Result

HIDDEN_WORD = "hidden"


class Mask(StrEnum):
    SHOWN = "shown"
    SMALL = "small"  # fewer than k, and said to be so
    HIDDEN = "hidden"  # so that a small one cannot be computed; may be anything


@dataclass(frozen=True)
class MaskedCount(Result):
    """What may be read; the count itself is not in here unless it is shown."""

    text: str
    mask: Mask
    count: int | None = None


@dataclass(frozen=True)
class MaskedCounts(Result):
    """The groups of one question, with their total."""

    k: int
    groups: dict[str, MaskedCount]
    total: MaskedCount


def mask_counts(counts: Mapping[str, int], *, k: int) -> MaskedCounts:
    """Counts of 1 to k − 1 are shown as "< k" (Sweeney 2002), others are hidden where the total gives these away.

    Safe against somebody who knows the total, that "< k" is no zero, and that what is hidden besides is k or more.
    """
    if k < 1:
        raise Invalid("k must be 1 or more.")
    if wrong := next((name for name, count in counts.items() if count < 0), None):
        raise Invalid(f"The group {wrong} cannot have fewer than 0 members.")
    values = list(counts.values())
    total = sum(values)
    small_total = 0 < total < k
    masks = [Mask.HIDDEN] * len(values) if small_total else _protect(values, k)
    groups = {name: _masked(value, mask, k) for name, value, mask in zip(counts, values, masks, strict=True)}
    return MaskedCounts(k, groups, _masked(total, Mask.SMALL if small_total else Mask.SHOWN, k))


def _protect(values: list[int], k: int) -> list[Mask]:
    """Hides one more, the smallest first, until no masked count has one possible value only; at worst hides all."""
    masks = [Mask.SMALL if 0 < value < k else Mask.SHOWN for value in values]
    shown = [place for place, mask in enumerate(masks) if mask is Mask.SHOWN]
    waiting = sorted(shown, key=lambda place: (values[place] == 0, values[place]))
    while not _safe(values, masks, k):
        if not waiting:
            return [Mask.HIDDEN] * len(values)
        masks[waiting.pop(0)] = Mask.HIDDEN
    return masks


def _safe(values: list[int], masks: list[Mask], k: int) -> bool:
    """Whether every masked count could still be one of several, given the sum of all that are masked."""
    masked = [place for place, mask in enumerate(masks) if mask is not Mask.SHOWN]
    together = sum(values[place] for place in masked)
    ends = [(1, k - 1) if masks[place] is Mask.SMALL else (k if values[place] else 0, together) for place in masked]
    least, most = sum(low for low, _ in ends), sum(high for _, high in ends)
    return all(min(high, together - (least - low)) > max(low, together - (most - high)) for low, high in ends)


def _masked(count: int, mask: Mask, k: int) -> MaskedCount:
    if mask is Mask.SHOWN:
        return MaskedCount(f"{count:,}", mask, count)
    return MaskedCount(f"< {k}" if mask is Mask.SMALL else HIDDEN_WORD, mask)
