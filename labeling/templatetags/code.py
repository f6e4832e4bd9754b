"""Code and names in templates."""

from __future__ import annotations

from collections.abc import Mapping

from django import template
from django.utils.safestring import SafeString

from labeling.corpus.code import Part, compare_names, highlight

register = template.Library()


@register.simple_tag
def java(code: str, name: str = "") -> SafeString:
    return highlight(code, name)


@register.simple_tag
def name_parts(before: str, after: str) -> tuple[list[Part], list[Part]]:
    return compare_names(before, after)


@register.filter
def at(counts: Mapping[str, int], name: str) -> int | None:
    """The count under a name that the template holds in a variable."""
    return counts.get(name)


@register.filter
def spaced(identifier: str) -> str:
    """`on_declaration` as words."""
    return identifier.replace("_", " ")
