"""Items with the same ratings collapsed to one pattern and a count: what follows costs patterns, not items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from labeling.agreement.statistics.arrays import Floats, Ints, sum_by
from labeling.agreement.statistics.ratings import Ratings

Rows = tuple[Ints, Floats | None, Ints | None]  # tokens, and weight and group of each row
_LARGEST_CODE = 2**62
_LARGEST_TABLE = 2**22  # codes below this are counted in a table; above it they are sorted


@dataclass(frozen=True, eq=False)
class Block:
    """The patterns that have the same number of ratings: one row a pattern."""

    first: int
    values: Ints
    raters: Ints | None

    @property
    def size(self) -> int:
        return int(self.values.shape[1])

    @property
    def rows(self) -> slice:
        return slice(self.first, self.first + len(self.values))


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct patterns with counts. `raters` in the blocks is None where who rated does not matter."""

    blocks: tuple[Block, ...]
    counts: Floats
    cells: Cells | None = None

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def sizes(self) -> Floats:
        """The number of ratings of each pattern."""
        sizes = np.zeros(len(self))
        for block in self.blocks:
            sizes[block.rows] = block.size
        return sizes

    def tokens(self) -> tuple[Ints, Ints]:
        """The pattern and the value of every rating in the patterns."""
        patterns = [np.repeat(np.arange(block.rows.start, block.rows.stop), block.size) for block in self.blocks]
        return _joined(patterns), _joined([block.values.ravel() for block in self.blocks])

    def token_raters(self) -> Ints:
        """The rater of every rating in the patterns, in the order of `tokens`."""
        return _joined([block.raters.ravel() for block in self.blocks if block.raters is not None])


@dataclass(frozen=True, eq=False)
class Cells:
    """How often each pattern occurs in each group; only pairs that occur, by group."""

    groups: int
    group: Ints
    pattern: Ints
    count: Floats


@dataclass(frozen=True, eq=False)
class Collapsed:
    """The same items twice: with the raters known, and without."""

    identified: Patterns
    anonymous: Patterns


def collapse(ratings: Ratings) -> Collapsed:
    """Items without any rating are not in the patterns; raises RatedTwiceError."""
    ratings = ratings.in_order()
    tokens = ratings.rater * ratings.scale.size + ratings.value
    stacks = []
    for items, place in _by_size(ratings):
        groups = None if ratings.group is None else ratings.group[items]
        stacks.append((tokens[place], None if groups is None else np.ones(len(items)), groups))
    identified = _stack(stacks, groups=ratings.groups, base=len(ratings.raters) * ratings.scale.size)
    return _collapsed(identified, ratings.scale.size)


def one_by_one(ratings: Ratings) -> tuple[Patterns, Ints]:
    """Each rated item as a pattern of its own, and which item it is; raises RatedTwiceError."""
    ratings = ratings.in_order()
    blocks, items, first = [], [], 0
    for item, place in _by_size(ratings):
        blocks.append(Block(first, ratings.value[place], ratings.rater[place]))
        items.append(item)
        first += len(item)
    return Patterns(tuple(blocks), np.ones(first)), _joined(items)


def _by_size(ordered: Ratings) -> Iterator[tuple[Ints, Ints]]:
    """The items with one rating, two, and so on, and where their ratings stand: a row an item."""
    sizes = ordered.per_item()
    starts = np.cumsum(sizes) - sizes
    for size in np.flatnonzero(np.bincount(sizes)[1:]) + 1:
        items = np.flatnonzero(sizes == size)
        yield items, starts[items][:, None] + np.arange(size)


