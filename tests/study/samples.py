"""Short ways to make judgements: random studies, and small ones written out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labeling.agreement.statistics.resampling import Resampling
from labeling.study.statistics.judgements import Judgement, Judgements, gather

ORIGINS = ("buggy", "fixed", "cognac", "gtnm")
REASONS = ("complete", "partial", "style", "typo", "context")
QUICK = Resampling(resamples=100, seed=1)
NO_RESAMPLES = Resampling(resamples=0)


def study_of(rows: Sequence[Judgement], *, origins: Sequence[str] = ORIGINS, flagged: Sequence[str] = ()) -> Judgements:
    return gather(rows, origins=origins, reasons=REASONS, flagged=flagged)


def answered(table: Sequence[Sequence[str]], *, origins: Sequence[str] = ("a", "b")) -> Judgements:
    """A row a participant, a word a method, a letter an origin: y, n, or - for no answer; names are all distinct."""
    letters = {"y": True, "n": False, "-": None}
    return study_of(
        [
            Judgement(f"P{p}", f"m{p}.{m}", origin, (origin,), letters[letter])
            for p, methods in enumerate(table)
            for m, word in enumerate(methods)
            for origin, letter in zip(origins, word, strict=True)
        ],
        origins=origins,
    )


def random_study(
    seed: int,
    *,
    participants: int = 6,
    methods: int = 5,
    shared: int = 2,
    rates: Sequence[float] = (0.3, 0.8, 0.2, 0.4),
) -> Judgements:
    """Every participant has methods of their own and some that all share; now and then two origins have one name."""
    rng = np.random.default_rng(seed)
    rows = []
    merged = {f"all.{m}": bool(rng.random() < 0.5) for m in range(shared)}
    for p in range(participants):
        for method in [*merged, *(f"{p}.{m}" for m in range(methods))]:
            same = merged.get(method, False)
            groups = [(0,), (1, 2), (3,)] if same else [(0,), (1,), (2,), (3,)]
            for place, group in enumerate(rng.permutation(len(groups)).tolist()):
                origins = tuple(ORIGINS[one] for one in groups[group])
                yes = None if rng.random() < 0.05 else bool(rng.random() < rates[groups[group][0]])
                reason = REASONS[rng.integers(5)] if yes is False and rng.random() < 0.9 else None
                seconds = float(rng.gamma(4, 3))
                rows.append(Judgement(f"P{p}", method, f"n{origins}", origins, yes, reason, place + 1, seconds))
    return study_of(rows, flagged=["P0"])
