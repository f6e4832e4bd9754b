"""Small groups cannot be worked out from what is shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from labeling.refusals import Invalid
from labeling.study.statistics.masking import Mask, MaskedCounts, mask_counts


def texts(counts: dict[str, int], k: int) -> list[str]:
    return [group.text for group in mask_counts(counts, k=k).groups.values()]


def test_groups_large_enough_are_shown() -> None:
    assert texts({"a": 5, "b": 12, "none": 0}, 5) == ["5", "12", "0"]


def test_single_small_group_takes_the_next_smallest_with_it() -> None:
    """9 of 30 and 7 of 30 shown would give the 2 away."""
    masked = mask_counts({"a": 2, "b": 9, "c": 7, "d": 12}, k=5)
    assert [group.text for group in masked.groups.values()] == ["< 5", "9", "hidden", "12"]
    assert masked.total.text == "30"
    assert masked.to_dict()["groups"]["a"] == {"text": "< 5", "mask": "small", "count": None}


def test_two_small_groups_protect_each_other_if_their_sum_allows() -> None:
    assert texts({"a": 2, "b": 2, "c": 8}, 5) == ["< 5", "< 5", "8"]
    assert texts({"a": 1, "b": 1, "c": 8}, 5) == ["< 5", "< 5", "hidden"]


def test_where_nothing_protects_all_is_hidden() -> None:
    assert texts({"a": 2, "b": 2}, 3) == ["hidden", "hidden"]
    assert texts({"a": 1, "b": 3}, 3) == ["hidden", "hidden"]


def test_total_below_k_is_itself_small() -> None:
    masked = mask_counts({"a": 2, "b": 0}, k=5)
    assert masked.total.text == "< 5"
    assert texts({"a": 2, "b": 0}, 5) == ["hidden", "hidden"]


def possible(masked: MaskedCounts, counts: list[int], total: int) -> Iterator[list[int]]:
    """All counts that fit what is shown, for somebody who also knows that what is hidden beside "< k" is 0 or ≥ k."""
    groups = list(masked.groups.values())
    any_small = any(group.mask is Mask.SMALL for group in groups)

    def choices(place: int) -> range | list[int]:
        group = groups[place]
        if group.mask is Mask.SHOWN:
            return [counts[place]]
        if group.mask is Mask.SMALL:
            return range(1, masked.k)
        if any_small:
            return range(masked.k, total + 1) if counts[place] else range(total + 1)
        return range(total + 1)

    def fill(place: int, left: int) -> Iterator[list[int]]:
        if place == len(groups):
            if left == 0:
                yield []
            return
        for count in choices(place):
            if count <= left:
                yield from ([count, *rest] for rest in fill(place + 1, left - count))

    return fill(0, total)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(1, 6))
def test_no_masked_count_has_one_possible_value_only(counts: list[int], k: int) -> None:
    masked = mask_counts({str(place): count for place, count in enumerate(counts)}, k=k)
    groups = list(masked.groups.values())
    for count, group in zip(counts, groups, strict=True):
        assert group.count == (count if group.mask is Mask.SHOWN else None)
        assert group.mask is not Mask.SHOWN or not 0 < count < k
    if masked.total.mask is Mask.SHOWN:
        worlds = list(possible(masked, counts, sum(counts)))
        assert counts in worlds
        for place, group in enumerate(groups):
            if group.mask is not Mask.SHOWN:
                assert len({world[place] for world in worlds}) > 1


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(Invalid):
        mask_counts({"a": 1}, k=0)
    with pytest.raises(Invalid, match="group a"):
        mask_counts({"a": -1}, k=3)