def without_rater(identified: Patterns, rater: int, categories: int) -> Collapsed:
    """The patterns as they would be had one rater not taken part."""
    stacks: dict[int, list[tuple[Ints, Floats]]] = {}
    for block in identified.blocks:
        if block.raters is None:
            raise ValueError("who rated is not known in these patterns")
        tokens = block.raters * categories + block.values
        hit = block.raters == rater
        had = hit.any(axis=1)
        counts = identified.counts[block.rows]
        stacks.setdefault(block.size, []).append((tokens[~had], counts[~had]))
        if block.size > 1:
            rest = tokens[had][~hit[had]].reshape(-1, block.size - 1)
            stacks.setdefault(block.size - 1, []).append((rest, counts[had]))
    joined = [
        (np.concatenate([rows for rows, _ in parts]), np.concatenate([counts for _, counts in parts]), None)
        for _, parts in sorted(stacks.items())
    ]
    base = (int(identified.token_raters().max(initial=0)) + 1) * categories
    return _collapsed(_stack([part for part in joined if len(part[0])], groups=0, base=base), categories)


def _collapsed(tokens: Patterns, categories: int) -> Collapsed:
    """Splits tokens (rater × categories + value) into raters and values, and forgets the raters for the second form."""
    blocks = tuple(Block(block.first, block.values % categories, block.values // categories) for block in tokens.blocks)
    identified = Patterns(blocks, tokens.counts, tokens.cells)
    return Collapsed(identified, forget_raters(identified, categories))


def forget_raters(identified: Patterns, categories: int) -> Patterns:
    """Patterns that hold the same values, in whatever order, become one."""
    blocks, counts, renamed = [], [], np.zeros(len(identified), dtype=np.int64)
    first = 0
    for block in identified.blocks:
        rows, inverse = distinct_rows(np.sort(block.values, axis=1), categories)
        blocks.append(Block(first, rows, None))
        counts.append(sum_by(inverse, identified.counts[block.rows], len(rows)))
        renamed[block.rows] = first + inverse
        first += len(rows)
    cells = identified.cells
    if cells is not None:
        cells = _cells(cells.group, renamed[cells.pattern], cells.count, groups=cells.groups, patterns=first)
    return Patterns(tuple(blocks), _joined_floats(counts), cells)


def _stack(stacks: Sequence[Rows], *, groups: int, base: int) -> Patterns:
    """Patterns out of rows of tokens, with the weight and the group of each row where there are any."""
    blocks, counts, members, first = [], [], [], 0
    for rows, weights, group in stacks:
        distinct, inverse = distinct_rows(rows, base)
        blocks.append(Block(first, distinct, None))
        counts.append(np.bincount(inverse, weights=weights, minlength=len(distinct)).astype(float))
        if group is not None and weights is not None:
            members.append((group, first + inverse, weights))
        first += len(distinct)
    cells = None
    if groups:
        group_of, pattern_of = _joined([part[0] for part in members]), _joined([part[1] for part in members])
        weighed = _joined_floats([part[2] for part in members])
        cells = _cells(group_of, pattern_of, weighed, groups=groups, patterns=first)
    return Patterns(tuple(blocks), _joined_floats(counts), cells)


def _cells(group: Ints, pattern: Ints, count: Floats, *, groups: int, patterns: int) -> Cells:
    distinct, inverse = distinct_rows(np.column_stack([group, pattern]), max(groups, patterns, 1))
    return Cells(groups, distinct[:, 0], distinct[:, 1], sum_by(inverse, count, len(distinct)))


def distinct_rows(rows: Ints, base: int) -> tuple[Ints, Ints]:
    """The different rows in order, and which of them each row is; `base` lies above every number in them."""
    codes, span = rows[:, 0], base
    for column in rows.T[1:]:
        if span > _LARGEST_CODE // base:
            present, codes = np.unique(codes, return_inverse=True)
            span = len(present)
        codes = codes * base + column
        span *= base
    if span > max(_LARGEST_TABLE, 2 * len(rows)):
        _, index, inverse = np.unique(codes, return_index=True, return_inverse=True)
        return rows[index], inverse
    place = np.full(span, -1, dtype=np.int64)
    place[codes[::-1]] = np.arange(len(rows) - 1, -1, -1)
    present = np.flatnonzero(place >= 0)
    index = place[present]
    place[present] = np.arange(len(present))
    return rows[index], place[codes]


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _joined_floats(parts: list[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.zeros(0)
