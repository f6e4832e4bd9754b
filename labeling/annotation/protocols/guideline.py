"""Guidelines: Markdown that a coordinator wrote, as HTML that cannot do anything but be read."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

FIRST_HEADING = 3  # the page has its own h1 and h2
LAST_HEADING = 6
HEADINGS = [f"h{level}" for level in range(FIRST_HEADING, LAST_HEADING + 1)]
TAGS = {
    "a", "blockquote", "br", "code", "em", "hr", "li", "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th",
    "thead", "tr", "ul", *HEADINGS,
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title", "target", "rel"}, "ol": {"start"}} | {tag: {"id"} for tag in HEADINGS}
SCHEMES = {"http", "https", "mailto"}

markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@lru_cache(maxsize=64)
def render_guideline(text: str, prefix: str = "guideline") -> SafeString:
    """Clean HTML. Headings begin at h3 and can be linked as #prefix-words-of-the-heading."""
    tokens = markdown.parse(text)
    name_headings(tokens, prefix)
    for token in tokens:
        token.children = [shown for child in token.children or [] for shown in linked(child, prefix)]
    html = markdown.renderer.render(tokens, markdown.options, {})
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel=None,
        set_tag_attribute_values={"pre": {"tabindex": "0"}},  # a wide one is scrolled by the keyboard too
    )
    return mark_safe(clean)  # noqa: S308 (cleaned by an allow-list in the line above)


def name_headings(tokens: list[Token], prefix: str) -> None:
    """Gives each heading its anchor, and a level at most one deeper than the heading before it."""
    used: Counter[str] = Counter()
    written = sorted({token.tag for token in tokens if token.type == "heading_open"})
    level = FIRST_HEADING - 1
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            level = min(written.index(token.tag) + FIRST_HEADING, level + 1, LAST_HEADING)
            token.attrSet("id", f"{prefix}-{unused(slugify(tokens[index + 1].content) or 'part', used)}")
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{level}"


def unused(name: str, used: Counter[str]) -> str:
    """The name, numbered from the second time on; a number of our own counts as used too."""
    used[name] += 1
    if used[name] == 1:
        return name
    return unused(f"{name}-{used[name]}", used)


def linked(token: Token, prefix: str) -> list[Token]:
    """Links out open in a new tab, and a picture becomes a link to it: nothing is loaded from elsewhere."""
    if token.type == "image":
        token = Token("link_open", "a", 1, attrs={"href": token.attrs["src"]}, content=token.content or "picture")
        return [*linked(token, prefix), Token("text", "", 0, content=token.content), Token("link_close", "a", -1)]
    if token.type == "link_open":
        target = str(token.attrs.get("href", ""))
        if target.startswith("#"):
            token.attrSet("href", f"#{prefix}-{target[1:]}")
        else:
            token.attrSet("target", "_blank")
            token.attrSet("rel", "noopener noreferrer")
    return [token]
