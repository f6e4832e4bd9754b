"""Numbers of a study in templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

if TYPE_CHECKING:
    from labeling.study.design.simulating import Rate

register = template.Library()
LEAST_P = 0.001
A_MINUTE_AND_A_HALF = 90
A_HUNDRED = 100


@register.simple_tag
def rate(value: Rate) -> SafeString:
    """Two cells: the share and the interval of the simulation's own noise."""
    interval = "–" if value.low is None or value.high is None else f"{value.low:.3f} to {value.high:.3f}"
    return format_html('<td class="number">{}</td><td class="number interval">{}</td>', f"{value.value:.3f}", interval)


@register.filter
def p_value(value: float | None) -> str:
    """Three digits, and no zero that is none."""
    if value is None:
        return "–"
    return "< 0.001" if value < LEAST_P else f"{value:.3f}"


@register.simple_tag
def p_of(test: dict[str, Any], key: str = "p") -> SafeString:
    """A p-value; a dash with its reason where there is none."""
    return dash(test["reason"]) if test[key] is None else format_html("{}", p_value(test[key]))


@register.simple_tag
def p_is(test: dict[str, Any], key: str = "p") -> SafeString:
    """The same after the letter p in a sentence."""
    found = p_of(test, key)
    return found if test[key] is None or found.startswith("&lt;") else format_html("= {}", found)


@register.simple_tag
def yes_share(share: dict[str, Any]) -> SafeString:
    """Three cells: the share, and its interval over participants and over judgements."""
    if share["value"] is None:
        return format_html('<td class="number">{}</td><td></td><td></td>', dash(share["reason"]))
    cells = [interval_of(share[name]) for name in ("bootstrap", "wilson")]
    cell = '<td class="number">{}</td><td class="number interval">{}</td><td class="number interval">{}</td>'
    return format_html(cell, percent(share["value"]), *cells)


def interval_of(interval: dict[str, Any], write: Callable[[float], str] | None = None) -> SafeString:
    write = write or percent
    if interval["low"] is None or interval["high"] is None:
        return dash(interval["reason"])
    return format_html("{} to {}", write(interval["low"]), write(interval["high"]))


@register.simple_tag
def share_of(share: dict[str, Any]) -> SafeString:
    """A share and its interval over participants, in one cell."""
    if share["value"] is None:
        return dash(share["reason"])
    told = interval_of(share["bootstrap"])
    return format_html('{} <span class="interval">[{}]</span>', percent(share["value"]), told)


@register.simple_tag
def mean_of(duration: dict[str, Any]) -> SafeString:
    """A mean of seconds and its interval over participants."""
    told = interval_of(duration["interval"], seconds)
    return format_html('{} <span class="interval">[{}]</span>', seconds(duration["mean"]), told)


@register.simple_tag
def estimate(found: dict[str, Any], *, is_ratio: bool = False) -> SafeString:
    """A difference or a ratio with its interval; an end that is open is written so."""
    write = ratio if is_ratio else difference
    low, high = found["low"], found["high"]
    if found["value"] is None and low is None and high is None:
        return dash(found["reason"])
    value = dash(found["reason"]) if found["value"] is None else write(found["value"])
    if low is None and high is None:
        return format_html('{} <span class="interval">[{}]</span>', value, dash(found["reason"]))
    ends = (write(low) if low is not None else "0", write(high) if high is not None else "∞")
    return format_html('{} <span class="interval">[{}, {}]</span>', value, *ends)


@register.filter
def seconds(value: float | None) -> str:
    return "–" if value is None else f"{value / 60:.1f} min" if value >= A_MINUTE_AND_A_HALF else f"{value:.1f} s"


def difference(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def ratio(value: float) -> str:
    return f"{value:.2f}" if value < A_HUNDRED else f"{value:,.0f}"


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def dash(reason: str | None) -> SafeString:
    """Says why there is nothing, to the eye and to the ear."""
    words = reason or "Undefined."
    return format_html('<abbr title="{}">–</abbr><span class="visually-hidden"> {}</span>', words, words)
