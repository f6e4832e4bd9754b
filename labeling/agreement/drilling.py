"""The items behind a figure: those that were used, left out or disagreed on, those in a cell of a pair's table, and
those that a rater was shown again or that have a known answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from operator import itemgetter
from typing import Any

from labeling.agreement.answers import category_of
from labeling.agreement.choosing import Selection
from labeling.agreement.showing import Names, settled_now, with_items
from labeling.agreement.votes import golden, judged_items, repeats, tokens_in
from labeling.annotation.models import RoundItem
from labeling.refusals import Invalid

PAGE = 50
WINDOW = 200  # items whose votes are put together at first
STATES = {
    "used": "Items that were used",
    "left_out": "Items that were left out",
    "disagreed": "Items with disagreement",
}
OF_A_RATER = {"repeats": "Items that they were shown again", "gold": "Gold items that they judged"}
_TWO = 2


@dataclass(frozen=True)
class ItemPage:
    """Some items of a selection; `next_after` leads to more."""

    rows: list[dict[str, Any]]
    next_after: int | None


Said = dict[int, str]  # the category that each rater, by number, gave
Found = tuple[int, str | None]  # an item of a round, and its pattern


def items_in_state(names: Names, state: str, *, after: int, without: int = 0) -> ItemPage:
    """Items that are used, left out or disagreed on; or would be without one rater."""
    unjudged = unjudged_items(names.selection, after=after) if state == "left_out" else []

    def fits(said: Said) -> bool:
        return is_in_state(state, [category for rater, category in said.items() if rater != without])

    return find_items(names, fits, after=after, unjudged=unjudged)


def items_of_rater(names: Names, state: str, rater: int, *, after: int) -> ItemPage:
    """What the consistency of one rater, or their accuracy on gold items, is the figure of."""
    selection = names.selection
    own = [pk for pk, user in selection.raters.items() if user == selection.users[rater - 1]]
    if state == "repeats":
        votes, place, answers = repeats(selection), "current_of__round_item", {"before": "First", "again": "Again"}
    else:
        votes, place, answers = golden(selection), f"{selection.slot}__round_item", {"right": "Right", "said": "Said"}
    rows = votes.filter(rater__in=own, **{f"{place}__gt": after}).order_by(place).values_list(place, *answers)
    found = list(rows[: PAGE + 1])
    shown = [(pk, [category_of(selection.question, text) for text in texts]) for pk, *texts in found[:PAGE]]
    items = settled_now([pk for pk, _ in shown])
    return ItemPage(
        [
            {
                "item": items[pk].item,
                "round": items[pk].round,
                "said": [
                    {"name": label, "said": names.category(category or "")}
                    for label, category in zip(answers.values(), categories, strict=True)
                ],
            }
            for pk, categories in shown
            if pk in items and None not in categories
        ],
        found[PAGE - 1][0] if len(found) > PAGE else None,
    )


def unjudged_items(selection: Selection, *, after: int) -> list[Found]:
    """The next items of closed rounds that nobody voted on; none where only some items are in the selection."""
    if selection.is_narrowed:
        return []
    closed = [round for round in selection.rounds if not round.is_open]
    untouched = RoundItem.objects.filter(round__in=closed, votes=0, pk__gt=after).order_by("pk")
    return [(pk, None) for pk in untouched.values_list("pk", flat=True)[: PAGE + 1]]


def items_in_cell(names: Names, pair: tuple[int, int], cell: str, categories: list[str], *, after: int) -> ItemPage:
    """Items of which the first of two raters said this and the second that."""
    wanted = read_cell(cell)
    return find_items(names, lambda said: lies_in(said, pair, wanted, categories), after=after)


def find_items(names: Names, fits: Callable[[Said], bool], *, after: int, unjudged: Iterable[Found] = ()) -> ItemPage:
    """Goes through the judged items, and these others, in their order until a page is full."""
    selection = names.selection
    numbers = {rater: selection.users.index(user) + 1 for rater, user in selection.raters.items()}
    found: list[tuple[int, str, float | None]] = []
    for round_item, pattern in merge(judged_after(after, selection), unjudged, key=itemgetter(0)):
        said = {numbers[rater]: category_of(selection.question, text) for rater, _, text in tokens_in(pattern)}
        if fits({rater: category for rater, category in said.items() if category is not None}):
            found.append((round_item, pattern or "", None))
        if len(found) > PAGE:
            break
    return ItemPage(with_items(found[:PAGE], names), found[PAGE - 1][0] if len(found) > PAGE else None)


def judged_after(after: int, selection: Selection) -> Iterator[Found]:
    """In their order, some at a time and then more: to put together the votes of all for one page takes a while."""
    place, size = f"{selection.slot}__round_item", WINDOW
    last: int | None = after
    while last is not None:
        ahead = RoundItem.objects.filter(round__in=selection.rounds, pk__gt=last).order_by("pk")
        start, last = last, next(iter(ahead.values_list("pk", flat=True)[size - 1 : size]), None)
        within = {f"{place}__gt": start} | ({f"{place}__lte": last} if last is not None else {})
        rows = judged_items(selection).filter(**within).order_by("round_item")
        yield from rows.values_list("round_item", "pattern").iterator()
        size *= 4


def is_in_state(state: str, said: list[str]) -> bool:
    if state == "left_out":
        return len(said) < _TWO
    return len(said) >= _TWO and (state == "used" or len(set(said)) > 1)


def lies_in(said: Said, pair: tuple[int, int], wanted: tuple[int, int], categories: list[str]) -> bool:
    return all(
        code < len(categories) and said.get(rater) == categories[code] for rater, code in zip(pair, wanted, strict=True)
    )


def read_cell(cell: str) -> tuple[int, int]:
    first, _, second = cell.partition("-")
    if not (first.isdecimal() and second.isdecimal() and len(cell) < PAGE):
        raise Invalid(f"cell: “{cell[:40]}” is no cell; write the numbers of two categories, as in 0-1.")
    return int(first), int(second)
