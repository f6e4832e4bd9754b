"""Kept figures as pages show them: names for those who may know them, words for keys, colours for values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from labeling.agreement.answers import category_of, in_words
from labeling.agreement.choosing import Selection
from labeling.agreement.surveying import HEADLINE
from labeling.agreement.votes import tokens_in
from labeling.annotation.models import RoundItem
from labeling.annotation.visibility import settled_items
from labeling.people.access import Seat

MOST_IN_A_MATRIX = 25
SHADES = 5
MOST_UNUSED = 40
_TWO = 2
_ORDER = (
    ("krippendorff_alpha", "Krippendorff’s α"),
    ("fleiss_kappa", "Fleiss’ κ"),
    ("conger_kappa", "Conger’s κ"),
    ("gwet_ac", "Gwet’s AC"),
    ("brennan_prediger", "Brennan–Prediger"),
    ("scott_pi", "Scott’s π"),
    ("gwet_ac1", "Gwet’s AC1"),
    ("fleiss_kappa_weighted", "Fleiss’ κ, weighted"),
    ("conger_kappa_weighted", "Conger’s κ, weighted"),
    ("brennan_prediger_weighted", "Brennan–Prediger, weighted"),
)
_SHARES = (
    ("unanimous", "Unanimous items"),
    ("pairwise_agreement", "Mean pairwise agreement"),
    ("weighted_agreement", "Mean pairwise agreement, weighted"),
)


@dataclass(frozen=True)
class Names:
    """What raters and categories are called on this page."""

    raters: dict[str, str]
    selection: Selection

    def rater(self, pseudonym: str) -> str:
        return self.raters.get(pseudonym, pseudonym)

    def category(self, key: str) -> str:
        return in_words(self.selection.question, key)


def names_for(seat: Seat, selection: Selection, *, pseudonymous: bool = False) -> Names:
    """Coordinators know who is who; all others read pseudonyms."""
    if pseudonymous or not seat.is_coordinator:
        return Names({}, selection)
    pairs = zip(selection.pseudonyms, selection.users, strict=True)
    return Names({pseudonym: selection.names[user] for pseudonym, user in pairs}, selection)


def number_of(pseudonym: str) -> int:
    return int(pseudonym.removeprefix("Rater "))


def variant_of(agreement: dict[str, Any]) -> str:
    """What α is measured with: a distance between sets, or the level."""
    distances = {"masi": "MASI distance", "jaccard": "Jaccard distance"}
    return distances.get(agreement["distance"]) or str(agreement["level"])


def coefficient_rows(agreement: dict[str, Any]) -> list[dict[str, Any]]:
    """All that were measured, chance-corrected ones first, with their variant."""
    nominal = agreement["level"] == "nominal"
    variant = {"krippendorff_alpha": variant_of(agreement)}
    if not nominal:
        variant |= dict.fromkeys(["gwet_ac", "fleiss_kappa_weighted", "conger_kappa_weighted",
                                  "brennan_prediger_weighted", "weighted_agreement"], agreement["weights"])  # fmt: skip
    named = {"gwet_ac": "Gwet’s AC1" if nominal else "Gwet’s AC2"}
    return [
        {"key": key, "name": named.get(key, name), "variant": variant.get(key, ""), "is_share": is_share,
         **agreement[key], "by_formula": agreement["standard_errors"].get(key)}
        for rows, is_share in ((_ORDER, False), (_SHARES, True))
        for key, name in rows
        if key in agreement and not (key == "scott_pi" and agreement["raters"] > _TWO)
    ]  # fmt: skip


def shade(value: float | None) -> int:
    """How dark a cell of a matrix is, from 0 to 5."""
    return 0 if value is None else max(0, min(SHADES, int(value * (SHADES + 1))))


def pair_matrix(agreement: dict[str, Any], names: Names) -> dict[str, Any] | None:
    """Cohen's κ of every two raters; None with so many raters that nobody could read it."""
    found = {(pair["a"], pair["b"]): pair for pair in agreement["pairs"]}
    raters = sorted({name for pair in found for name in pair}, key=number_of)
    if not raters or len(raters) > MOST_IN_A_MATRIX:
        return None
    rows = [{"name": names.rater(a), "cells": list(_matrix_row(a, raters, found))} for a in raters]
    return {"head": [{"name": names.rater(name), "number": number_of(name)} for name in raters], "rows": rows}


def _matrix_row(a: str, raters: list[str], found: dict[tuple[str, str], Any]) -> Iterator[dict[str, Any] | None]:
    for b in raters:
        pair = found.get((a, b)) or found.get((b, a))
        if pair is None:
            yield None
            continue
        kappa = pair["cohen_kappa"]
        yield {**kappa, "items": pair["items"], "shade": shade(kappa["value"]), "a": number_of(a), "b": number_of(b)}


def category_rows(figures: dict[str, Any], names: Names) -> list[dict[str, Any]]:
    """Each option of a set, or each category, with how often it was given and agreed on."""
    uses = figures["agreement"]["options"] or figures["agreement"]["categories"]
    return [{**use, "name": names.category(use["label"])} for use in uses if use["ratings"] or len(uses) <= MOST_UNUSED]


