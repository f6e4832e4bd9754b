"""What a planned study can be expected to show, under assumptions that the coordinator can change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from random import Random
from statistics import NormalDist

import numpy as np

from labeling.agreement.statistics.arrays import Bools, Floats, Ints
from labeling.agreement.statistics.intervals import Interval, wilson_interval
from labeling.refusals import Invalid
from labeling.study.design.overlap import warn_of_overlap
from labeling.study.design.sheets import Layout, deal_methods
from labeling.study.statistics.flipping import enumerated, holm, sampled
from labeling.study.statistics.results import Result

MOST_REPETITIONS = 20_000
MOST_ANSWERS = 50_000_000  # over all repetitions of both runs
RESAMPLES = 200
FLIPS = 1_000
_MOST_ENUMERATED = 11  # above it, random flips are cheaper in a simulation
_AT_A_TIME = 1_000_000
_TWO = 2


@dataclass(frozen=True)
class Assumptions(Result):
    """Rates are those of a usual participant on a usual method; the spreads are standard deviations of logits."""

    rates: dict[str, float]  # of yes, by origin
    participant_sd: float = 0.5  # how far participants differ in how easily they say yes
    preference_sd: float = 0.3  # how far they differ in which origins they like
    method_sd: float = 0.5  # how far methods differ in how easily their names get a yes
    name_sd: float = 0.5  # how far the names of one origin differ from method to method


@dataclass(frozen=True)
class Rate(Result):
    """In how many repetitions, with Wilson's interval for the noise of the simulation itself."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ExpectedShare(Result):
    """The mean yes-share of an origin, and the mean width of both of its intervals."""

    origin: str
    share: float
    wilson_width: float
    bootstrap_width: float


@dataclass(frozen=True)
class ExpectedPair(Result):
    """How often the primary test, after Holm's correction, told two origins apart."""

    a: str
    b: str
    power: Rate


@dataclass(frozen=True)
class Simulation(Result):
    """False positives are from a second run in which all origins have the mean of the assumed logits."""

    assumptions: Assumptions
    sheets: int
    methods_per_sheet: int
    shared: int
    participants_per_shared: int
    repetitions: int
    alpha: float
    test: str
    shares: list[ExpectedShare]
    pairs: list[ExpectedPair]
    any_pair: Rate  # power to tell at least two origins apart
    false_positives: Rate  # of the primary test: any pair, after Holm's correction
    q_power: Rate
    q_false_positives: Rate

    @property
    def warning(self) -> str:
        layout = Layout(self.sheets, self.methods_per_sheet, self.shared, self.participants_per_shared)
        return warn_of_overlap(layout.others)


def simulate(
    assumptions: Assumptions, layout: Layout, *, repetitions: int, rng: np.random.Generator, alpha: float = 0.05
) -> Simulation:
    """Costs 2 × repetitions × sheets × methods a sheet × origins answers; about a second for 4 million of them."""
    check_assumptions(assumptions, layout, repetitions=repetitions, alpha=alpha)
    logits = np.array([_logit(rate) for rate in assumptions.rates.values()])
    world = _World(assumptions, layout, rng)
    assumed = _run(world, logits, repetitions, alpha=alpha)
    null = _run(world, np.full(len(logits), logits.mean()), repetitions, alpha=alpha)
    origins = list(assumptions.rates)
    shares = [
        ExpectedShare(origin, *(float(part[column]) for part in (assumed.share, assumed.wilson, assumed.bootstrap)))
        for column, origin in enumerate(origins)
    ]
    pairs = [
        ExpectedPair(a, b, _rate(assumed.rejected[:, place])) for place, (a, b) in enumerate(combinations(origins, 2))
    ]
    return Simulation(
        assumptions,
        layout.sheets,
        layout.methods_per_sheet,
        layout.shared,
        layout.participants_per_shared,
        repetitions,
        alpha,
        _words(layout.sheets),
        shares,
        pairs,
        _rate(_any(assumed.rejected)),
        _rate(_any(null.rejected)),
        _rate(assumed.q_rejected),
        _rate(null.q_rejected),
    )


