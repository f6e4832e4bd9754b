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
    SMALL = "small"  # fewer than k, perhaps none, and said to be so
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
    """Counts below k are shown as "< k" (Sweeney 2002), others are hidden where the total gives these away.

    Safe against somebody who knows the total and this very rule: for every masked count there is another table, masked
    to the same, in which it is another.
    """
    if k < 1:
        raise Invalid("k must be 1 or more.")
    if wrong := next((name for name, count in counts.items() if count < 0), None):
        raise Invalid(f"The group {wrong} cannot have fewer than 0 members.")
    values = list(counts.values())
    total = sum(values)
    groups = {
        name: _masked(value, mask, k) for name, value, mask in zip(counts, values, _masks(values, k), strict=True)
    }
    return MaskedCounts(k, groups, _masked(total, Mask.SMALL if 0 < total < k else Mask.SHOWN, k))


def _masks(values: list[int], k: int) -> list[Mask]:
    """Which are shown follows from what stays shown, and from how many are small, never from how small they are: a
    group that was hidden only where it must be would tell that it had to be."""
    small = [value for value in values if value < k]
    large = [value for value in values if value >= k]
    nobody_to_hide = k == 1 or not any(values)
    if not nobody_to_hide and sum(values) < 2 * k:
        return [Mask.HIDDEN] * len(values)
    if nobody_to_hide or not any(small):
        return [Mask.SHOWN] * len(values)
    if len(large) < 2:  # noqa: PLR2004 (one that is shown, and one that could be hidden)
        return [Mask.HIDDEN] * len(values)
    if len(small) > 1 and sum(small) < len(small) * (k - 1):  # of several that are not all as large as can be
        return [Mask.SMALL if value < k else Mask.SHOWN for value in values]
    return [Mask.HIDDEN if value <= min(large) else Mask.SHOWN for value in values]


def _masked(count: int, mask: Mask, k: int) -> MaskedCount:
    if mask is Mask.SHOWN:
        return MaskedCount(f"{count:,}", mask, count)
    return MaskedCount(f"< {k}" if mask is Mask.SMALL else HIDDEN_WORD, mask)
