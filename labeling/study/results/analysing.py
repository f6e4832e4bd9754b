"""All figures of a study as plain data. Imports scipy and statsmodels as it runs: call it in a worker or a command."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from labeling.study.results.background import NOT_YET, describe_participants
from labeling.study.results.gathering import Gathered, describe_rules
from labeling.study.results.revealing import mark

RESAMPLES = 2_000
VERSION = 3  # of what is computed: another one makes kept figures out of date


def analyse_study(gathered: Gathered, *, resamples: int = RESAMPLES) -> dict[str, Any]:
    """Everything that pages and files show, with marks in the place of origins; the study's seed makes it again."""
    from labeling.agreement.statistics.resampling import Resampling
    from labeling.study.statistics.analysing import analyse, check_sensitivity, count

    confidence = 1 - gathered.design.alpha
    how = Resampling(resamples=resamples, seed=gathered.study.seed, confidence=confidence)
    found = analyse(gathered.primary, how=how)
    if gathered.excluded:  # what stands beside the primary analysis is about everybody
        found = replace(found, sensitivity=check_sensitivity(gathered.everybody, how))
    return {
        **found.to_dict(),
        "everybody": count(gathered.everybody).to_dict(),
        "standing": gathered.standing,
        "counted": len(gathered.participants),
        "rules": describe_rules(gathered),
        "participants": describe_participants(gathered) if gathered.is_over else [],
        "participants_reason": None if gathered.is_over else NOT_YET,
        "reason_labels": {reason.key: reason.label for reason in gathered.reasons},
        "origins": [mark(letter) for letter in gathered.letters],
    }