def check_assumptions(assumptions: Assumptions, layout: Layout, *, repetitions: int, alpha: float) -> None:
    """Refuses what cannot be simulated, or would take too long, in one sentence."""
    layout.check(layout.methods)
    if len(assumptions.rates) < _TWO:
        raise Invalid("A simulation needs two origins or more.")
    if layout.sheets < _TWO:
        raise Invalid("A simulation needs two participants or more.")
    for origin, rate in assumptions.rates.items():
        if not 0 < rate < 1:
            raise Invalid(f"The rate of yes for {origin} must lie between 0 and 1; it is {rate:g}.")
    for name in ("participant_sd", "preference_sd", "method_sd", "name_sd"):
        if not 0 <= (value := getattr(assumptions, name)) <= 10:  # noqa: PLR2004 (a logit of 10 is .99995)
            raise Invalid(f"{name} must lie between 0 and 10; it is {value:g}.")
    if not 0 < alpha < 1:
        raise Invalid(f"alpha must lie between 0 and 1; it is {alpha:g}.")
    answers = 2 * repetitions * layout.places * len(assumptions.rates)
    if not 1 <= repetitions <= MOST_REPETITIONS or answers > MOST_ANSWERS:
        most = min(MOST_REPETITIONS, MOST_ANSWERS // (2 * layout.places * len(assumptions.rates)))
        raise Invalid(f"A study of this size can be repeated 1 to {most:,} times; {repetitions:,} were asked for.")


class _World:
    """Draws the answers of studies with this layout; who shares which methods is the same in all of them."""

    def __init__(self, assumptions: Assumptions, layout: Layout, rng: np.random.Generator) -> None:
        self.assumptions, self.rng = assumptions, rng
        names = [str(method) for method in range(layout.methods)]
        _, dealt = deal_methods(names, layout, rng=Random(int(rng.integers(2**31))))  # noqa: S311 (a design)
        self.method: Ints = np.array(dealt, dtype=np.int64)

    def draw(self, logits: Floats, size: int) -> Bools:
        """Answers by repetition, participant, method and origin."""
        participants, _ = self.method.shape
        methods, origins = int(self.method.max()) + 1, len(logits)
        spread, normal = self.assumptions, self.rng.standard_normal
        person = normal((size, participants, 1)) * spread.participant_sd
        person = person + normal((size, participants, origins)) * spread.preference_sd
        name = normal((size, methods, 1)) * spread.method_sd
        name = name + normal((size, methods, origins)) * spread.name_sd
        total = logits + person[:, :, None, :] + name[:, self.method]
        return np.asarray(self.rng.random(total.shape) < 1 / (1 + np.exp(-total)))


@dataclass(frozen=True, eq=False)
class _Outcome:
    share: Floats
    wilson: Floats
    bootstrap: Floats
    rejected: Bools  # by repetition and pair
    q_rejected: Bools


def _run(world: _World, logits: Floats, repetitions: int, *, alpha: float) -> _Outcome:
    participants, per_sheet = world.method.shape
    step = max(1, _AT_A_TIME // (max(participants * per_sheet, RESAMPLES) * len(logits)))
    parts = [_measure(world.draw(logits, size), world.rng, alpha) for size in _steps(repetitions, step)]
    share, wilson, bootstrap, rejected, q_rejected = (np.concatenate(part) for part in zip(*parts, strict=True))
    return _Outcome(share.mean(axis=0), wilson.mean(axis=0), bootstrap.mean(axis=0), rejected, q_rejected)


def _steps(total: int, step: int) -> Iterator[int]:
    for first in range(0, total, step):
        yield min(step, total - first)


def _measure(answers: Bools, rng: np.random.Generator, alpha: float) -> tuple[Floats, Floats, Floats, Bools, Bools]:
    shares = answers.mean(axis=2)  # by repetition, participant and origin
    overall = shares.mean(axis=1)
    differences = np.stack([shares[:, :, a] - shares[:, :, b] for a, b in combinations(range(shares.shape[2]), 2)], 1)
    p = _p_values(differences.reshape(-1, shares.shape[1]), rng).reshape(differences.shape[:2])
    judged = answers.shape[1] * answers.shape[2]
    return overall, wilson_widths(overall, judged), _widths(shares, rng), holm(p) <= alpha, q_rejects(answers, alpha)


def _p_values(differences: Floats, rng: np.random.Generator) -> Floats:
    if differences.shape[1] <= _MOST_ENUMERATED:
        return enumerated(differences)
    return sampled(differences, rng=rng, flips=FLIPS)


def _words(participants: int) -> str:
    how = "all sign flips" if participants <= _MOST_ENUMERATED else f"{FLIPS:,} random sign flips"
    return f"sign-flip test over participants, {how}, Holm's correction"


def wilson_widths(shares: Floats, total: int, confidence: float = 0.95) -> Floats:
    """Wilson (1927), for many shares of the same total."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    spread = z * np.sqrt(shares * (1 - shares) / total + z**2 / (4 * total**2))
    return np.asarray(2 * spread / (1 + z**2 / total))


def _widths(shares: Floats, rng: np.random.Generator) -> Floats:
    """Widths of 95 % percentile bootstrap intervals over participants, who all have equally many judgements."""
    participants = shares.shape[1]
    weights = rng.multinomial(participants, np.full(participants, 1 / participants), size=RESAMPLES) / participants
    replicates = np.einsum("bp,rpo->rbo", weights, shares, optimize=True)
    low, high = np.quantile(replicates, [0.025, 0.975], axis=1)
    return np.asarray(high - low)


def q_rejects(answers: Bools, alpha: float) -> Bools:
    """Cochran (1950), with every method of every participant as a block, for each repetition."""
    from scipy.stats import chi2

    origins = answers.shape[-1]
    blocks = answers.reshape(len(answers), -1, origins)
    by_origin, by_block = blocks.sum(axis=1), blocks.sum(axis=2)
    above = (origins - 1) * (origins * (by_origin**2).sum(axis=1) - by_origin.sum(axis=1) ** 2)
    below = origins * by_block.sum(axis=1) - (by_block**2).sum(axis=1)
    critical = float(chi2.isf(alpha, origins - 1))
    return np.asarray((below > 0) & (above >= critical * below))


def _logit(rate: float) -> float:
    return float(np.log(rate / (1 - rate)))


def _any(rejected: Bools) -> Bools:
    return np.asarray(rejected.any(axis=1))


def _rate(happened: Bools) -> Rate:
    interval: Interval = wilson_interval(int(happened.sum()), len(happened), 0.95)
    return Rate(float(happened.mean()), interval.low, interval.high)
