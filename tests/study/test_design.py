"""Orders, samples and sheets are balanced as far as numbers allow, and come out the same from the same seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, strategies as st

from labeling.refusals import Invalid
from labeling.study.design.colouring import colour_evenly
from labeling.study.design.sampling import allocate, draw_sample
from labeling.study.design.sheets import Layout, Plan, plan_sheets, with_spare
from labeling.study.design.squares import williams_square


def uneven(counts: Counter[int], kinds: int) -> int:
    """By how much the most used of `kinds` kinds exceeds the least used."""
    uses = [counts[kind] for kind in range(kinds)]
    return max(uses) - min(uses)


def test_square_of_four_as_williams_has_it() -> None:
    assert williams_square(4) == ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))


def test_one_name_has_one_order_and_none_is_refused() -> None:
    assert williams_square(1) == ((0,),)
    with pytest.raises(Invalid):
        williams_square(0)


@pytest.mark.parametrize("size", range(2, 13))
def test_square_is_balanced_for_position_and_for_what_came_before(size: int) -> None:
    rows = williams_square(size)
    times = 1 if size % 2 == 0 else 2
    assert len(rows) == size * times
    assert len(set(rows)) == len(rows)
    positions = Counter((name, position) for row in rows for position, name in enumerate(row))
    assert positions == {(name, position): times for name in range(size) for position in range(size)}
    followed = Counter(pair for row in rows for pair in pairwise(row))
    assert followed == {(a, b): times for a in range(size) for b in range(size) if a != b}


def test_largest_remainders_worked_by_hand() -> None:
    """Of 7: quotas 3.5, 2.1 and 1.4; the seat left over goes to the largest remainder, .5."""
    strata = allocate({"a": 50, "b": 30, "c": 20}, 7)
    assert [(stratum.name, stratum.quota, stratum.taken) for stratum in strata] == [
        ("a", 3.5, 4),
        ("b", 2.1, 2),
        ("c", 1.4, 1),
    ]


def test_equal_remainders_go_to_the_larger_stratum_then_to_the_first_name() -> None:
    assert [stratum.taken for stratum in allocate({"z": 1, "a": 1, "big": 2}, 2)] == [1, 1, 0]
    assert {s.name: s.taken for s in allocate({"small": 1, "large": 3}, 2)} == {"large": 2, "small": 0}


@given(
    sizes=st.dictionaries(st.text(max_size=3), st.integers(0, 60), max_size=8),
    part=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_sample_follows_the_strata(sizes: dict[str, int], part: float, seed: int) -> None:
    strata = {name: [(name, number) for number in range(size)] for name, size in sizes.items()}
    wanted = int(sum(sizes.values()) * part)
    sample, again = (draw_sample(strata, wanted, rng=Random(seed)) for _ in range(2))  # noqa: S311 (a design)
    assert sample == again
    assert len(set(sample.chosen)) == len(sample.chosen) == wanted
    drawn = Counter(name for name, _ in sample.chosen)
    for stratum in sample.strata:
        assert drawn[stratum.name] == stratum.taken <= stratum.size
        assert abs(stratum.taken - stratum.quota) < 1


def test_more_than_there_is_cannot_be_drawn() -> None:
    with pytest.raises(Invalid, match="A sample of 5 cannot be drawn from 4"):
        allocate({"a": 4}, 5)


@given(
    edges=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=80),
    colours=st.integers(1, 8),
)
def test_colours_are_even_at_every_vertex_and_over_all(edges: list[tuple[int, int]], colours: int) -> None:
    colour = colour_evenly(edges, colours)
    assert uneven(Counter(colour), colours) <= 1
    for side in (0, 1):
        for vertex in range(7):
            at = Counter(c for edge, c in zip(edges, colour, strict=True) if edge[side] == vertex)
            assert uneven(at, colours) <= 1


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    sheets, per_sheet = draw(st.integers(1, 8)), draw(st.integers(1, 9))
    together = draw(st.integers(2, sheets)) if sheets > 1 else 2
    shared = draw(st.integers(0, sheets * per_sheet // together)) if sheets > 1 else 0
    layout = Layout(sheets, per_sheet, shared, together)
    counts = draw(st.lists(st.integers(1, 5), min_size=layout.methods, max_size=layout.methods))
    return plan_sheets({f"m{i}": count for i, count in enumerate(counts)}, layout, seed=draw(st.integers(0, 999)))


def rows_used(plan: Plan, names: int, **only: object) -> Counter[int]:
    return Counter(
        page.row
        for sheet in plan.sheets
        for page in sheet.pages
        if plan.names[page.method] == names
        and only.get("sheet", sheet.number) == sheet.number
        and only.get("method", page.method) == page.method
    )


@given(plan=plans())
def test_every_method_is_judged_as_often_as_planned(plan: Plan) -> None:
    layout = plan.layout
    judged = Counter(method for sheet in plan.sheets for method in sheet.methods)
    assert judged == {method: layout.participants_per_shared if method in plan.shared else 1 for method in plan.names}
    assert len(plan.shared) == layout.shared
    for sheet in plan.sheets:
        assert len(set(sheet.methods)) == len(sheet.methods) == layout.methods_per_sheet
    overlap = [sum(method in plan.shared for method in sheet.methods) for sheet in plan.sheets]
    assert max(overlap) - min(overlap) <= 1


@given(plan=plans())
def test_rows_are_even_on_each_sheet_on_each_method_and_over_all(plan: Plan) -> None:
    for names in set(plan.names.values()):
        rows = len(williams_square(names))
        assert uneven(rows_used(plan, names), rows) <= 1
        for sheet in plan.sheets:
            assert uneven(rows_used(plan, names, sheet=sheet.number), rows) <= 1
    for method, names in plan.names.items():
        assert uneven(rows_used(plan, names, method=method), len(williams_square(names))) <= 1


@given(plan=plans())
def test_every_name_is_in_every_position_equally_often(plan: Plan) -> None:
    """Odd numbers of names have two squares, so that a cycle that is not full may be two apart."""
    for names in set(plan.names.values()):
        pages = [page for sheet in plan.sheets for page in sheet.pages if plan.names[page.method] == names]
        seen = Counter(page.order[position] * names + position for page in pages for position in range(names))
        full = len(pages) % len(williams_square(names)) == 0
        assert uneven(seen, names**2) <= (0 if full else 1 + names % 2)


def test_same_seed_gives_the_same_plan_and_another_gives_another() -> None:
    names = {f"m{i}": 4 for i in range(40)}
    layout = Layout(sheets=4, methods_per_sheet=12, shared=4, participants_per_shared=3)
    assert plan_sheets(names, layout, seed=5) == plan_sheets(names, layout, seed=5)
    assert plan_sheets(names, layout, seed=5).sheets != plan_sheets(names, layout, seed=6).sheets
    assert plan_sheets(names, layout, seed=5).to_dict()["sheets"][0]["pages"][0].keys() == {"method", "row", "order"}


def test_pairs_of_participants_meet_about_equally_often() -> None:
    plan = plan_sheets({f"m{i}": 4 for i in range(60)}, Layout(6, 20, 60, 2), seed=3)
    pairs = Counter(
        (a.number, b.number)
        for a in plan.sheets
        for b in plan.sheets
        if a.number < b.number
        for method in a.methods
        if method in b.methods
    )
    assert len(pairs) == 15
    assert max(pairs.values()) - min(pairs.values()) <= 2


@given(plan=plans(), data=st.data())
def test_spare_for_a_sheet_whose_answers_are_gone_restores_the_balance(plan: Plan, data: st.DataObject) -> None:
    replaces = data.draw(st.integers(0, len(plan.sheets) - 1))
    more = with_spare(plan, replaces=replaces)
    spare = more.sheets[-1]
    assert (spare.number, spare.replaces) == (len(plan.sheets), replaces)
    assert more.sheets[:-1] == plan.sheets
    assert sorted(map(repr, spare.pages)) == sorted(map(repr, plan.sheets[replaces].pages))
    assert with_spare(plan, replaces=replaces) == more


@given(plan=plans(), replaced=st.lists(st.integers(0, 7), max_size=5))
def test_spares_beside_kept_answers_carry_on_the_cycle_of_each_method(plan: Plan, replaced: list[int]) -> None:
    for number in replaced:
        plan = with_spare(plan, replaces=number % len(plan.sheets), kept=True)
    for method, names in plan.names.items():
        assert uneven(rows_used(plan, names, method=method), len(williams_square(names))) <= 1


def test_spares_beside_kept_answers_stay_even_on_the_sheet() -> None:
    plan = plan_sheets({f"m{i}": 4 for i in range(200)}, Layout(10, 20), seed=1)
    for number in range(10):
        plan = with_spare(plan, replaces=number, kept=True)
        assert uneven(rows_used(plan, 4, sheet=plan.sheets[-1].number), 4) <= 2
    assert uneven(rows_used(plan, 4), 4) <= 4


def refused(names: Iterable[int], layout: Layout) -> str:
    with pytest.raises(Invalid) as caught:
        plan_sheets({f"m{i}": count for i, count in enumerate(names)}, layout, seed=0)
    return str(caught.value)


def test_plans_that_do_not_add_up_are_refused_with_their_sums() -> None:
    said = refused([4] * 200, Layout(10, 20, shared=20, participants_per_shared=3))
    assert said == ("200 methods, 20 of them judged by 3 participants each, need 240 places; 10 sheets of 20 have 200.")
    assert "no name to judge" in refused([4, 0], Layout(1, 2))
    assert "by 2 at most, one a sheet; the plan says 3" in refused([4] * 5, Layout(2, 4, 2, 3))
    assert "cannot be shared: there are 2" in refused([4] * 2, Layout(2, 4, 3, 2))
    assert "needs a sheet" in refused([4], Layout(0, 4))
    assert "needs a sheet" in refused([4], Layout(2, 4, -1))
    assert Layout(10, 24, 20, 3).methods == 200


def test_only_a_sheet_of_the_plan_can_be_replaced() -> None:
    plan = plan_sheets({"m": 4}, Layout(1, 1), seed=0)
    with pytest.raises(Invalid, match="no sheet 1"):
        with_spare(plan, replaces=1)
