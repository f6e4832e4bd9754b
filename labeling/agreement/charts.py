"""Charts of kept figures: one Vega-Lite specification each, shown as SVG and taken away as SVG, PDF, PNG or JSON.

Colours are Okabe and Ito's; a chart reads without colour too, because value, interval and label are drawn.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from django.core.cache import cache
from redis.exceptions import RedisError

from labeling.agreement.models import Measurement
from labeling.agreement.showing import Names, coefficient_rows, headline, number_of

BLUE, ORANGE, GREY = "#0072B2", "#E69F00", "#999999"
OKABE_ITO = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"]
THEMES = {
    "light": {"ink": "#1b1b19", "muted": "#5a5a54", "line": "#deded8", "mark": "#0072B2", "ground": "#ffffff"},
    "dark": {"ink": "#ededf0", "muted": "#a9a9b2", "line": "#35353b", "mark": "#56B4E9", "ground": "#1c1c1f"},
}
FORMATS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png", "json": "application/json"}
WIDTH = 520
STEP = 26
LONGEST = 34
NAME_WIDTH = 400  # of such a name in the widest letters, and how many items it has
KEPT_SECONDS = 24 * 3600
_FONT = "DejaVu Sans, Helvetica, Arial, sans-serif"

Spec = dict[str, Any]
Rows = list[dict[str, Any]]


def chart(name: str, measured: Measurement, names: Names, theme: str = "light") -> Spec | None:
    """The specification of one chart; None when its figures are not there."""
    made = CHARTS[name](measured.figures, names)
    if made is None:
        return None
    title, note, spec = made
    text = {"text": title, "subtitle": note}
    return json.loads(spec.properties(title=text).configure(**look(theme)).to_json(indent=None))  # type: ignore[no-any-return]


def edition_of(measured: Measurement) -> str:
    """Another one for newer figures: a page that fetches those must ask for newer charts."""
    return f"{measured.measured_at.timestamp()}"


def drawn(name: str, measured: Measurement, names: Names, *, theme: str, form: str) -> bytes | None:
    """The chart as a file, from the cache where it was drawn before; without Redis it is drawn anew."""
    who = "names" if names.raters else "pseudonyms"
    key = f"chart-{measured.pk}-{edition_of(measured)}-{name}-{theme}-{who}.{form}"
    with suppress(RedisError, OSError):
        found: bytes | None = cache.get(key)
        if found is not None:
            return found
    spec = chart(name, measured, names, theme)
    if spec is None:
        return None
    file = as_file(spec, form)
    with suppress(RedisError, OSError):
        cache.set(key, file, KEPT_SECONDS)
    return file


def as_file(spec: Spec, form: str) -> bytes:
    import vl_convert

    if form == "json":
        return json.dumps(spec, ensure_ascii=False, indent=2).encode()
    if form == "svg":
        return bytes(vl_convert.vegalite_to_svg(spec).encode())
    if form == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec))
    return bytes(vl_convert.vegalite_to_png(spec, scale=3))


def look(theme: str) -> Spec:
    """Quiet axes and legible words, on the ground of the page."""
    colour = THEMES[theme]
    words = {"labelFont": _FONT, "titleFont": _FONT, "labelFontSize": 12, "titleFontSize": 12, "labelLimit": 260}
    shown = {"labelColor": colour["muted"], "titleColor": colour["muted"], "titleFontWeight": "normal"}
    lines = {"gridColor": colour["line"], "domainColor": colour["line"], "tickColor": colour["line"]}
    sizes = {"fontSize": 15, "subtitleFontSize": 12, "anchor": "start", "offset": 10, "frame": "bounds"}
    title = {"font": _FONT, "subtitleFont": _FONT, "color": colour["ink"], "subtitleColor": colour["muted"], **sizes}
    return {
        "background": colour["ground"],
        "font": _FONT,
        "axis": {**words, **shown, **lines},
        "legend": {**words, **shown},
        "title": title,
        "view": {"stroke": None},
        "point": {"color": colour["mark"], "filled": True, "size": 70, "opacity": 1},
        "rule": {"color": colour["mark"], "strokeWidth": 2},
        "text": {"font": _FONT, "fontSize": 12, "color": colour["ink"]},
    }


Made = tuple[str, str, Any] | None


def coefficients_chart(figures: Spec, names: Names) -> Made:
    rows = [
        {"name": row["name"], "value": row["value"], "low": row["low"], "high": row["high"]}
        for row in coefficient_rows(figures["agreement"])
        if row["value"] is not None
    ]
    if not rows:
        return None
    found = headline(figures)
    least = min(rows, key=lambda row: row["value"])
    name, value = ("α", found["value"]) if found["value"] is not None else (least["name"], least["value"])
    title = f"{name} is {short(value)} between {figures['agreement']['raters']} raters"
    return title, rests_on(figures), forest(rows, "Agreement")


def slices_chart(part: str, what: str) -> Callable[[Spec, Names], Made]:
    def made(figures: Spec, names: Names) -> Made:
        there = [row for row in figures["slices"].get(part, []) if row["value"] is not None]
        rows = [
            {"name": f"{name} (n = {row['items']})", **{key: row[key] for key in ("value", "low", "high")}}
            for name, row in zip(apart(row["name"] for row in there), there, strict=True)
        ]
        if len(rows) < 2:  # noqa: PLR2004 (one is the whole)
            return None
        low, high = min(rows, key=lambda row: row["value"]), max(rows, key=lambda row: row["value"])
        title = f"α lies between {short(low['value'])} and {short(high['value'])} {what}"
        return title, rests_on(figures), forest(rows, "Krippendorff’s α")

    return made


def pairs_chart(figures: Spec, names: Names) -> Made:
    """Cohen's κ of every two raters, as a matrix."""
    import altair as alt

    pairs = figures["agreement"]["pairs"]
    raters = sorted({name for pair in pairs for name in (pair["a"], pair["b"])}, key=number_of)
    shown = dict(zip(raters, apart(names.rater(name) for name in raters), strict=True))
    rows = []
    for pair in pairs:
        if (value := pair["cohen_kappa"]["value"]) is not None:
            a, b = shown[pair["a"]], shown[pair["b"]]
            rows += [{"a": one, "b": other, "value": value} for one, other in ((a, b), (b, a))]
    if not rows:
        return None
    low, high = min(row["value"] for row in rows), max(row["value"] for row in rows)
    base = chart_of(rows).encode(
        x=alt.X("a:N", sort=list(shown.values()), title=None, axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("b:N", sort=list(shown.values()), title=None),
    )
    shade = alt.Scale(domain=[min(0, low), 1], range=["#f7fbff", "#0072B2"])
    cells = base.mark_rect().encode(color=alt.Color("value:Q", scale=shade, title="Cohen’s κ"))
    ink = alt.condition("datum.value > 0.6", alt.value("#ffffff"), alt.value("#1b1b19"))
    words = base.mark_text().encode(text=alt.Text("value:Q", format=".2f"), color=ink)
    title = f"Cohen’s κ of pairs lies between {short(low)} and {short(high)}"
    return title, rests_on(figures), alt.layer(cells, words).properties(width=alt.Step(56), height=alt.Step(36))


def use_chart(figures: Spec, names: Names) -> Made:
    """What each rater answers how often, side by side."""
    import altair as alt

    use = figures["use"]
    if not use["raters"] or len(use["categories"]) > len(OKABE_ITO) or figures["agreement"]["level"] == "set":
        return None
    labels = apart(names.category(key) for key in use["categories"])
    raters = apart(names.rater(row["rater"]) for row in use["raters"])
    rows = [
        {"rater": rater, "category": label, "place": place, "share": count / row["ratings"]}
        for rater, row in zip(raters, use["raters"], strict=True)
        for place, (label, count) in enumerate(zip(labels, row["counts"], strict=True))
    ]
    first = [row["counts"][0] / row["ratings"] for row in use["raters"]]
    title = f"“{labels[0]}” is {100 * min(first):.0f} to {100 * max(first):.0f} % of a rater’s answers"
    bars = chart_of(rows).mark_bar(stroke=GREY, strokeWidth=0.5).encode(
        y=alt.Y("rater:N", sort=None, title=None),
        x=alt.X("share:Q", title="Share of their answers", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("category:N", title=None, scale=alt.Scale(domain=labels, range=OKABE_ITO[: len(labels)])),
        order=alt.Order("place:Q"),
    )  # fmt: skip
    return title, rests_on(figures), bars.properties(width=WIDTH, height=alt.Step(STEP))


def chart_of(rows: Rows) -> Any:
    import altair as alt

    return alt.Chart(alt.Data(values=rows))  # type: ignore[no-untyped-call]


def forest(rows: Rows, what: str) -> Any:
    """A point with its interval for each row, in their order."""
    import altair as alt

    base = chart_of(rows).encode(y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=NAME_WIDTH)))
    lowest = min([0.0, *(row["low"] for row in rows if row["low"] is not None), *(row["value"] for row in rows)])
    reach = alt.Scale(domain=[lowest, 1], nice=True)
    lines = base.mark_rule().encode(x=alt.X("low:Q", scale=reach, title=f"{what}, with 95 % interval"), x2="high:Q")
    points = base.mark_point().encode(x=alt.X("value:Q", scale=reach))
    words = base.mark_text(dy=-10).encode(x=alt.X("value:Q", scale=reach), text=alt.Text("value:Q", format=".2f"))
    return alt.layer(lines, points, words).properties(width=WIDTH, height=alt.Step(STEP + 6))


