"""Items that show people the same thing, together: groups of them, and how often each item of a page occurs."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from labeling.corpus.models import Item, ItemQuerySet, Project

GROUPS = 20
SHOWN = 10


@dataclass(frozen=True)
class Duplicates:
    """Items that are the same: how many there are, and the oldest of them."""

    sameness: str
    count: int
    items: list[Item]

    @property
    def more(self) -> int:
        return self.count - len(self.items)


@dataclass(frozen=True)
class DuplicatesPage:
    """Some groups in a fixed order, and after which to go on."""

    groups: list[Duplicates]
    next_after: str | None
    is_first: bool


def browse_duplicates(items: ItemQuerySet, *, after: str = "") -> DuplicatesPage:
    """Those of the items that occur more than once among them, group by group."""
    counted = list(repeated(items).filter(sameness__gt=after).order_by("sameness")[: GROUPS + 1])
    groups = counted[:GROUPS]
    first = first_of_each(items, [sameness for sameness, _ in groups])
    return DuplicatesPage(
        groups=[Duplicates(sameness, count, first[sameness]) for sameness, count in groups],
        next_after=groups[-1][0] if len(counted) > GROUPS else None,
        is_first=not after,
    )


def repeated(items: ItemQuerySet) -> QuerySet[Item, tuple[str, int]]:
    """What occurs more than once among the items, with how often."""
    counted = items.order_by().values_list("sameness").annotate(count=Count("pk"))
    return counted.filter(count__gt=1)


def first_of_each(items: ItemQuerySet, samenesses: list[str]) -> dict[str, list[Item]]:
    """The oldest of each group, few enough for a page, in one query."""
    place = Window(RowNumber(), partition_by=F("sameness"), order_by=F("pk").asc())
    found = items.filter(sameness__in=samenesses).light().annotate(place=place).filter(place__lte=SHOWN)
    groups: dict[str, list[Item]] = {sameness: [] for sameness in samenesses}
    for item in found.order_by("pk"):
        groups[item.sameness].append(item)
    return groups


def count_same(project: Project, items: list[Item]) -> dict[str, int]:
    """How often each of these occurs in the project, for those that occur more than once."""
    same = Item.objects.filter(project=project, sameness__in={item.sameness for item in items})
    return dict(repeated(same))
