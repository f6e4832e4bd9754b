"""Looking through the items of a project: filters, search, and pages that cost the same at any depth."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.amounts import Amount
from labeling.corpus.duplicates import count_same
from labeling.corpus.models import Item, ItemQuerySet, Project
from labeling.corpus.searching import search

PAGE = 50
MOST_COUNTED = 10_000
STATES = {"unplanned": "In no round", "judging": "Being judged", "judged": "Judged"}


@dataclass(frozen=True)
class Page:
    """One page of items, and the keys of its neighbours."""

    items: list[Item]
    same: dict[str, int]  # how often what occurs more than once occurs, by its sameness
    next_after: int | None
    is_first: bool
    count: Amount


def browse(project: Project, *, after: int = 0, **wanted: str) -> Page:
    items = filtered(project, **wanted)
    found = list(items.light().filter(pk__gt=after).order_by("pk")[: PAGE + 1])
    return Page(
        items=found[:PAGE],
        same=count_same(project, found[:PAGE]),
        next_after=found[PAGE - 1].pk if len(found) > PAGE else None,
        is_first=after == 0,
        count=Amount.of(items, MOST_COUNTED),
    )


def filtered(project: Project, *, words: str = "", group: str = "", same_as: str = "", state: str = "") -> ItemQuerySet:
    items = Item.objects.filter(project=project)
    items = items.filter(group=group) if group else items
    items = items.filter(sameness=same_as) if same_as else items
    items = items.standing(state) if state in STATES else items
    return search(items, words) if words else items


def same_items(item: Item) -> list[Item]:
    """Other items of the project that show people the same thing."""
    others = Item.objects.filter(project_id=item.project_id, sameness=item.sameness).exclude(pk=item.pk)
    return list(others.light()[:PAGE])
