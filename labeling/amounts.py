"""How many there are, as far as somebody wants to know: to count a million takes longer than all else on a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet


@dataclass(frozen=True)
class Amount:
    """Exact up to `most`."""

    found: int
    most: int

    @classmethod
    def of(cls, rows: QuerySet[Any], most: int) -> Amount:
        return cls(rows.order_by()[: most + 1].count(), most)

    @property
    def is_more(self) -> bool:
        return self.found > self.most

    @property
    def counted(self) -> int:
        return min(self.found, self.most)

    def __bool__(self) -> bool:
        return self.found > 0

    def __str__(self) -> str:
        return f"{self.counted:,}{'+' if self.is_more else ''}"

    def of_cases(self, one: str, many: str) -> str:
        return f"{self} case {one}" if self.found == 1 else f"{self} cases {many}"
