"""The numbers of a release as LaTeX tables and as Vega-Lite charts. `recompute.py` knows both."""

from __future__ import annotations

from typing import Any

from labeling.agreement.latex import escape, table_row

Figures = dict[str, Any]
MOST_BARS = 20
BLUE = "#0072B2"
NAMES = {
    "unanimous": "Unanimous",
    "pairwise_agreement": "Pairwise agreement",
    "krippendorff_alpha": "Krippendorff's α",
    "fleiss_kappa": "Fleiss' κ",
    "conger_kappa": "Conger's κ",
    "gwet_ac1": "Gwet's AC1",
    "brennan_prediger": "Brennan–Prediger",
}


def latex_tables(statistics: Figures, agreement: list[Figures]) -> dict[str, str]:
    """By file name."""
    items, groups = statistics["items"], statistics["groups"]
    found = {
        "agreement": ("Agreement between raters.", ["Round", "Question", "Coefficient", "Value", INTERVAL],
                      [row for one in agreement for row in agreement_rows(one)]),
        "answers": ("Final answers in the benchmark; options can overlap.",
                    ["Question", "Option", "Items", "Share", INTERVAL],
                    [answer_row(row) for row in statistics["answers"]]),
        "counts": ("Items, and what became of them.", ["", "Items"],
                   [[name.replace("_", " "), f"{count:,}"] for name, count in items.items()]),
        "groups": ("Items of the benchmark by group.", ["Group", "Items"],
                   [[escape(row["group"] or "no group"), f"{row['items']:,}"] for row in groups]),
        "names": ("Average length of names.", ["Names", "Characters", "Sub-tokens"],
                  name_rows(statistics["names"] or {})),
    }  # fmt: skip
    return {name: table(*parts) for name, parts in found.items()}


INTERVAL = r"95\,\% interval"
LEFT, RIGHT = "l", "r"


def agreement_rows(one: Figures) -> list[list[str]]:
    where = [escape(one["round"]), escape(one["question"])]
    return [[*where, escape(NAMES[name]), *numbers(found)] for name, found in one["coefficients"].items()]


def numbers(found: Figures) -> list[str]:
    value = "--" if found["value"] is None else f"{found['value']:.3f}"
    return [value, "--" if found["low"] is None else f"[{found['low']:.3f}, {found['high']:.3f}]"]


def answer_row(row: Figures) -> list[str]:
    low, high = (f"{100 * row[end]:.2f}" for end in ("low", "high"))
    return [escape(row["question"]), escape(row["option"]), f"{row['items']:,}", f"{100 * row['share']:.2f}\\,\\%",
            f"[{low}, {high}]"]  # fmt: skip


def name_rows(names: Figures) -> list[list[str]]:
    return [[which, f"{one['mean_characters']:.2f}", f"{one['mean_subtokens']:.2f}"] for which, one in names.items()]


def table(caption: str, heads: list[str], rows: list[list[str]]) -> str:
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        rf"\caption{{{caption}}}",
        rf"\begin{{tabular}}{{{LEFT * (len(heads) // 2)}{RIGHT * (len(heads) - len(heads) // 2)}}}",
        r"\toprule",
        table_row(heads),
        r"\midrule",
        *map(table_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def charts(statistics: Figures, agreement: list[Figures]) -> dict[str, Figures]:
    """By name: specifications with their data in them; one without data is not drawn."""
    made = {
        "answers": bars(answer_values(statistics), "Final answers in the benchmark", ("share", "Share of items")),
        "agreement": bars(agreement_values(agreement), "Agreement before discussion", ("value", "Krippendorff’s α")),
        "groups": bars(group_values(statistics), "Items of the benchmark by group", ("items", "Items")),
    }
    return {name: spec for name, spec in made.items() if spec["data"]["values"]}


def answer_values(statistics: Figures) -> list[Figures]:
    return [
        {"answer": f"{row['question']}: {row['option']}", **{name: row[name] for name in ("share", "low", "high")}}
        for row in statistics["answers"]
    ]


def agreement_values(agreement: list[Figures]) -> list[Figures]:
    found = [(one, one["coefficients"]["krippendorff_alpha"]) for one in agreement]
    return [
        {"question": f"{one['round']}: {one['question']}", **{name: alpha[name] for name in ("value", "low", "high")}}
        for one, alpha in found
        if alpha["value"] is not None
    ]


def group_values(statistics: Figures) -> list[Figures]:
    return [{"group": row["group"] or "no group", "items": row["items"]} for row in statistics["groups"][:MOST_BARS]]


def bars(values: list[Figures], title: str, measure: tuple[str, str]) -> Figures:
    """A point with its interval for each value, or a bar where there is none."""
    label = next(iter(values[0])) if values else ""
    has_interval = bool(values) and "low" in values[0]
    x: Figures = {"field": measure[0], "type": "quantitative", "title": measure[1]}
    if not has_interval:
        x["axis"] = {"tickMinStep": 1}  # items are whole
    shown = {"type": "point", "filled": True, "size": 70} if has_interval else {"type": "bar"}
    layers: list[Figures] = [{"mark": {**shown, "color": BLUE}, "encoding": {"x": x}}]
    if has_interval:
        ends = {"x": {**x, "field": "low"}, "x2": {"field": "high"}}
        layers.insert(0, {"mark": {"type": "rule", "color": BLUE}, "encoding": ends})
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": {"text": title, "anchor": "start"},
        "width": 520,
        "data": {"values": values},
        "encoding": {"y": {"field": label, "type": "nominal", "sort": None, "title": None}},
        "layer": layers,
    }
