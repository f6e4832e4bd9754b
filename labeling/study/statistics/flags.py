"""Who answered too fast or without looking: reasons to flag a participant, never to drop one silently."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from labeling.study.statistics.judgements import NO_POSITION, Judgements
from labeling.study.statistics.results import Result


@dataclass(frozen=True)
class FlagRules(Result):
    """Fixed before a study opens."""

    speed: float = 0.4  # of the median of all participants' medians; Greszki, Meyer & Schoen (2015) use .3, .4 and .5
    fewest_answers: int = 8  # before the same answer to everything is worth a word
    fewest_pages: int = 5  # of equally many names, before the same pattern on all of them is


def flag_participants(judgements: Judgements, rules: FlagRules | None = None) -> dict[str, list[str]]:
    """The reasons of each participant who has one; a participant's speed is measured against all who have a time."""
    rules = rules or FlagRules()
    parts = {one: judgements.where(judgements.participant == one) for one in np.unique(judgements.participant).tolist()}
    medians = [median for part in parts.values() if (median := median_seconds(part)) is not None]
    typical = float(np.median(medians)) if len(medians) > 1 else None
    found = {
        judgements.participants[one]: why_flagged(part, typical=typical, rules=rules) for one, part in parts.items()
    }
    return {participant: reasons for participant, reasons in found.items() if reasons}


def why_flagged(mine: Judgements, *, typical: float | None, rules: FlagRules) -> list[str]:
    """All reasons to flag the one participant whose judgements these are."""
    return [
        reason
        for reason in (
            why_fast(mine, typical=typical, rules=rules),
            why_uniform(mine, rules=rules),
            why_patterned(mine, rules=rules),
        )
        if reason
    ]


def median_seconds(mine: Judgements) -> float | None:
    seconds = mine.seconds[np.isfinite(mine.seconds)]
    return float(np.median(seconds)) if len(seconds) else None


def why_fast(mine: Judgements, *, typical: float | None, rules: FlagRules) -> str | None:
    """`typical` is the median of the participants' medians."""
    median = median_seconds(mine)
    if median is None or typical is None or median >= rules.speed * typical:
        return None
    return (
        f"Fast: {median:.1f} s a judgement (median), less than {rules.speed * 100:g} % of the {typical:.1f} s "
        "that participants typically take."
    )


def why_uniform(mine: Judgements, *, rules: FlagRules) -> str | None:
    answers = mine.answer[mine.answered]
    if len(answers) < rules.fewest_answers or len(np.unique(answers)) > 1:
        return None
    # Not which: who looks after the study learns no answer before it is over.
    return f"The same answer to all {len(answers)} names."


def why_patterned(mine: Judgements, *, rules: FlagRules) -> str | None:
    """The same yes and no in display order on all pages with equally many names; uniform ones are told above."""
    kept = mine.where(mine.answered & (mine.position != NO_POSITION))
    pages: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for method, position, answer in zip(
        kept.method.tolist(), kept.position.tolist(), kept.answer.tolist(), strict=True
    ):
        pages[method].append((position, answer))
    by_size: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
    for page in pages.values():
        by_size[len(page)].append(tuple(answer for _, answer in sorted(page)))
    for patterns in by_size.values():
        first = patterns[0]
        if len(patterns) >= rules.fewest_pages and len(set(first)) > 1 and all(one == first for one in patterns):
            return f"The same pattern down the page on all {len(patterns)} pages with {len(first)} names."
    return None
