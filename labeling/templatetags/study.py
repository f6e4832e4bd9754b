"""Numbers of a simulation in templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

if TYPE_CHECKING:
    from labeling.study.design.simulating import Rate

register = template.Library()


@register.simple_tag
def rate(value: Rate) -> SafeString:
    """Two cells: the share and the interval of the simulation's own noise."""
    interval = "–" if value.low is None or value.high is None else f"{value.low:.3f} to {value.high:.3f}"
    return format_html('<td class="number">{}</td><td class="number interval">{}</td>', f"{value.value:.3f}", interval)
