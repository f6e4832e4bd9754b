"""Can a classifier tell the origin of a name? Ridge regression on one column a class, tested on methods it has not
seen, against the same with origins shuffled among the names of each method. Plain numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labeling.agreement.statistics.arrays import Floats, Ints
from labeling.study.blindness import ALARM

FOLDS = 5
PENALTY = 5.0
PERMUTATIONS = 1_999


@dataclass(frozen=True)
class Guess:
    """How often the classifier was right, how often it is by chance, and how rarely chance does as well."""

    names: int
    accuracy: float | None
    chance: float | None
    p: float | None
    reason: str = ""

    @property
    def beats_chance(self) -> bool:
        return self.p is not None and self.p <= ALARM


def guess_origins(features: Floats, *, method: Ints, name: Ints, origin: Ints, seed: int) -> Guess:
    """`method` and `name` are numbered from 0; `origin` is the class of each row, the same wherever a name stands."""
    rows = len(method)
    if len(np.unique(method)) < FOLDS or len(np.unique(origin)) < 2:  # noqa: PLR2004 (something to tell apart)
        return Guess(rows, None, None, None, f"At least {FOLDS} methods and two origins are needed.")
    if features.shape[1] == 0:
        return Guess(rows, None, None, None, "Nothing differs between names, so there is nothing to guess from.")
    rng = np.random.default_rng(seed)
    hats = [hat(features, method, fold) for fold in folds_of(method, rng)]
    first = np.array([np.flatnonzero(name == one)[0] for one in range(name.max() + 1)])
    own, of_method = origin[first], method[first]
    right, score = judge(hats, own[name])
    drawn = np.array([judge(hats, shuffled(own, of_method, rng)[name]) for _ in range(PERMUTATIONS)])
    p = (1 + int((drawn[:, 1] >= score - 1e-12).sum())) / (1 + PERMUTATIONS)
    return Guess(rows, round(right, 4), round(float(drawn[:, 0].mean()), 4), round(p, 4))


def folds_of(method: Ints, rng: np.random.Generator) -> list[Ints]:
    return [np.asarray(part) for part in np.array_split(rng.permutation(np.unique(method)), FOLDS)]


def hat(features: Floats, method: Ints, fold: Ints) -> tuple[Ints, Ints, Floats]:
    """Rows to learn from, rows to tell, and the matrix that takes what is learnt to what is told."""
    told = np.isin(method, fold)
    learn, test = features[~told], features[told]
    inner = learn.T @ learn + PENALTY * np.eye(features.shape[1])
    return np.flatnonzero(~told), np.flatnonzero(told), test @ np.linalg.solve(inner, learn.T)


def judge(hats: list[tuple[Ints, Ints, Floats]], origin: Ints) -> tuple[float, float]:
    """The share that is told rightly, and how far the true origins are preferred: the finer of the two is tested."""
    classes = np.eye(origin.max() + 1)
    right, score, rows = 0, 0.0, 0
    for learn, told, taking in hats:
        known = classes[origin[learn]]
        mean = known.mean(axis=0)
        preferred = taking @ (known - mean)
        right += int(((preferred + mean).argmax(axis=1) == origin[told]).sum())
        score += float((preferred * (classes[origin[told]] - mean)).sum())
        rows += len(told)
    return right / rows, score / rows


def shuffled(origin: Ints, method: Ints, rng: np.random.Generator) -> Ints:
    """Among the names of each method, the same for everybody who saw them."""
    order = np.lexsort((rng.random(len(method)), method))
    found = np.empty_like(origin)
    found[np.argsort(method, kind="stable")] = origin[order]
    return found
