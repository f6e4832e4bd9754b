"""Writes what irrCAC answers on random tables to tests/agreement/irrcac.json (docs/dependencies.md says why).

python -m venv /tmp/irrcac && /tmp/irrcac/bin/pip install irrCAC==0.4.4
/tmp/irrcac/bin/python bench/ask_irrcac.py
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

NAMES = {
    "krippendorff_alpha": "krippendorff",
    "fleiss_kappa": "fleiss",
    "gwet_ac": "gwet",
    "brennan_prediger": "bp",
    "conger_kappa": "conger",
}
ANSWERS = Path(__file__).resolve().parent.parent / "tests" / "agreement" / "irrcac.json"
WEIGHTS = ("identity", "ordinal", "quadratic", "ratio")


def main() -> None:
    rng = np.random.default_rng(20261116)
    asked = [ask(rng) for _ in range(12)]
    ANSWERS.write_text(json.dumps(asked, separators=(",", ":")) + "\n")


def ask(rng: np.random.Generator) -> dict[str, Any]:
    import pandas
    from irrCAC.raw import CAC

    raters, size = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    table = make_table(rng, int(rng.integers(12, 60)), raters, size)
    frame = pandas.DataFrame([[np.nan if cell is None else float(cell) for cell in row] for row in table])
    answers: dict[str, Any] = {}
    for weights in WEIGHTS:
        found = CAC(frame.copy(), weights=weights, categories=[float(n) for n in range(1, size + 1)], digits=10)
        for ours, theirs in NAMES.items():
            estimate = getattr(found, theirs)()["est"]
            low = float(estimate["confidence_interval"][0])
            answers[f"{weights}.{ours}"] = [float(estimate["coefficient_value"]), float(estimate["se"]), low]
    return {"table": table, "size": size, "answers": answers}


def make_table(rng: np.random.Generator, items: int, raters: int, size: int) -> list[list[int | None]]:
    truth = rng.integers(size, size=items)
    guessed = rng.integers(size, size=(items, raters))
    values = np.where(rng.random((items, raters)) < 0.6, truth[:, None], guessed) + 1
    gaps = rng.random((items, raters)) < 0.25
    gaps[np.arange(items), rng.integers(raters, size=items)] = False  # nobody left all of an item out
    return [
        [None if gap else int(v) for v, gap in zip(row, gone, strict=True)]
        for row, gone in zip(values, gaps, strict=True)
    ]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
