"""How each category, and each option of a question with several answers, was used and agreed on."""

from __future__ import annotations

import numpy as np

from labeling.agreement.statistics.estimating import MOST_CATEGORIES_LISTED, RatersUnknown, specific
from labeling.agreement.statistics.figures import Facts, estimate
from labeling.agreement.statistics.patterns import Block, Patterns, forget_raters
from labeling.agreement.statistics.resampling import Resampling
from labeling.agreement.statistics.results import CategoryUse, Coefficient
from labeling.agreement.statistics.scales import Scale, nominal_scale


def measure_categories(patterns: Patterns, scale: Scale, found: dict[str, Coefficient]) -> list[CategoryUse]:
    """One entry a category, in the order of the scale; none when there are more than anybody would read."""
    if scale.size > MOST_CATEGORIES_LISTED:
        return []
    pattern, value = patterns.tokens()
    given = np.bincount(value, weights=patterns.counts[pattern], minlength=scale.size)
    total = given.sum()
    return [
        CategoryUse(label, int(given[code]), float(given[code] / total) if total else None, found[specific(code)])
        for code, label in enumerate(scale.labels)
    ]


def measure_options(patterns: Patterns, scale: Scale, how: Resampling, facts: Facts) -> list[CategoryUse]:
    """Each option taken by itself: was it given or not."""
    sets = scale.sets or ()
    options = sorted(frozenset().union(*sets))
    return [_option(option, patterns, scale, how, facts) for option in options[:MOST_CATEGORIES_LISTED]]


def _option(option: str, patterns: Patterns, scale: Scale, how: Resampling, facts: Facts) -> CategoryUse:
    holds = np.array([option in chosen for chosen in scale.sets or ()], dtype=np.int64)
    blocks = tuple(Block(block.first, holds[block.values], None) for block in patterns.blocks)
    by_option = forget_raters(Patterns(blocks, patterns.counts, patterns.cells), 2)
    estimator = RatersUnknown(by_option, nominal_scale(["not given", "given"]))
    found = estimate(estimator, by_option, how, stream="items", why=facts.why_undefined)
    pattern, value = by_option.tokens()
    given = float(value @ by_option.counts[pattern])
    share = given / facts.ratings if facts.ratings else None
    return CategoryUse(option, int(given), share, found[specific(1)], found["krippendorff_alpha"])
