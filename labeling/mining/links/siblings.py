"""Renames that belong together: what a reviewer asked of one was done to the others as well."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from labeling.corpus.kinds.review_rename import Evidence
from labeling.corpus.names import compare_names, list_added, list_dropped
from labeling.mining.links import signs
from labeling.mining.links.weighing import RenamedMethod

Weighed = dict[int, list[Evidence]]  # by the position of the comment


class _Best(NamedTuple):
    rank: tuple[float, int, int]  # best first when sorted: score, position of the comment, index of the rename
    score: float
    position: int


def group_siblings(renames: Sequence[RenamedMethod]) -> list[list[int]]:
    """For each rename the indexes of its family, itself among them.

    Siblings have the same words changed by the same commit, or both names the same in any commit (an overload, an
    override, the same rename done again).
    """
    groups: dict[Hashable, list[int]] = defaultdict(list)
    keys = [(("names", *_names(rename)), (rename.commit, describe_change(rename))) for rename in renames]
    for index, (names, words) in enumerate(keys):
        groups[names].append(index)
        groups[words].append(index)
    return [sorted({*groups[names], *groups[words]}) for names, words in keys]


def describe_change(rename: RenamedMethod) -> Hashable:
    """The words that were dropped and added; where only case or underscores changed, those."""
    parts = compare_names(*_names(rename))
    dropped, added = tuple(list_dropped(parts)), tuple(list_added(parts))
    if dropped or added:
        return dropped, added
    return tuple(part for part in parts if part.before != part.after)


def inherit(
    renames: Sequence[RenamedMethod], families: Sequence[Sequence[int]], weighed: Sequence[Weighed]
) -> Iterator[tuple[int, int, Evidence]]:
    """For each rename that has a better linked sibling: its index, the sibling's comment, and the piece that lifts it.

    The comment then scores at most that share of what it scores for the sibling, its own pieces included.
    """
    bests = [_find_best(index, evidence) for index, evidence in enumerate(weighed)]
    for index, family in enumerate(families):
        donors = [best for other in family if other != index and (best := bests[other])]
        if not donors:
            continue
        best = min(donors)
        own = sum(piece.weight for piece in weighed[index][best.position] if piece.weight > 0)
        weight = round(signs.SIBLING_SHARE * best.score - own, 3)
        if weight > 0:
            sibling = renames[best.rank[-1]]
            text = f"{sibling.container}: {sibling.buggy_name} → {sibling.fixed_name}".removeprefix(": ")
            yield index, best.position, Evidence(signs.SIBLING, weight, best.position, text)


def score(evidence: Sequence[Evidence]) -> float:
    return round(sum(piece.weight for piece in evidence), 3)


def _find_best(index: int, weighed: Weighed) -> _Best | None:
    scores = {position: score(evidence) for position, evidence in weighed.items()}
    best = min(scores, key=lambda position: (-scores[position], position), default=None)
    return None if best is None else _Best((-scores[best], best, index), scores[best], best)


def _names(rename: RenamedMethod) -> tuple[str, str]:
    return rename.buggy_name, rename.fixed_name
