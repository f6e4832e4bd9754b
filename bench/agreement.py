"""Agreement at a million items: ours beside krippendorff, irrCAC, statsmodels and a naive bootstrap, in one run.

.venv/bin/python bench/agreement.py                       without irrCAC, which needs an environment of its own:
.venv/bin/python bench/agreement.py --irrcac /tmp/irrcac/bin/python

Ours computes every nominal coefficient with intervals; each of the others computes one coefficient. A bootstrap by
a library is one resample measured and multiplied by the number of resamples. Each runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
RATERS, CATEGORIES, MISSING = 3, 5, 0.1
LIBRARIES = ("krippendorff", "statsmodels", "naive")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--irrcac", metavar="PYTHON", help="a Python that has irrCAC")
    options = parser.parse_args()
    print(f"{options.items:,} items × {RATERS} raters × {CATEGORIES} categories, {MISSING:.0%} missing, load {load()}")
    ours = [run("ours", options) for _ in range(options.repeats)]
    shuffled = [run("shuffled", options) for _ in range(options.repeats)]
    show("ours, ratings in order of items", ours)
    show("ours, ratings in random order", shuffled)
    alone = [run("nothing", options) for _ in range(1)]
    print(f"  of this {alone[0]['memory']:.0f} MB are Python, numpy and the long array itself")
    fastest = min(others(options).items(), key=lambda pair: pair[1])
    worst = statistics.median(one["seconds"] for one in shuffled)
    print(f"fastest library run naively: {fastest[0]}, {fastest[1] / worst:,.0f} times as long as ours; load {load()}")


def others(options: argparse.Namespace) -> dict[str, float]:
    """Seconds that a bootstrap by each library would take; the naive one is printed but is no library."""
    found = {}
    for name in (*LIBRARIES, *(["irrcac"] if options.irrcac else [])):
        once = statistics.median(run(name, options)["seconds"] for _ in range(options.repeats))
        total = once * options.resamples
        print(f"{name}: {once:.3f} s for one resample, so {total:,.0f} s for {options.resamples:,}")
        if name != "naive":
            found[name] = total
    return found


def show(name: str, runs: list[dict[str, float]]) -> None:
    seconds = [one["seconds"] for one in runs]
    memory = max(one["memory"] for one in runs)
    spread = f"{min(seconds):.3f} to {max(seconds):.3f}"
    busy = statistics.median(one["busy"] for one in runs)
    print(
        f"{name}: {statistics.median(seconds):.3f} s (median of {len(runs)}, {spread}), "
        f"{busy:.3f} s of processor, {memory:.0f} MB at most"
    )


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


def run(name: str, options: argparse.Namespace) -> dict[str, float]:
    python = options.irrcac if name == "irrcac" else sys.executable
    command = [python, __file__, "--child", name, str(options.items), str(options.resamples)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def child(name: str, items: int, resamples: int) -> None:
    task = prepare(name, *make_ratings(items), resamples)
    started, busy = time.perf_counter(), time.process_time()
    task()
    seconds, busy = time.perf_counter() - started, time.process_time() - busy
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "busy": busy, "memory": memory}))


def make_ratings(items: int) -> tuple[Any, Any, Any]:
    """Long arrays of item, rater and value: two of three ratings are the truth, the others a guess."""
    rng = np.random.default_rng(7)
    keep = rng.random(items * RATERS, dtype=np.float32) >= MISSING
    place = np.flatnonzero(keep)
    item, rater = np.divmod(place, RATERS)
    truth = rng.integers(CATEGORIES, size=items)
    guessed = rng.integers(CATEGORIES, size=len(place))
    value = np.where(rng.random(len(place), dtype=np.float32) < 2 / 3, truth[item], guessed)
    return item, rater, value


def prepare(name: str, item: Any, rater: Any, value: Any, resamples: int) -> Callable[[], object]:
    items = int(item.max()) + 1
    if name == "nothing":
        return lambda: None
    if name in {"ours", "shuffled"}:
        return prepare_ours(name, item, rater, value, resamples)
    if name == "statsmodels":
        return prepare_statsmodels(item, value, items)
    table = np.full((items, RATERS), np.nan)
    table[item, rater] = value
    drawn = np.random.default_rng(1).integers(items, size=items)
    if name == "krippendorff":
        return prepare_krippendorff(count_values(item, value, items), drawn)
    if name == "irrcac":
        return prepare_irrcac(table, drawn)
    return prepare_naive(count_values(item, value, items), drawn)


def prepare_ours(name: str, item: Any, rater: Any, value: Any, resamples: int) -> Callable[[], object]:
    from labeling.agreement.statistics.measuring import measure
    from labeling.agreement.statistics.ratings import Ratings
    from labeling.agreement.statistics.resampling import Resampling
    from labeling.agreement.statistics.scales import nominal_scale

    if name == "shuffled":
        order = np.random.default_rng(2).permutation(len(item))
        item, rater, value = item[order], rater[order], value[order]
    items = int(item.max()) + 1
    ratings = Ratings(item, rater, value, nominal_scale("abcde"), ("x", "y", "z"), items)
    return lambda: measure(ratings, how=Resampling(resamples=resamples, seed=7))


def count_values(item: Any, value: Any, items: int) -> Any:
    return np.bincount(item * CATEGORIES + value, minlength=items * CATEGORIES).reshape(items, CATEGORIES)


def prepare_krippendorff(counts: Any, drawn: Any) -> Callable[[], object]:
    """From counts of values, the faster of its two ways in."""
    import krippendorff

    return lambda: krippendorff.alpha(
        value_counts=counts[drawn], value_domain=np.arange(CATEGORIES), level_of_measurement="nominal"
    )


def prepare_statsmodels(item: Any, value: Any, items: int) -> Callable[[], object]:
    """It wants the same number of ratings on each item, so that it gets the complete ones only: three of four."""
    from statsmodels.stats.inter_rater import fleiss_kappa

    counts = count_values(item, value, items)
    whole = counts[counts.sum(axis=1) == RATERS]
    drawn = np.random.default_rng(1).integers(len(whole), size=len(whole))
    return lambda: fleiss_kappa(whole[drawn])


def prepare_irrcac(table: Any, drawn: Any) -> Callable[[], object]:
    import warnings

    import pandas
    from irrCAC.raw import CAC

    warnings.simplefilter("ignore")
    frame = pandas.DataFrame(table[drawn])
    return lambda: CAC(frame, categories=[float(number) for number in range(CATEGORIES)]).gwet()


def prepare_naive(counts: Any, drawn: Any) -> Callable[[], object]:
    """What one writes in an hour: the table of counts, drawn again, and the formulas on it, vectorised."""

    def coefficients() -> list[float]:
        table = counts[drawn]
        sizes = table.sum(axis=1)
        two = sizes > 1
        agreed = ((table * (table - 1)).sum(axis=1)[two] / (sizes * (sizes - 1))[two]).mean()
        rated = sizes > 0
        shares = (table[rated] / sizes[rated, None]).mean(axis=0)
        fleiss, gwet = (shares**2).sum(), (shares * (1 - shares)).sum() / (CATEGORIES - 1)
        return [(agreed - chance) / (1 - chance) for chance in (fleiss, gwet, 1 / CATEGORIES)]

    return coefficients


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
