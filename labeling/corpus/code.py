"""Source code and names as a page shows them: highlighted Java with one name marked, and names part by part."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pygments.lexer import Lexer
from pygments.lexers.jvm import JavaLexer
from pygments.token import STANDARD_TYPES, Token, _TokenType, is_token_subtype

from labeling.corpus import names

LONGEST_HIGHLIGHTED = 200_000


class Part(NamedTuple):
    """A piece of a name, and whether it stays in the other name, is dropped, or is new."""

    text: str
    fate: Literal["kept", "dropped", "added"]


def highlight(code: str, name: str = "") -> SafeString:
    """Java as HTML with a class for each kind of token; where the name stands, it is marked."""
    if len(code) > LONGEST_HIGHLIGHTED:
        return mark_safe(escape(code))  # noqa: S308 (escaped)
    pieces = (piece(kind, text, name) for kind, text in lexer().get_tokens(code))
    return mark_safe("".join(pieces))  # noqa: S308 (each piece is escaped)


def piece(kind: _TokenType, text: str, name: str) -> str:
    css = STANDARD_TYPES.get(kind, "")
    shown = f'<span class="{css}">{escape(text)}</span>' if css else escape(text)
    is_name = bool(name) and text == name and is_token_subtype(kind, Token.Name)
    return f'<mark class="name">{shown}</mark>' if is_name else shown


@cache
def lexer() -> Lexer:
    return JavaLexer(stripnl=False)


def compare_names(before: str, after: str) -> tuple[list[Part], list[Part]]:
    """Both names in parts: what the change dropped from the first, and what it added to the second."""
    parts = names.compare_names(before, after)
    first = [Part(part.before, part.state) for part in parts if part.state != "added"]
    second = [Part(part.after, part.state) for part in parts if part.state != "dropped"]
    return first, second
