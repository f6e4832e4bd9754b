"""Figures as the page shows them: rows for tables, and words for who was counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from labeling.agreement.showing import coefficient_rows

Figures = dict[str, Any]
ANALYSES = {
    "sign_flip": "primary test",
    "mcnemar": "McNemar’s test",
    "cochran_q": "Cochran’s Q",
    "gee": "GEE",
    "effects": "effect sizes",
    "reasons": "reasons of the noes",
    "order": "order effects",
    "agreement": "agreement on shared methods",
    "sensitivity": "sensitivity",
}
STEPS = {
    "finished": "finished",
    "stopped": "stopped and let their answers be kept",
    "timed_out": "went away and timed out",
    "started": "have started and not finished",
    "revoked": "had their link withdrawn",
    "deleted": "withdrew and had their answers deleted",
}


def page_context(figures: Figures) -> dict[str, Any]:
    planned = figures["rules"]["planned"]
    return {
        "figures": figures,
        "standing": standing_rows(figures),
        "shares": share_rows(figures),
        "pairs": pair_rows(figures),
        "reasons": reason_tables(figures),
        "durations": duration_rows(figures),
        "coefficients": agreement_rows(figures),
        "sensitivity": sensitivity_rows(figures),
        "variants": figures["sensitivity"],
        "confidence": f"{100 * figures['resampling']['confidence']:g} %",
        "unplanned": [words for key, words in ANALYSES.items() if key not in planned],
    }


def standing_rows(figures: Figures) -> list[dict[str, Any]]:
    """How many did what, and whether the answers of such participants count."""
    counted = {"finished", *figures["rules"]["unfinished"]}
    rows = [(step, words, figures["standing"].get(step, 0)) for step, words in STEPS.items()]
    return [
        {"words": words, "count": count, "counts": step in counted}
        for step, words, count in rows
        if count or step == "finished"
    ]


def share_rows(figures: Figures) -> list[dict[str, Any]]:
    return [{**one, "noes": one["yes"]["n"] - one["yes"]["count"]} for one in figures["shares"]]


def pair_rows(figures: Figures) -> list[dict[str, Any]]:
    """Every two origins, with what the model says of them."""
    model = {(one["a"], one["b"]): one for one in figures["model"]["pairs"]}
    rows = []
    for pair in figures["pairs"]:
        found = model[pair["a"], pair["b"]]
        model_test = {"p": found["p"], "reason": found["odds_ratio"]["reason"]}
        rows.append(
            {**pair, "model": found["odds_ratio"], "model_test": model_test, "told_apart": is_told_apart(pair, figures)}
        )
    return rows


def reason_tables(figures: Figures) -> list[dict[str, Any]]:
    labels = figures["reason_labels"]
    return [
        {**part, "reasons": [{**row, "label": labels[row["reason"]]} for row in part["reasons"]]}
        for part in figures["reasons"]
    ]


def duration_rows(figures: Figures) -> list[dict[str, Any]]:
    names = {"judgement": "A judgement", "page": "A method", "participant": "A participant"}
    return [{"name": name, **figures["durations"][key]} for key, name in names.items()]


def agreement_rows(figures: Figures) -> list[dict[str, Any]]:
    found = figures["agreement"]["agreement"]
    return coefficient_rows(found) if found else []


def sensitivity_rows(figures: Figures) -> list[dict[str, Any]]:
    """A row a pair, a cell a variant."""
    return [
        {"a": pair["a"], "b": pair["b"], "cells": [variant["pairs"][place] for variant in figures["sensitivity"]]}
        for place, pair in enumerate(figures["pairs"])
    ]


def headline(figures: Figures) -> str:
    """The finding in words: which origins are liked most and least, and whom the first could be told apart from."""
    return " ".join(finding(figures))


def finding(figures: Figures) -> list[str]:
    """The same, a sentence a line: what was seen, and what the planned tests say of it."""
    shares = [one for one in figures["shares"] if one["yes"]["value"] is not None]
    if not shares:
        return ["Nobody has answered yet."]
    best, least = those_at(max, shares), those_at(min, shares)
    if len(shares) == 1:
        return [f"{percent(best[0])} of the names of {best[0]['origin']} are called consistent."]
    told = told_of_tests([one["origin"] for one in best], figures)
    if len(best) == len(shares):
        return [f"Names of {in_words(shares)} are called consistent equally often ({percent(best[0])}).", told]
    most, fewest = f"{in_words(best)} ({percent(best[0])})", f"{in_words(least)} ({percent(least[0])})"
    return [f"Names of {most} are called consistent most often, those of {fewest} least.", told]


def those_at(end: Callable[[Iterable[float]], float], shares: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All that share the largest or the smallest share."""
    value = end(one["yes"]["value"] for one in shares)
    return [one for one in shares if one["yes"]["value"] == value]


def told_of_tests(best: list[str], figures: Figures) -> str:
    """Whom the best could be told apart from, by the primary test after Holm's correction."""
    if all(pair["primary"]["adjusted"] is None for pair in figures["pairs"]):
        return "The planned tests could compare no two origins."
    told = [{pair["a"], pair["b"]} for pair in figures["pairs"] if is_told_apart(pair, figures)]
    if not told:
        return "The planned tests tell no two origins apart."
    others = {name: [one for one in figures["origins"] if {name, one} in told] for name in best}
    parts = [f"{name} apart from {listed(found) or 'no other'}" for name, found in others.items()]
    return f"The planned tests tell {'; '.join(parts)}."


def is_told_apart(pair: dict[str, Any], figures: Figures) -> bool:
    adjusted = pair["primary"]["adjusted"]
    return adjusted is not None and adjusted <= figures["rules"]["alpha"]


def in_words(shares: list[dict[str, Any]]) -> str:
    return listed([one["origin"] for one in shares])


def listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def percent(share: dict[str, Any]) -> str:
    return f"{100 * share['yes']['value']:.0f} %"
