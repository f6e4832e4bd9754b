"""All figures about a question, as JSON keeps them: computed once, then shown by pages, API, charts and exports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from labeling.agreement.answers import MISFIT, key_of, scale_of
from labeling.agreement.choosing import GROUPS, Selection
from labeling.agreement.votes import Gathered, gather, gold_answers, items_with, repeated_answers

if TYPE_CHECKING:
    from labeling.agreement.statistics.arrays import Ints
    from labeling.agreement.statistics.ratings import Ratings
    from labeling.agreement.statistics.repeating import Consistency
    from labeling.agreement.statistics.resampling import Resampling
    from labeling.agreement.statistics.results import Agreement

SEED = 7
RESAMPLES = 1000
MOST_DISAGREEMENTS = 100
RESAMPLES_OF_A_SLICE = 200  # there are many of them, and they are for the eye
MOST_SLICES = 12
MOST_PAIRS = 300
MOST_CATEGORIES = 40
HEADLINE = "krippendorff_alpha"
DAYS_IN_A_WEEK = 7


def survey(selection: Selection, *, seed: int = SEED) -> dict[str, Any]:
    """The figures, what they rest on, and the seed that makes them again."""
    gathered = gather(selection)
    how = resampling_for(selection, seed=seed)
    agreement = measure_votes(selection, gathered, how)
    return {
        "agreement": agreement.as_dict(),
        "reading": reading_of(agreement),
        "intervals": intervals_of(agreement),
        "votes": gathered.votes,
        "newest_vote": gathered.newest,
        "misfits": gathered.misfits,
        "seed": seed,
        "categories": list(gathered.ratings.scale.labels),
        "slices": dict(slices_of(selection, gathered, how)),
        "influence": influence_of(gathered.ratings),
        "use": use_of(gathered.ratings, agreement),
        "confusions": list(confusions_of(gathered.ratings)),
        "consistency": consistency_of(selection, how),
        "gold": gold_of(selection),
        **disagreements_of(selection, gathered),
    }


def resampling_for(selection: Selection, *, seed: int) -> Resampling:
    from labeling.agreement.statistics.resampling import Resampling

    return Resampling(resamples=RESAMPLES, seed=seed, clustered=selection.over == GROUPS)


def measure_votes(selection: Selection, gathered: Gathered, how: Resampling) -> Agreement:
    from labeling.agreement.statistics.measuring import measure

    return measure(gathered.ratings, question=selection.question.key, how=how)


def reading_of(agreement: Agreement) -> str:
    from labeling.agreement.statistics.explaining import interpret

    return interpret(HEADLINE, agreement[HEADLINE])


def intervals_of(agreement: Agreement) -> str:
    from labeling.agreement.reporting import intervals_in_words

    return intervals_in_words(agreement)


Sliced = list[dict[str, Any]]


@dataclass(frozen=True)
class Part:
    """A part of the votes, and what chooses it; nothing where no choice leads to it."""

    name: str
    filters: dict[str, str]


def slices_of(selection: Selection, gathered: Gathered, how: Resampling) -> Iterator[tuple[str, Sliced]]:
    """The same question by round, by version, by group and over time; none where there is but one."""
    ratings, how = gathered.ratings, replace(how, resamples=RESAMPLES_OF_A_SLICE)
    item = ratings.item
    rounds = {round.pk: Part(round.name, {"round": str(round.pk)}) for round in reversed(selection.rounds)}
    versions = {
        version.pk: Part(f"version {version.number}", {"version": str(version.number)})
        for version in reversed(selection.versions)
    }
    yield "round", sliced(ratings, gathered.round[item], rounds, how)
    yield "version", sliced(ratings, gathered.version, versions, how)
    yield "group", sliced(ratings, gathered.group[item], largest_groups(gathered), how)
    yield "time", sliced(ratings, *spans_of(selection, gathered), how)


def sliced(ratings: Ratings, code: Ints, parts: dict[int, Part], how: Resampling) -> Sliced:
    import numpy as np

    from labeling.agreement.statistics.comparing import measure_slices

    there = [key for key in parts if np.any(code == key)]
    if len(there) < 2:  # noqa: PLR2004 (one is the whole)
        return []
    place = np.full(len(code), MISFIT, dtype=np.int64)
    for at, key in enumerate(there):
        place[code == key] = at
    found = measure_slices(ratings, place, [parts[key].name for key in there], how=how)
    return [
        {
            "name": one.name,
            "filters": parts[key].filters,
            "items": one.agreement.items_used,
            "raters": one.agreement.raters,
            **one.agreement[HEADLINE].as_dict(),
            "unanimous": one.agreement["unanimous"].as_dict(),
        }
        for key, one in zip(there, found, strict=True)
    ]


def largest_groups(gathered: Gathered) -> dict[int, Part]:
    """Those with the most ratings, the largest first."""
    import numpy as np

    size = np.bincount(gathered.group[gathered.ratings.item], minlength=len(gathered.groups))
    order = sorted(range(len(gathered.groups)), key=lambda code: (-size[code], gathered.groups[code]))
    names = {code: gathered.groups[code] for code in order[:MOST_SLICES]}
    return {code: Part(name, {"group": name}) if name else Part("no group", {}) for code, name in names.items()}


def spans_of(selection: Selection, gathered: Gathered) -> tuple[Ints, dict[int, Part]]:
    """The span of time in which the last vote on each rating's item was cast: days, else weeks, else longer ones."""
    import numpy as np

    day = gathered.day[gathered.ratings.item]
    if not len(day):
        return day, {}
    length = 1
    while len(np.unique(day // length)) > MOST_SLICES:
        length = DAYS_IN_A_WEEK if length == 1 else 2 * length
    span = day // length
    return span, {int(at): span_at(selection, int(at) * length, length) for at in np.unique(span)}


def span_at(selection: Selection, first: int, length: int) -> Part:
    """Its name, and its days as far as they are in the selection."""
    start, end = date.fromordinal(first), date.fromordinal(first + length - 1)
    since, until = max(start, selection.since or start), min(end, selection.until or end)
    filters = {"since": since.isoformat(), "until": until.isoformat()}
    return Part(start.isoformat() if length == 1 else f"{start} to {end}", filters)


def influence_of(ratings: Ratings) -> list[dict[str, Any]]:
    """What α would be without each rater in turn."""
    import numpy as np

    from labeling.agreement.statistics.comparing import measure_influence
    from labeling.agreement.statistics.resampling import Resampling

    if len(np.unique(ratings.rater)) < 3:  # noqa: PLR2004 (without one of two there is nothing to compare)
        return []
    found = measure_influence(ratings, how=Resampling(resamples=0))
    return [
        {"rater": one.rater, "without": one.without[HEADLINE].as_dict(), "change": one.change[HEADLINE]}
        for one in found
    ]


def use_of(ratings: Ratings, agreement: Agreement) -> dict[str, Any]:
    """How often each rater gave each category, or each option of a set."""
    import numpy as np

    sets = ratings.scale.sets
    names = [use.label for use in agreement.options] if sets is not None else list(ratings.scale.labels)
    if not names or len(names) > MOST_CATEGORIES:
        return {"categories": [], "raters": []}
    table = np.zeros((len(ratings.raters), ratings.scale.size), dtype=np.int64)
    np.add.at(table, (ratings.rater, ratings.value), 1)
    total = table.sum(axis=1)
    if sets is not None:
        table = table @ np.array([[name in chosen for name in names] for chosen in sets], dtype=np.int64)
    rows = [
        {"rater": name, "ratings": int(total[code]), "counts": table[code].tolist()}
        for code, name in enumerate(ratings.raters)
        if total[code]
    ]
    return {"categories": names, "raters": rows}


def confusions_of(ratings: Ratings, *, most: int | None = MOST_PAIRS) -> Iterator[dict[str, Any]]:
    """For each pair, how often one said this where the other said that: only what occurred."""
    from itertools import islice

    from labeling.agreement.statistics.pairs import common_items
    from labeling.agreement.statistics.patterns import collapse

    for pair in islice(common_items(collapse(ratings).identified, ratings.scale.size), most):
        values = pair.patterns.blocks[0].values.tolist()
        cells = [[a, b, int(count)] for (a, b), count in zip(values, pair.patterns.counts, strict=True)]
        yield {"a": ratings.raters[pair.a], "b": ratings.raters[pair.b], "items": pair.items, "cells": cells}


def consistency_of(selection: Selection, how: Resampling) -> list[dict[str, Any]]:
    """How far raters agree with themselves on what they were shown again."""
    import numpy as np

    from labeling.agreement.statistics.repeating import measure_consistency

    rows = repeated_answers(selection)
    scale, codes = scale_of(selection.question, {text for _, *texts, _ in rows for text in texts})
    places = {user: place for place, user in enumerate(selection.users)}
    coded = [
        (places[selection.raters[rater]], codes[before], codes[again], count) for rater, before, again, count in rows
    ]
    fitting = [row for row in coded if MISFIT not in row[1:3]]
    rater, first, second, count = np.array(fitting, dtype=np.int64).reshape(-1, 4).T
    rater, first, second = (np.repeat(column, count) for column in (rater, first, second))
    found = measure_consistency(rater, (first, second), raters=selection.pseudonyms, scale=scale, how=how)
    return [consistency_row(one) for one in found]


def consistency_row(one: Consistency) -> dict[str, Any]:
    coefficients = {name: one.coefficients[name].as_dict() for name in ("agreement", "cohen_kappa")}
    return {"rater": one.rater, "repeats": one.repeats, **coefficients}


def gold_of(selection: Selection) -> list[dict[str, Any]]:
    """How often each rater gave the answer that is known to be right."""
    from labeling.agreement.statistics.intervals import wilson_interval

    right: dict[int, int] = {}
    total: dict[int, int] = {}
    for rater, answer, said, count in gold_answers(selection):
        user = selection.raters[rater]
        known = key_of(selection.question, answer)
        if known is None:
            continue
        total[user] = total.get(user, 0) + count
        right[user] = right.get(user, 0) + (count if key_of(selection.question, said) == known else 0)
    rows = []
    for name, user in zip(selection.pseudonyms, selection.users, strict=True):
        if user in total:
            interval = wilson_interval(right[user], total[user], 0.95)
            share = right[user] / total[user]
            rows.append({"rater": name, "items": total[user], "right": right[user], "value": share,
                         "low": interval.low, "high": interval.high, "reason": None})  # fmt: skip
    return rows


def disagreements_of(selection: Selection, gathered: Gathered) -> dict[str, Any]:
    """The items whose disagreement costs the most, as items of rounds, and how many disagree in all."""
    from labeling.agreement.statistics.costing import item_costs

    costs = item_costs(gathered.ratings)
    dearest = [
        (gathered.patterns[row], cost)
        for row, cost in zip(
            gathered.pattern[costs.item[:MOST_DISAGREEMENTS]].tolist(),
            costs.cost[:MOST_DISAGREEMENTS].tolist(),
            strict=True,
        )
    ]
    cost_of = dict(reversed(dearest))
    found = items_with(selection, list(cost_of), MOST_DISAGREEMENTS)
    found.sort(key=lambda row: (-cost_of[row[1]], row[0]))
    rows = [{"round_item": pk, "cost": cost_of[pattern], "pattern": pattern} for pk, pattern in found]
    return {"disagreements": rows[:MOST_DISAGREEMENTS], "disagreed": len(costs.item)}
