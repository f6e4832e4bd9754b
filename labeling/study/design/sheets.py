"""Who judges which methods, and in which order each sees the methods and their names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from random import Random
from typing import Any

from labeling.refusals import Invalid
from labeling.study.design.colouring import Edge, colour_evenly
from labeling.study.design.squares import Row, williams_square


@dataclass(frozen=True)
class Layout:
    """How many sheets, of how many methods, and how many methods are seen by how many participants each."""

    sheets: int
    methods_per_sheet: int
    shared: int = 0  # methods that several participants judge
    participants_per_shared: int = 2

    @property
    def places(self) -> int:
        return self.sheets * self.methods_per_sheet

    @property
    def methods(self) -> int:
        """How many methods fill the sheets."""
        return self.places - self.shared * (self.participants_per_shared - 1)

    @property
    def others(self) -> float:
        """How many other participants judge the same method, on average over all places."""
        return self.shared * self.participants_per_shared * (self.participants_per_shared - 1) / max(self.places, 1)

    def check(self, methods: int) -> None:
        """Refuses what cannot be dealt, with the sums."""
        if min(self.sheets, self.methods_per_sheet) < 1 or self.shared < 0:
            raise Invalid("A plan needs a sheet and a method on it, and a number of shared methods of 0 or more.")
        if self.shared * self.participants_per_shared > self.places:
            raise Invalid(
                f"{self.shared:,} methods judged by {self.participants_per_shared:,} participants each need "
                f"{self.shared * self.participants_per_shared:,} places; {self.sheets:,} sheets of "
                f"{self.methods_per_sheet:,} have {self.places:,}."
            )
        if self.shared > methods:
            raise Invalid(f"{self.shared:,} methods cannot be shared: there are {methods:,}.")
        if self.shared and not 1 < self.participants_per_shared <= self.sheets:
            raise Invalid(
                f"A shared method is judged by 2 participants or more, and by {self.sheets:,} at most, one a sheet; "
                f"the plan says {self.participants_per_shared:,}."
            )
        wanted = methods - self.shared + self.shared * self.participants_per_shared
        if wanted != self.places:
            raise Invalid(
                f"{methods:,} methods, {self.shared:,} of them judged by {self.participants_per_shared:,} participants "
                f"each, need {wanted:,} places; {self.sheets:,} sheets of {self.methods_per_sheet:,} have "
                f"{self.places:,}."
            )


@dataclass(frozen=True)
class Page:
    """One method on a sheet; `order[p]` is which of its distinct names stands in position p, `row` that order's."""

    method: str
    row: int
    order: Row


@dataclass(frozen=True)
class Sheet:
    """The pages of one participant in their order; a spare one says whose place it takes."""

    number: int
    pages: tuple[Page, ...]
    replaces: int | None = None

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(page.method for page in self.pages)


