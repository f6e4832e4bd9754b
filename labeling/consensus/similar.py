"""Settled cases that may help with this one: of the same repository, or whose names changed in the same words."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, Q

from labeling.annotation.models import RoundItem, RoundState
from labeling.consensus.access import visible_cases
from labeling.consensus.models import Case, CaseQuerySet, CaseState
from labeling.corpus.models import Item
from labeling.corpus.names import compare_names, list_added, list_dropped
from labeling.people.access import Seat

MOST = 6
LOOKED_AT = 400  # of the latest; older ones are not compared
_ARROW = " → "


@dataclass(frozen=True)
class Similar:
    case: Case
    why: str
    can_open: bool


def similar_cases(seat: Seat, case: Case) -> list[Similar]:
    """The closest first: same words in the names, then same repository; each time the latest first."""
    item = case.round_item.item
    others = settled_cases(case).exclude(pk=case.pk).order_by("-decision__made_at", "-pk")
    titles = others.filter(round_item__item__kind="review_rename").values_list("pk", "round_item__item__title")
    alike = [pk for pk, title in titles[:LOOKED_AT] if same_change(item, title)] if changed_words(item.title) else []
    why = dict.fromkeys(alike[:MOST], "the same words in its names")
    if item.group:
        near = others.filter(round_item__item__group=item.group).exclude(pk__in=list(why))
        why |= dict.fromkeys(near.values_list("pk", flat=True)[: MOST - len(why)], "the same repository")
    chain = ("round_item__item", "round__protocol", "decision")
    found = Case.objects.select_related(*chain).defer("round_item__item__payload").in_bulk(list(why))
    open_to = set(visible_cases(seat).filter(pk__in=list(why)).values_list("pk", flat=True))
    return [Similar(found[pk], words, pk in open_to) for pk, words in why.items()]


def settled_cases(case: Case) -> CaseQuerySet:
    """Of the project, and of items that nobody is to judge any more: else a decision would sway a vote."""
    open_again = RoundItem.objects.filter(round__state=RoundState.OPEN, votes__lt=F("wanted")).values("item")
    decided = Case.objects.filter(project=case.project_id, state=CaseState.DECIDED)
    return decided.filter(~Q(round_item__item__in=open_again))


def same_change(item: Item, title: str) -> bool:
    """Whether both dropped the same words, or both added the same."""
    mine, theirs = changed_words(item.title), changed_words(title)
    return any(one and one == other for one, other in zip(mine, theirs, strict=False))


def changed_words(title: str) -> tuple[frozenset[str], ...]:
    """(dropped, added) of a rename as its title writes it; nothing for anything else."""
    buggy, arrow, fixed = title.partition(_ARROW)
    if not arrow:
        return ()
    parts = compare_names(buggy, fixed)
    return frozenset(list_dropped(parts)), frozenset(list_added(parts))
