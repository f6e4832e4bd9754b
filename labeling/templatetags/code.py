"""Code, names and comments in templates."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django import template
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from labeling.corpus.code import Part, compare_names, highlight
from labeling.corpus.diffs import Stretch, compare_code, show_code
from labeling.corpus.kinds.review_rename import ReviewRename

register = template.Library()


@register.simple_tag
def java(code: str, name: str = "") -> SafeString:
    return highlight(code, name)


@register.simple_tag
def method_diff(content: ReviewRename) -> list[Stretch]:
    """The method before and after; before alone where a source has no more."""
    if not content.body_after:
        return show_code(content.body_before, content.buggy_name)
    return compare_code(content.body_before, content.body_after, names=(content.buggy_name, content.fixed_name))


@register.simple_tag
def name_parts(before: str, after: str) -> tuple[list[Part], list[Part]]:
    return compare_names(before, after)


@register.simple_tag
def said(text: str, content: ReviewRename) -> SafeString:
    """What a reviewer wrote, with both names and the words that matched marked."""
    words = sorted({content.buggy_name, content.fixed_name, *content.matched_words}, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w$])({'|'.join(map(re.escape, words))})(?![\w$])", re.IGNORECASE)
    pieces = pattern.split(text)  # every second one is a match
    marked = [f"<mark>{escape(piece)}</mark>" if index % 2 else escape(piece) for index, piece in enumerate(pieces)]
    return mark_safe("".join(marked))  # noqa: S308 (each piece is escaped)


@register.filter
def at(counts: Mapping[str, int], name: str) -> int | None:
    """The count under a name that the template holds in a variable."""
    return counts.get(name)


@register.filter
def moment(text: str) -> str:
    """A time as a source wrote it, shorter when it can be read."""
    try:
        found = parse_datetime(text)
    except ValueError:
        return text
    return date_format(found, "j M Y, H:i") if found else text


@register.filter
def spaced(identifier: str) -> str:
    """`on_declaration` as words."""
    return identifier.replace("_", " ")
