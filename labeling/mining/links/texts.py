"""What a comment says: which names and words, and which of them as code. One pass over the text, in linear time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from unicodedata import normalize

from labeling.corpus.names import subtokens
from labeling.mining.links.words import WORD, stem

Span = tuple[int, int]

_TOKEN = re.compile(rf"`+|{WORD.pattern}")
_FENCES = ("```", "~~~")
_QUOTES = frozenset("'\"*“”‘’«»")
_LONGEST_NAME = 500  # what is longer is data that someone pasted
_EXCERPT = 100
_LEAD = 30

# Prose is full of these, so that one of them says something about a name only when it is written as code.
_PROSE = """
a an the this that it its is are was be been do does did done has have had can could may might must should will would
and or not no but if else when then than with without for from to of in on at by as into out up so all any each one two
only also just more same other new old get set add use make need want like see look call check change code line file
class method function test value type name object field
"""
_COMMON = frozenset(map(stem, _PROSE.split()))


@dataclass(slots=True)
class Text:
    """Where each name or stem first stands in a text: anywhere, as code, in a suggested change; quotes left out."""

    source: str
    words: dict[str, Span] = field(default_factory=dict)
    marked: dict[str, Span] = field(default_factory=dict)
    suggested: dict[str, Span] = field(default_factory=dict)
    stems: dict[str, Span] = field(default_factory=dict)
    marked_stems: dict[str, Span] = field(default_factory=dict)
    prose: str = ""  # without blocks of code and without what it quotes from others

    def find_name(self, name: str) -> Span | None:
        """Where the name stands; one that is a plain word (`size`) must be written as code."""
        return (self.words if len(subtokens(name)) > 1 else self.marked).get(_normal(name))

    def find_suggested(self, name: str) -> Span | None:
        """Where a suggested change would put the name."""
        return self.suggested.get(_normal(name))

    def find_part(self, part: str) -> Span | None:
        """Where a word of a name stands, whatever its ending."""
        wanted = stem(_normal(part))
        return self.marked_stems.get(wanted) or (None if wanted in _COMMON else self.stems.get(wanted))

    def quote(self, span: Span) -> str:
        """One line of the text around a span."""
        start = max(0, span[0] - _LEAD)
        end = max(span[1], start + _EXCERPT)
        return " ".join(self.source[start:end].split())


def read_text(source: str) -> Text:
    """What the text says; lines that quote somebody else are not what it says."""
    text = Text(_normal(source))
    prose: list[str] = []
    offset, block = 0, ""
    for line in text.source.splitlines(keepends=True):
        if line.isspace():
            pass
        elif fence := fence_of(line):
            block = "" if block else fence
        elif block:
            (_read_suggestion if block == "suggestion" else _read_code)(text, line, offset)
        elif not line.lstrip().startswith(">"):
            prose.append(line)
            _read_prose(text, line, offset)
        offset += len(line)
    text.prose = "".join(prose)
    return text


def fence_of(line: str) -> str:
    """What the block is that this line opens or closes (`suggestion`, or `code`), or nothing."""
    line = line.strip()
    if not line.startswith(_FENCES):
        return ""
    about = line.lstrip(line[0]).lstrip()
    if line[:3] in about:  # opened and closed in one line
        return ""
    return "suggestion" if about.startswith("suggestion") else "code"


def _read_suggestion(text: Text, line: str, offset: int) -> None:
    for found in WORD.finditer(line):
        text.suggested.setdefault(found.group(), (offset + found.start(), offset + found.end()))


def _read_code(text: Text, line: str, offset: int) -> None:
    for found in WORD.finditer(line):
        _note(text, found.group(), (offset + found.start(), offset + found.end()), marked=True)


def _read_prose(text: Text, line: str, offset: int) -> None:
    pairs_up = line.count("`") % 2 == 0  # an odd one is a slip, and would mark all that follows
    ticks = 0
    for found in _TOKEN.finditer(line):
        word = found.group()
        if word[0] == "`":
            width = len(word) if pairs_up else 0
            ticks = 0 if ticks == width else ticks or width
            continue
        start, end = found.span()
        marked = ticks > 0 or _is_marked(line, start, end)
        _note(text, word, (offset + start, offset + end), marked=marked)


def _is_marked(line: str, start: int, end: int) -> bool:
    """Whether a word is written as a call, a member, or between quotes or asterisks."""
    before, after = line[start - 1 : start], line[end : end + 1]
    return after == "(" or before == "#" or (before == "." and start > 1) or (before in _QUOTES and after in _QUOTES)


def _note(text: Text, word: str, span: Span, *, marked: bool) -> None:
    if word in (text.marked if marked else text.words) or len(word) > _LONGEST_NAME:
        return
    bare = word.strip("_")
    if bare != word and bare:
        _note(text, bare, span, marked=marked)
    text.words.setdefault(word, span)
    parts = subtokens(word)
    if marked:
        text.marked.setdefault(word, span)
    if not marked and len(parts) == 1:
        text.stems.setdefault(stem(word), span)
        return
    for part in parts:
        text.marked_stems.setdefault(stem(part), span)


def _normal(text: str) -> str:
    """Composed, so that an accent typed apart is the same name."""
    return normalize("NFC", text)
