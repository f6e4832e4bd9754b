"""Charts of a study's figures, drawn like those of agreement: shown as SVG, taken away as SVG, PDF, PNG or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.core.cache import cache
from redis.exceptions import RedisError

from labeling.agreement.charts import (
    KEPT_SECONDS,
    OKABE_ITO,
    STEP,
    THEMES,
    WIDTH,
    apart,
    as_file,
    chart_of,
    look,
    short,
)
from labeling.study.models import Study
from labeling.study.results.keeping import shown_figures
from labeling.study.results.models import Findings
from labeling.study.results.showing import Figures, finding, is_told_apart

Spec = dict[str, Any]
Made = tuple[str | list[str], str, Any] | None
ANSWERS = ["yes", "no"]
HALF = 300


def chart(name: str, figures: Figures, theme: str = "light") -> Spec | None:
    """The specification of one chart; None when there is nothing to draw."""
    made = CHARTS[name](figures, theme)
    if made is None:
        return None
    title, note, spec = made
    text = {"text": title, "subtitle": note}
    return json.loads(spec.properties(title=text).configure(**look(theme)).to_json(indent=None))  # type: ignore[no-any-return]


def edition_of(study: Study, findings: Findings) -> str:
    """Another one for every picture that differs: a page that fetches newer figures must ask for newer charts."""
    masked = "masked" if study.unblinded_at is None else "unmasked"
    return f"{findings.measured_at.timestamp()}-{masked}"


def drawn(name: str, study: Study, findings: Findings, *, theme: str, form: str) -> bytes | None:
    """The chart as a file, from the cache where it was drawn before; without Redis it is drawn anew."""
    key = f"study-{findings.pk}-{edition_of(study, findings)}-{name}-{theme}.{form}"
    with suppress(RedisError, OSError):
        found: bytes | None = cache.get(key)
        if found is not None:
            return found
    spec = chart(name, shown_figures(study, findings), theme)
    if spec is None:
        return None
    file = as_file(spec, form)
    with suppress(RedisError, OSError):
        cache.set(key, file, KEPT_SECONDS)
    return file


def answers_chart(figures: Figures, theme: str) -> Made:
    """Yes and no by origin, with the interval of the share of yes over participants."""
    import altair as alt

    shares = [one for one in figures["shares"] if one["yes"]["value"] is not None]
    if not shares:
        return None
    labels = apart(one["origin"] for one in shares)
    rows, ends = [], []
    for label, one in zip(labels, shares, strict=True):
        yes = one["yes"]
        for place, (answer, count) in enumerate(zip(ANSWERS, (yes["count"], yes["n"] - yes["count"]), strict=True)):
            rows.append({"origin": label, "answer": answer, "place": place, "share": count / yes["n"]})
        told = f"{100 * yes['value']:.0f} % of {yes['n']}"
        ends.append({"origin": label, **{key: yes["bootstrap"][key] for key in ("low", "high")}, "told": told})
    reach, colours = alt.Scale(domain=[0, 1]), alt.Scale(domain=ANSWERS, range=OKABE_ITO[:2])
    y = alt.Y("origin:N", sort=labels, title=None)
    bars = chart_of(rows).mark_bar(height=18).encode(
        y=y,
        x=alt.X("share:Q", scale=reach, title="Share of answers", axis=alt.Axis(format="%")),
        color=alt.Color("answer:N", legend=alt.Legend(title=None, orient="bottom"), scale=colours, sort=ANSWERS),
        order=alt.Order("place:Q"),
    )  # fmt: skip
    ink = THEMES[theme]["ink"]
    lines = chart_of(ends).mark_rule(color=ink, strokeWidth=2).encode(y=y, x=alt.X("low:Q", scale=reach), x2="high:Q")
    words = chart_of(ends).mark_text(align="left", dx=6, x=WIDTH).encode(y=y, text="told:N")
    return finding(figures), rests_on(figures), sized(alt.layer(bars, lines, words))


def reasons_chart(figures: Figures, theme: str) -> Made:
    """Each reason by origin: of the noes, and of all answers."""
    import altair as alt

    parts = [("of_no", "of the noes"), ("of_all", "of all answers")]
    labels = apart(one["origin"] for one in figures["reasons"])
    rows = [
        {"reason": figures["reason_labels"][row["reason"]], "origin": label, "of": words,
         "value": row[key]["value"], "low": row[key]["bootstrap"]["low"], "high": row[key]["bootstrap"]["high"]}
        for label, one in zip(labels, figures["reasons"], strict=True)
        for row in one["reasons"]
        for key, words in parts
        if row[key]["value"] is not None
    ]  # fmt: skip
    if not rows:
        return None
    most = max((row for row in rows if row["of"] == parts[0][1]), key=lambda row: row["value"], default=rows[0])
    title = f"“{most['reason']}” is {100 * most['value']:.0f} % of the noes to {most['origin']}’s names"
    colours = alt.Scale(domain=labels, range=[OKABE_ITO[place % len(OKABE_ITO)] for place in range(len(labels))])
    y = alt.Y("origin:N", sort=labels, title=None)
    x = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], labelOverlap=False)
    colour = alt.Color("origin:N", scale=colours, legend=None)
    base = chart_of(rows)
    lines = base.mark_rule(strokeWidth=2).encode(
        y=y, x=alt.X("low:Q", scale=x, title="Share", axis=axis), x2="high:Q", color=colour
    )
    points = base.mark_point().encode(y=y, x=alt.X("value:Q", scale=x), color=colour)
    order = list(figures["reason_labels"].values())
    spec = alt.layer(lines, points).properties(width=HALF, height=alt.Step(18))
    rowed = alt.Row("reason:N", sort=order, title=None, header=header(theme, labelAngle=0, labelAlign="left"))
    column = alt.Column("of:N", sort=[words for _, words in parts], title=None, header=header(theme))
    return title, rests_on(figures), spec.facet(row=rowed, column=column)


def differences_chart(figures: Figures, theme: str) -> Made:
    """How far two origins are apart, with the interval over participants."""
    import altair as alt

    rows = [
        {
            "pair": f"{pair['a']} − {pair['b']}",
            **{key: pair["risk_difference"][key] for key in ("value", "low", "high")},
        }
        for pair in figures["pairs"]
        if pair["risk_difference"]["value"] is not None
    ]
    if not rows:
        return None
    widest = max(rows, key=lambda row: abs(row["value"]))
    apart_by = sum(is_told_apart(pair, figures) for pair in figures["pairs"])
    title = f"{apart_by} of {len(figures['pairs'])} pairs are told apart; {widest['pair']} is {short(widest['value'])}"
    reach = alt.Scale(domain=[-1, 1])
    y = alt.Y("pair:N", sort=[row["pair"] for row in rows], title=None)  # else those without an interval are last
    base = chart_of(rows)
    zero = (
        chart_of([{"x": 0}]).mark_rule(color=THEMES[theme]["muted"], strokeDash=[3, 3], strokeWidth=1).encode(x="x:Q")
    )
    axis = alt.X("low:Q", scale=reach, title="Difference of the shares of yes, with interval over participants")
    lines = base.mark_rule().encode(y=y, x=axis, x2="high:Q")
    points = base.mark_point().encode(y=y, x=alt.X("value:Q", scale=reach))
    words = base.mark_text(dy=-10).encode(y=y, x=alt.X("value:Q", scale=reach), text=alt.Text("value:Q", format="+.2f"))
    return title, rests_on(figures), sized(alt.layer(zero, lines, points, words), step=STEP + 6)


def order_chart(figures: Figures, theme: str) -> Made:
    """Yes by the place of a name on its page."""
    import altair as alt

    rows = [
        {"position": str(one["position"]), "value": one["yes"]["value"],
         "low": one["yes"]["bootstrap"]["low"], "high": one["yes"]["bootstrap"]["high"]}
        for one in figures["order"]["positions"]
        if one["yes"]["value"] is not None
    ]  # fmt: skip
    if len(rows) < 2:  # noqa: PLR2004 (one place is no order)
        return None
    p = figures["order"]["test"]["p"]
    told = "no test of it" if p is None else f"p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}"  # noqa: PLR2004
    low, high = min(row["value"] for row in rows), max(row["value"] for row in rows)
    title = f"Yes is {100 * low:.0f} to {100 * high:.0f} % in each place on the page ({told})"
    reach = alt.Scale(domain=[0, 1])
    x = alt.X("position:O", title="Place of the name on its page", axis=alt.Axis(labelAngle=0))
    base = chart_of(rows)
    lines = base.mark_rule().encode(
        x=x, y=alt.Y("low:Q", scale=reach, title="Share of yes", axis=alt.Axis(format="%")), y2="high:Q"
    )
    points = base.mark_point().encode(x=x, y=alt.Y("value:Q", scale=reach))
    return title, rests_on(figures), alt.layer(lines, points).properties(width=WIDTH, height=180)


def sized(spec: Any, step: int = STEP) -> Any:
    import altair as alt

    return spec.properties(width=WIDTH, height=alt.Step(step))


def header(theme: str, **more: Any) -> Any:
    import altair as alt

    return alt.Header(labelColor=THEMES[theme]["ink"], labelFontSize=12, labelLimit=200, **more)


def rests_on(figures: Figures) -> str:
    found = figures["counts"]
    return (
        f"n = {found['answered']:,} judgements of {found['names']:,} names by {found['participants']:,} participants; "
        f"{100 * figures['resampling']['confidence']:g} % intervals over participants"
    )


CHARTS: dict[str, Callable[[Figures, str], Made]] = {
    "answers": answers_chart,
    "reasons": reasons_chart,
    "differences": differences_chart,
    "order": order_chart,
}


def charts_there(figures: Figures) -> list[str]:
    """The names of those that can be drawn, without drawing them."""
    answered = figures["counts"]["answered"] > 0
    there = {
        "answers": answered,
        "reasons": any(row["of_all"]["value"] is not None for one in figures["reasons"] for row in one["reasons"]),
        "differences": any(pair["risk_difference"]["value"] is not None for pair in figures["pairs"]),
        "order": sum(one["yes"]["value"] is not None for one in figures["order"]["positions"]) > 1,
    }
    return [name for name in CHARTS if there[name]]
