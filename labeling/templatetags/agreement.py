"""Coefficients and shares as papers print them."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html

register = template.Library()


@register.filter
def coefficient(value: float | None) -> str:
    """Three digits after the point, with a real minus sign."""
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


@register.filter
def signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}".replace("-", "−")


@register.filter
def share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


@register.simple_tag
def measured(found: dict[str, Any], *, as_share: bool = False) -> str:
    """A value with its interval; a dash with its reason where there is none."""
    show, reason = (share if as_share else coefficient), found.get("reason") or "Undefined."
    if found["value"] is None:
        dash = '<abbr title="{}">–</abbr><span class="visually-hidden"> {}</span>'
        return format_html(dash, reason, reason)
    if found["low"] is None:
        return format_html('{} <abbr class="interval" title="{}">[–]</abbr>', show(found["value"]), reason)
    interval = (show(found["low"]), show(found["high"]))
    return format_html('{} <span class="interval">[{}, {}]</span>', show(found["value"]), *interval)
