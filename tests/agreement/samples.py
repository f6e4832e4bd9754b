"""Published tables with known coefficients, random ones, and short ways to make ratings from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labeling.agreement.statistics.measuring import measure
from labeling.agreement.statistics.ratings import Ratings
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.results import Agreement
from labeling.agreement.statistics.scales import Level, Scale, nominal_scale, number_scale, ordinal_scale

Table = Sequence[Sequence[int | None]]
WITHOUT_INTERVALS = Resampling(resamples=0)

# Krippendorff (2011, "Computing Krippendorff's alpha-reliability", part C): 12 units by 4 observers, 1 to 5, with gaps.
# Gwet (2014) uses the same table as "4 raters, 12 subjects".
FOUR_BY_TWELVE: Table = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, None, 3, None],
]

# Fleiss (1971, table 1): how many of six psychiatrists gave each of 30 patients each of five diagnoses.
DIAGNOSES = [
    (0, 0, 0, 6, 0),
    (0, 3, 0, 0, 3),
    (0, 1, 4, 0, 1),
    (0, 0, 0, 0, 6),
    (0, 3, 0, 3, 0),
    (2, 0, 4, 0, 0),
    (0, 0, 4, 0, 2),
    (2, 0, 3, 1, 0),
    (2, 0, 0, 4, 0),
    (0, 0, 0, 0, 6),
    (1, 0, 0, 5, 0),
    (1, 1, 0, 4, 0),
    (0, 3, 3, 0, 0),
    (1, 0, 0, 5, 0),
    (0, 2, 0, 3, 1),
    (0, 0, 5, 0, 1),
    (3, 0, 0, 1, 2),
    (5, 1, 0, 0, 0),
    (0, 2, 0, 4, 0),
    (1, 0, 2, 0, 3),
    (0, 0, 0, 0, 6),
    (0, 1, 0, 5, 0),
    (0, 2, 0, 1, 3),
    (2, 0, 0, 4, 0),
    (1, 0, 0, 4, 1),
    (0, 5, 0, 1, 0),
    (4, 0, 0, 0, 2),
    (0, 2, 0, 4, 0),
    (1, 0, 5, 0, 0),
    (0, 0, 0, 0, 6),
]


def scale_of(level: Level, size: int) -> Scale:
    """Categories 1 to `size`."""
    names = [str(number) for number in range(1, size + 1)]
    if level is Level.NOMINAL:
        return nominal_scale(names)
    return ordinal_scale(names) if level is Level.ORDINAL else number_scale(level, range(1, size + 1))


def ratings_of(table: Table, scale: Scale, *, group: Sequence[int] | None = None) -> Ratings:
    """A row an item, a column a rater, values from 1."""
    cells = [(i, j, v - 1) for i, row in enumerate(table) for j, v in enumerate(row) if v is not None]
    item, rater, value = np.array(cells, dtype=np.int64).reshape(-1, 3).T
    names = tuple(f"R{number}" for number in range(1, max((len(row) for row in table), default=0) + 1))
    codes = None if group is None else np.asarray(group, dtype=np.int64)
    groups = 0 if group is None else max(group) + 1
    return Ratings(item, rater, value, scale, names, len(table), group=codes, groups=groups)


def agreement_of(
    table: Table, *, level: Level = Level.NOMINAL, size: int = 5, how: Resampling = WITHOUT_INTERVALS
) -> Agreement:
    return measure(ratings_of(table, scale_of(level, size)), how=how)


def values_of(table: Table, *, level: Level = Level.NOMINAL, size: int = 5) -> dict[str, float | None]:
    found = agreement_of(table, level=level, size=size).coefficients
    return {name: coefficient.value for name, coefficient in found.items()}


def random_table(
    seed: int, *, items: int, raters: int, size: int, missing: float = 0.2, faithful: float = 0.6
) -> list[list[int | None]]:
    """Raters who know the truth now and then, guess otherwise, and leave gaps."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(size, size=items, p=rng.dirichlet(np.full(size, 2.0)))
    guessed = rng.integers(size, size=(items, raters))
    values = np.where(rng.random((items, raters)) < faithful, truth[:, None], guessed) + 1
    gaps = rng.random((items, raters)) < missing
    return [
        [None if gap else int(v) for v, gap in zip(row, gone, strict=True)]
        for row, gone in zip(values, gaps, strict=True)
    ]
