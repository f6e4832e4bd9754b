"""Small groups cannot be worked out from what is shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, strategies as st

from labeling.refusals import Invalid
from labeling.study.statistics.masking import Mask, mask_counts


def texts(counts: dict[str, int], k: int) -> list[str]:
    return [group.text for group in mask_counts(counts, k=k).groups.values()]


def test_groups_large_enough_are_shown() -> None:
    assert texts({"a": 5, "b": 12, "none": 0}, 5) == ["5", "12", "0"]


def test_single_small_group_takes_the_next_smallest_with_it() -> None:
    """9 of 30 and 7 of 30 shown would give the 2 away; and nothing tells which of the two hidden ones is small."""
    masked = mask_counts({"a": 2, "b": 9, "c": 7, "d": 12}, k=5)
    assert [group.text for group in masked.groups.values()] == ["hidden", "9", "hidden", "12"]
    assert masked.total.text == "30"
    assert masked.to_dict()["groups"]["a"] == {"text": "hidden", "mask": "hidden", "count": None}


def test_small_groups_protect_each_other_if_their_sum_allows() -> None:
    assert texts({"a": 2, "b": 0, "c": 8, "d": 9}, 5) == ["< 5", "< 5", "8", "9"]
    assert texts({"a": 4, "b": 4, "c": 8, "d": 9}, 5) == ["hidden", "hidden", "hidden", "9"]


@pytest.mark.parametrize("counts", [[2, 2, 8], [1, 1, 8], [1, 1, 4], [1, 9], [4, 4]])
def test_where_nothing_protects_all_is_hidden(counts: list[int]) -> None:
    assert texts(named(counts), 5) == ["hidden"] * len(counts)


def test_few_people_are_all_hidden_and_fewer_than_k_not_even_counted() -> None:
    masked = mask_counts({"a": 2, "b": 0}, k=5)
    assert masked.total.text == "< 5"
    assert texts({"a": 2, "b": 0}, 5) == texts({"a": 9, "b": 0}, 5) == ["hidden", "hidden"]
    assert texts({"a": 10, "b": 0}, 5) == ["10", "0"]


def test_where_nobody_answered_there_is_nothing_to_hide() -> None:
    assert texts({"a": 0, "b": 0}, 5) == ["0", "0"]


def named(counts: Sequence[int]) -> dict[str, int]:
    return {str(place): count for place, count in enumerate(counts)}


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(("size", "most"), [(2, 14), (3, 12), (4, 9), (5, 8)])
def test_who_knows_the_rule_and_the_total_can_compute_no_masked_count(size: int, most: int, k: int) -> None:
    """All tables of so many people, sorted by what is shown of them: of each there is another that looks the same."""
    alike: dict[tuple[int, tuple[str, ...]], list[tuple[int, ...]]] = defaultdict(list)
    for counts in product(range(most + 1), repeat=size):
        if k <= sum(counts) <= most:
            alike[sum(counts), tuple(texts(named(counts), k))].append(counts)
    for (_, shown), tables in alike.items():
        for place, text in enumerate(shown):
            values = {table[place] for table in tables}
            assert (values == {int(text)}) if text.isdecimal() else (len(values) > 1)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(1, 6))
def test_no_small_group_is_shown(counts: list[int], k: int) -> None:
    for count, group in zip(counts, mask_counts(named(counts), k=k).groups.values(), strict=True):
        assert group.count == (count if group.mask is Mask.SHOWN else None)
        assert group.mask is not Mask.SHOWN or not 0 < count < k


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(Invalid):
        mask_counts({"a": 1}, k=0)
    with pytest.raises(Invalid, match="group a"):
        mask_counts({"a": -1}, k=3)
