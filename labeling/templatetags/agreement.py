"""Coefficients and shares as papers print them."""

from __future__ import annotations

from typing import Any

from django import template

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


@register.inclusion_tag("agreement/value.html")
def measured(found: dict[str, Any], *, as_share: bool = False) -> dict[str, Any]:
    """A value with its interval; a dash with its reason where there is none."""
    show = share if as_share else coefficient
    return {
        "value": None if found["value"] is None else show(found["value"]),
        "low": None if found["low"] is None else show(found["low"]),
        "high": None if found["high"] is None else show(found["high"]),
        "reason": found.get("reason"),
    }