def named(rows: list[dict[str, Any]], names: Names) -> list[dict[str, Any]]:
    """Of each rater; the number leads to their items, and a row about all of them has none."""
    numbers = {pseudonym: number_of(pseudonym) for pseudonym in names.selection.pseudonyms}
    return [{**row, "name": names.rater(row["rater"]), "number": numbers.get(row["rater"])} for row in rows]


def use_table(figures: dict[str, Any], names: Names) -> dict[str, Any]:
    use = figures["use"]
    rows = [
        {
            "name": names.rater(row["rater"]),
            "ratings": row["ratings"],
            "cells": [{"count": count, "share": count / row["ratings"]} for count in row["counts"]],
        }
        for row in use["raters"]
    ]
    return {"categories": [names.category(key) for key in use["categories"]], "rows": rows}


def disagreement_rows(figures: dict[str, Any], names: Names, most: int) -> list[dict[str, Any]]:
    """Items with what each rater said, the dearest first."""
    rows = figures["disagreements"][:most]
    return with_items([(row["round_item"], row["pattern"], row["cost"]) for row in rows], names)


def with_items(rows: list[tuple[int, str, float | None]], names: Names) -> list[dict[str, Any]]:
    items = settled_now([pk for pk, _, _ in rows])
    return [
        {
            "item": items[pk].item,
            "round": items[pk].round,
            "cost": cost,
            "said": said_in(pattern, names),
            "reason": why_left_out(items[pk], pattern, names.selection),
        }
        for pk, pattern, cost in rows
        if pk in items
    ]


def settled_now(numbers: list[int]) -> dict[int, RoundItem]:
    """Only items that are settled now: one that was when it was measured may want another vote since."""
    chosen = settled_items(RoundItem.objects.filter(pk__in=numbers)).select_related("item", "round")
    return chosen.only("item__title", "item__group", "round__name", "votes").in_bulk()


def why_left_out(item: RoundItem, pattern: str, selection: Selection) -> str:
    categories = [category_of(selection.question, text) for _, _, text in tokens_in(pattern)]
    answers = len(categories) - categories.count(None)
    if answers >= _TWO:
        return ""
    if None in categories:
        return "answered in a form that the question had in another version"
    if answers:
        return "only one answer to this question"
    return "no answer to this question" if item.votes else "nobody voted on it, and the round is closed"


def said_in(pattern: str, names: Names) -> list[dict[str, str]]:
    selection = names.selection
    by_user = {user: pseudonym for pseudonym, user in zip(selection.pseudonyms, selection.users, strict=True)}
    said = [(by_user[selection.raters[rater]], text) for rater, _, text in tokens_in(pattern)]
    said.sort(key=lambda one: number_of(one[0]))
    return [{"name": names.rater(name), "said": names.category(plain(text))} for name, text in said]


def plain(text: str) -> str:
    """A set as its scale names it."""
    if not text.startswith("["):
        return text
    return "|".join(part.strip(' "') for part in text.strip("[]").split(",") if part.strip(' "')) or "(none)"


def slice_tables(figures: dict[str, Any], selection: Selection) -> list[dict[str, Any]]:
    """By time, round, version and group; each row leads to the figures of its part, and so to its items."""
    titles = {"time": "Over time", "round": "By round", "version": "By version of the protocol", "group": "By group"}
    return [
        {"key": key, "title": title, "rows": [with_address(row, selection) for row in figures["slices"][key]]}
        for key, title in titles.items()
        if figures["slices"].get(key)
    ]


def with_address(row: dict[str, Any], selection: Selection) -> dict[str, Any]:
    filters = row.get("filters")  # figures that were kept before have none
    return {**row, "query": address(selection, **filters) if filters else ""}


def address(selection: Selection, **more: Any) -> str:
    """The same selection in an address, with something else chosen."""
    chosen = {**selection.filters, **{name: str(value) for name, value in more.items()}}
    return urlencode({name: value for name, value in chosen.items() if value})


def confusion_of(figures: dict[str, Any], a: int, b: int, names: Names) -> dict[str, Any] | None:
    """The table of two raters, rows for the first: only categories that one of them gave."""
    wanted = {f"Rater {a}", f"Rater {b}"}
    found = next((one for one in figures["confusions"] if {one["a"], one["b"]} == wanted), None)
    if found is None:
        return None
    turned = found["a"] != f"Rater {a}"
    cells = {((y, x) if turned else (x, y)): count for x, y, count in found["cells"]}
    used = sorted({code for cell in cells for code in cell})
    labels = [names.category(figures["categories"][code]) for code in used]
    most = max(cells.values())
    rows = [
        {"label": label, "cells": [{"a": x, "b": y, "count": cells.get((x, y), 0), "same": x == y,
                                    "shade": shade(cells.get((x, y), 0) / most)} for y in used]}
        for label, x in zip(labels, used, strict=True)
    ]  # fmt: skip
    return {"labels": labels, "rows": rows, "items": found["items"]}


def headline(figures: dict[str, Any]) -> dict[str, Any]:
    return {**figures["agreement"][HEADLINE], "variant": variant_of(figures["agreement"])}
