from __future__ import annotations

import pytest

from labeling.amounts import Amount
from labeling.corpus.models import Project
from tests.annotation.samples import items


@pytest.mark.parametrize(("most", "said", "of_cases"), [(2, "2+", "2+ cases wait"), (3, "3", "3 cases wait")])
def test_many_are_counted_only_so_far(project: Project, most: int, said: str, of_cases: str) -> None:
    items(project, 3)
    amount = Amount.of(project.items.all(), most)
    assert str(amount) == said
    assert amount.of_cases("waits", "wait") == of_cases


def test_one_and_none_are_told_apart(project: Project) -> None:
    assert not Amount.of(project.items.all(), 5)
    items(project, 1)
    assert Amount.of(project.items.all(), 5).of_cases("waits", "wait") == "1 case waits"
