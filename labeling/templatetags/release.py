"""Shares as the paper prints them."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def percentage(share: float) -> str:
    return f"{100 * share:.2f} %"
