"""The table of participants: what they told about themselves, so that nobody can be picked out of it."""

from __future__ import annotations

from collections import Counter
from statistics import fmean, median, stdev
from typing import Any

from labeling.annotation.protocols.codebook import Question
from labeling.study.results.gathering import Gathered

NO_ANSWER = "No answer"
NOT_YET = (
    "Told once no answers are taken any more: while people come one by one, each change of this table is what the last "
    "one told."
)
ENOUGH = 10  # whole years of six people or fewer mostly follow from mean, deviation and median


def describe_participants(gathered: Gathered) -> list[dict[str, Any]]:
    """A part for each background question: counts of its options, or mean and median of its numbers. Free text is
    counted and not shown."""
    answers = [participant.background or {} for participant in gathered.participants]
    texts, k = gathered.texts, gathered.design.small_group
    if texts is None or not texts.background:
        return []
    return [describe_question(question, [one.get(question.key) for one in answers], k) for question in texts.background]


def describe_question(question: Question, given: list[Any], k: int) -> dict[str, Any]:
    told = [answer for answer in given if answer not in (None, "", [])]
    found: dict[str, Any] = {"key": question.key, "text": question.text, "form": question.form}
    if question.form == "text":
        return {**found, **masked({"Answered": len(told), NO_ANSWER: len(given) - len(told)}, k)}
    if question.form == "number":
        return {**found, "number": describe_numbers([float(answer) for answer in told], k)}
    labels = {option.key: option.label for option in question.options}
    if question.form == "multiple":
        groups = []
        for key, label in labels.items():
            chosen = sum(key in answer for answer in told)
            part = masked({label: chosen, NO_ANSWER: len(given) - chosen}, k)
            groups.append(part["groups"][0])
        return {**found, "groups": groups, "total": masked({label: len(given)}, k)["total"]}
    counted = Counter(told)
    counts = {label: counted[key] for key, label in labels.items()}
    missing = len(given) - sum(counts.values())
    if missing or not question.required:  # also where nobody left it out: that the group is there tells nothing then
        counts[NO_ANSWER] = missing
    return {**found, **masked(counts, k)}


def masked(counts: dict[str, int], k: int) -> dict[str, Any]:
    from labeling.study.statistics.masking import mask_counts

    hidden = mask_counts(counts, k=k)
    groups = [{"label": label, "text": group.text, "count": group.count} for label, group in hidden.groups.items()]
    return {"groups": groups, "total": hidden.total.text}


def describe_numbers(numbers: list[float], k: int) -> dict[str, Any]:
    """Neither the least nor the largest: each would be one person's. And of few people the mean alone: with deviation
    and median beside it, the years of each of them can be worked out."""
    nothing = {"mean": None, "sd": None, "median": None, "n": None}
    if len(numbers) < max(k, 2):
        return {**nothing, "reason": f"Fewer than {max(k, 2)} told it."}
    found = {**nothing, "mean": fmean(numbers), "n": len(numbers)}
    if k > 1 and len(numbers) < ENOUGH:
        return {**found, "reason": f"No deviation and no median: fewer than {ENOUGH} told it."}
    return {**found, "sd": stdev(numbers), "median": median(numbers), "reason": None}
