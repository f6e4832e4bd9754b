"""Times as annotators and coordinators read them."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils.timesince import timesince

register = template.Library()


@register.filter
def lasting(seconds: float) -> str:
    """A length of time as people say it: no more exact than it is known."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 60:  # noqa: PLR2004 (an hour)
        return f"about {minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"about {hours} h {rest // 10 * 10} min" if hours < 10 else f"about {hours} h"  # noqa: PLR2004


@register.filter
def since(moment: str) -> str:
    """How long ago, from the time as JSON has it."""
    return f"{timesince(datetime.fromisoformat(moment), depth=1)} ago"