def rests_on(figures: Spec) -> str:
    found = figures["agreement"]
    return f"n = {found['items_used']:,} items, {found['ratings']:,} ratings by {found['raters']} raters"


def short(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def apart(names: Iterable[str]) -> list[str]:
    """Names that are short enough for an axis, and numbered where two of them would be the same."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        label = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        seen[label] += 1
        found.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return found


CHARTS: dict[str, Callable[[Spec, Names], Made]] = {
    "coefficients": coefficients_chart,
    "pairs": pairs_chart,
    "use": use_chart,
    "time": slices_chart("time", "over time"),
    "round": slices_chart("round", "by round"),
    "version": slices_chart("version", "by version of the protocol"),
    "group": slices_chart("group", "over the groups"),
}


def charts_there(figures: Spec, names: Names) -> list[str]:
    """The names of those that can be drawn, without drawing them."""
    found = figures["agreement"]
    pairs = any(pair["cohen_kappa"]["value"] is not None for pair in found["pairs"])
    few = 0 < len(figures["use"]["categories"]) <= len(OKABE_ITO) and found["level"] != "set"
    there = {"coefficients": found["items_used"] > 0, "pairs": pairs, "use": few and bool(figures["use"]["raters"])}
    for key, rows in figures["slices"].items():
        there[key] = sum(row["value"] is not None for row in rows) > 1
    return [name for name in CHARTS if there.get(name)]
