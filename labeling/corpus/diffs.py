"""Two versions of a method as a page compares them: line by line, highlighted, long stretches alike folded."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pygments.token import Token, _TokenType, is_token_subtype

from labeling.corpus.code import Part, compare_names, lexer, piece

CONTEXT = 12  # lines that stay open on either side of a change
FEWEST_FOLDED = 8
MOST_COMPARED = 1_000_000  # pairs of lines; difflib takes time for each
LONGEST_HIGHLIGHTED = 50_000  # characters; a method that long is read by its words
MOST_HIGHLIGHTED = 200  # folded lines; more are plain text, which a browser shows at once


@dataclass(frozen=True)
class Line:
    """One line of code, as text and as HTML, with its number in its own version."""

    number: int
    text: str
    html: SafeString


@dataclass(frozen=True)
class Row:
    """What stands at one height: the same line in both, a line and its successor, or a line of one version only."""

    old: Line | None
    new: Line | None
    is_same: bool


@dataclass(frozen=True)
class Stretch:
    """Rows that are shown together, or that are alike and folded away."""

    rows: list[Row]
    is_folded: bool = False

    @property
    def plain(self) -> str:
        """The lines alike as mere text, when there are too many to show each with its colours."""
        if not self.is_folded or len(self.rows) <= MOST_HIGHLIGHTED:
            return ""
        return "\n".join(row.new.text for row in self.rows if row.new)


def compare_code(before: str, after: str, *, names: tuple[str, str]) -> list[Stretch]:
    """Both versions side by side; in each, its name is marked with the parts that it keeps, drops or adds."""
    old_parts, new_parts = compare_names(*names)
    old = highlighted_lines(before, names[0], old_parts)
    new = highlighted_lines(after, names[1], new_parts)
    return folded(paired(before.splitlines(), after.splitlines(), old, new))


def show_code(code: str, name: str = "") -> list[Stretch]:
    """One version alone, folded in the middle when it is long."""
    lines = highlighted_lines(code, name, [Part(name, "kept")])
    return folded([Row(old=None, new=line, is_same=True) for line in lines], keep_ends=True)


def highlighted_lines(code: str, name: str, parts: list[Part]) -> list[Line]:
    texts = code.splitlines()
    if len(code) > LONGEST_HIGHLIGHTED:
        return [Line(number, text, escape(text)) for number, text in enumerate(texts, start=1)]
    lines: list[list[str]] = [[]]
    for kind, text in lexer().get_tokens("\n".join(texts)):
        first, *rest = text.split("\n")
        lines[-1].append(shown(kind, first, name, parts))
        lines += [[shown(kind, later, name, parts)] for later in rest]
    return [
        Line(number, text, mark_safe("".join(pieces)))  # noqa: S308 (each piece is escaped)
        for number, (text, pieces) in enumerate(zip(texts, lines, strict=False), start=1)
    ]


def shown(kind: _TokenType, text: str, name: str, parts: list[Part]) -> str:
    if not text:
        return ""
    if name and text == name and is_token_subtype(kind, Token.Name):
        inner = "".join(f'<span class="part--{part.fate}">{escape(part.text)}</span>' for part in parts)
        return f'<mark class="name">{inner}</mark>'
    return piece(kind, text, "")


def paired(before: list[str], after: list[str], old: list[Line], new: list[Line]) -> list[Row]:
    """A rename leaves the lines where they are; only where it does not, the versions are compared line by line."""
    if len(before) == len(after) or len(before) * len(after) > MOST_COMPARED:
        return [
            Row(old=one, new=other, is_same=bool(one and other and one.text == other.text))
            for one, other in zip_longest(old, new)
        ]
    rows = []
    for change, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        rows += [Row(old=one, new=other, is_same=change == "equal") for one, other in zip_longest(old[i:j], new[k:m])]
    return rows


def folded(rows: list[Row], *, keep_ends: bool = False) -> list[Stretch]:
    """Folds stretches alike that are far from every change."""
    changes = [index for index, row in enumerate(rows) if not row.is_same]
    if keep_ends or not changes:
        changes = [0, len(rows) - 1]
    near = {index + offset for index in changes for offset in range(-CONTEXT, CONTEXT + 1)}
    stretches: list[Stretch] = []
    for index, row in enumerate(rows):
        is_far = index not in near
        if not stretches or stretches[-1].is_folded != is_far:
            stretches.append(Stretch(rows=[], is_folded=is_far))
        stretches[-1].rows.append(row)
    return [
        Stretch(rows=stretch.rows, is_folded=stretch.is_folded and len(stretch.rows) >= FEWEST_FOLDED)
        for stretch in stretches
    ]
