"""Figures as the page shows them: rows for tables, and words for who was counted."""

from __future__ import annotations

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
        adjusted = pair["primary"]["adjusted"]
        told_apart = adjusted is not None and adjusted <= figures["rules"]["alpha"]
        model_test = {"p": found["p"], "reason": found["odds_ratio"]["reason"]}
        rows.append({**pair, "model": found["odds_ratio"], "model_test": model_test, "told_apart": told_apart})
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
    """The finding in a sentence: which origin is liked most, and whom it could be told apart from."""
    shares = [one for one in figures["shares"] if one["yes"]["value"] is not None]
    if not shares:
        return "Nobody has answered yet."
    best = max(shares, key=lambda one: one["yes"]["value"])
    least = min(shares, key=lambda one: one["yes"]["value"])
    if best is least:
        return f"{percent(best)} of the names of {best['origin']} are called consistent."
    most, fewest = f"{best['origin']} ({percent(best)})", f"{least['origin']} ({percent(least)})"
    return f"Names of {most} are called consistent most often, those of {fewest} least."


def percent(share: dict[str, Any]) -> str:
    return f"{100 * share['yes']['value']:.0f} %"