@dataclass(frozen=True)
class Plan:
    """All sheets, made anew bit for bit from the seed, the layout and the methods in their order."""

    seed: int
    layout: Layout
    names: dict[str, int]  # distinct names of each method
    shared: tuple[str, ...]
    sheets: tuple[Sheet, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def plan_sheets(names: Mapping[str, int], layout: Layout, *, seed: int) -> Plan:
    """`names` is the number of distinct names of each method; rows of the Williams squares are dealt evenly.

    Among methods with equally many names, the uses of any two rows differ by one at most on each sheet, on each
    method, and over all.
    """
    layout.check(len(names))
    if empty := next((method for method, count in names.items() if count < 1), None):
        raise Invalid(f"The method {empty} has no name to judge.")
    shared, dealt = deal_methods(list(names), layout, rng=Random(f"{seed}:methods"))  # noqa: S311 (a design)
    rows = _deal_rows(dealt, names, Random(f"{seed}:rows"))  # noqa: S311 (a design)
    sheets = tuple(
        _sheet(seed, number, {method: rows[number, method] for method in methods}, names)
        for number, methods in enumerate(dealt)
    )
    return Plan(seed, layout, dict(names), shared, sheets)


def with_spare(plan: Plan, *, replaces: int, kept: bool = False) -> Plan:
    """The plan with one sheet more, on the methods of a sheet that was given up, in a new order of methods.

    Where the answers of that sheet are gone, the spare takes its rows, so that completed sheets are as balanced as
    planned; where they are kept, it carries on the cycle of each method with the row that was used least.
    """
    if not 0 <= replaces < len(plan.sheets):
        raise Invalid(f"There is no sheet {replaces} in the plan.")
    given_up = plan.sheets[replaces]
    rows = _next_rows(plan, given_up) if kept else {page.method: page.row for page in given_up.pages}
    number = len(plan.sheets)
    spare = replace(_sheet(plan.seed, number, rows, plan.names), replaces=replaces)
    return replace(plan, sheets=(*plan.sheets, spare))


def deal_methods(methods: list[str], layout: Layout, *, rng: Random) -> tuple[tuple[str, ...], list[list[str]]]:
    """Which methods are shared, and the methods of each sheet; shared ones are spread evenly over sheets."""
    shuffled = rng.sample(methods, len(methods))
    shared, single = shuffled[: layout.shared], shuffled[layout.shared :]
    dealt: list[list[str]] = [[] for _ in range(layout.sheets)]
    together: Counter[tuple[int, int]] = Counter()
    for method in shared:
        for sheet in _team(dealt, together, layout.participants_per_shared, rng):
            dealt[sheet].append(method)
    for methods_of in dealt:
        while len(methods_of) < layout.methods_per_sheet:
            methods_of.append(single.pop())
    return tuple(shared), dealt


def _team(dealt: list[list[str]], together: Counter[tuple[int, int]], size: int, rng: Random) -> list[int]:
    """The sheets with the fewest methods so far; of those, such as have met the others least."""
    team: list[int] = []
    waiting = rng.sample(range(len(dealt)), len(dealt))
    for _ in range(size):
        chosen = min(waiting, key=lambda sheet: (len(dealt[sheet]), sum(together[mate, sheet] for mate in team)))
        for mate in team:
            together[mate, chosen] += 1
            together[chosen, mate] += 1
        team.append(chosen)
        waiting.remove(chosen)
    return team


def _deal_rows(dealt: list[list[str]], names: Mapping[str, int], rng: Random) -> dict[tuple[int, str], int]:
    """A row for each method on each sheet; methods with equally many names share a square and its balance."""
    number_of = {method: number for number, method in enumerate(names)}
    edges: defaultdict[int, list[tuple[Edge, str]]] = defaultdict(list)
    for sheet, methods in enumerate(dealt):
        for method in methods:
            edges[names[method]].append(((sheet, number_of[method]), method))
    rows = {}
    for count, group in sorted(edges.items()):
        rng.shuffle(group)
        size = len(williams_square(count))
        meaning = rng.sample(range(size), size)  # so that what is left over of a cycle favours no row
        for ((sheet, _), method), colour in zip(group, colour_evenly([edge for edge, _ in group], size), strict=True):
            rows[sheet, method] = meaning[colour]
    return rows


def _next_rows(plan: Plan, given_up: Sheet) -> dict[str, int]:
    """For each method the row used least on it; of those the one used least on this sheet, then in the whole plan."""
    on_method = Counter((page.method, page.row) for sheet in plan.sheets for page in sheet.pages)
    overall = Counter((plan.names[page.method], page.row) for sheet in plan.sheets for page in sheet.pages)
    here: Counter[tuple[int, int]] = Counter()
    rows = {}
    for method in given_up.methods:
        count = plan.names[method]
        rows[method] = min(
            range(len(williams_square(count))),
            key=lambda row: (on_method[method, row], here[count, row], overall[count, row], row),
        )
        here[count, rows[method]] += 1
        overall[count, rows[method]] += 1
    return rows


def _sheet(seed: int, number: int, rows: dict[str, int], names: Mapping[str, int]) -> Sheet:
    """Methods in an order that depends on the seed and the number of the sheet alone."""
    methods = sorted(rows)
    Random(f"{seed}:sheet:{number}").shuffle(methods)  # noqa: S311 (a design)
    return Sheet(
        number, tuple(Page(method, rows[method], williams_square(names[method])[rows[method]]) for method in methods)
    )
