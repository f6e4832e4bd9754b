"""Looking for what must not be there: origins by key, label or letter, and numbers of the database. Plain Python."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from labeling.study.blindness.recording import Received

BODY = re.compile(r'<pre class="code body".*?</pre>', re.DOTALL)
LINE = re.compile(r'<fieldset\b[^>]*\bdata-line="([\w-]+)".*?</fieldset>', re.DOTALL)
ATTRIBUTE = re.compile(r'(?<![\w-])([\w-]++)="([^"]*)"')
STATIC = re.compile(r'"(/static/[^"]+)"')
NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w.-])")
UNLIKELY = 10_000  # a number of the database beyond this stands on a page only because somebody put it there
AROUND = 30
NOT_SAID = {"date", "x-request-id", "content-length", "set-cookie"}  # a cookie is looked at by itself
MOST_SHOWN = 20


@dataclass(frozen=True)
class Hit:
    """Where something was found."""

    path: str
    what: str
    excerpt: str


@dataclass(frozen=True)
class Material:
    """What is judged: it may say anything, for it is what participants are meant to read."""

    bodies: Collection[str]
    names: Sequence[str]


def scaffold(received: Received, material: Material) -> str:
    """Headers and content without the material."""
    headers = "\n".join(
        f"{name}: {value}" for name, value in received.headers if name.lower() not in NOT_SAID - {"set-cookie"}
    )
    text = BODY.sub("", received.text)
    for words in sorted({*material.bodies, *material.names}, key=len, reverse=True):
        for form in {words, escape(words), json_form(words)}:
            text = text.replace(form, "")
    return f"{received.path}\n{headers}\n\n{text}"


def json_form(words: str) -> str:
    return (
        words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    )


def find_words(texts: Iterable[tuple[str, str]], words: Collection[str]) -> list[Hit]:
    """Keys and labels as whole words, in any case."""
    if not words:
        return []
    pattern = re.compile(rf"(?<![a-z0-9])({'|'.join(map(re.escape, words))})(?![a-z0-9])", re.IGNORECASE)
    return [hit(path, text, found) for path, text in texts for found in pattern.finditer(text)]


def find_letters(texts: Iterable[tuple[str, str]], letters: Collection[str]) -> list[Hit]:
    """A letter that is all of an attribute, of a JSON value, or of a part of an address or a cookie."""
    if not letters:
        return []
    some = "|".join(map(re.escape, letters))
    pattern = re.compile(rf"""(?<=["'/=;:])({some})(?=["'/;&])""")
    return [hit(path, text, found) for path, text in texts for found in pattern.finditer(text)]


def find_ids(texts: Iterable[tuple[str, str]], ids: Collection[int]) -> list[Hit]:
    """Numbers of rows, where they are too large to be there by chance."""
    large = {str(number) for number in ids if number >= UNLIKELY}
    return [hit(path, text, found) for path, text in texts for found in NUMBER.finditer(text) if found[0] in large]


def find_small_ids(page: Received, ids: Mapping[str, Collection[int]]) -> list[Hit]:
    """An attribute that on every line of the page holds a number of that line's row. `ids` are by the line's code."""
    chunks = line_chunks(page.text)
    if len(chunks) < 2:  # noqa: PLR2004 (one line can hold any number by chance)
        return []
    held = zip(*(ATTRIBUTE.findall(chunk) for chunk in chunks.values()), strict=False)
    wanted = [{str(number) for number in ids.get(code, ())} for code in chunks]
    told = [
        found[0][0]
        for found in held
        if all(value in numbers for (_, value), numbers in zip(found, wanted, strict=True))
    ]
    return [Hit(page.path, name, f"{name} holds a number of the database on every line") for name in told]


def line_chunks(text: str) -> dict[str, str]:
    """The HTML of each name on a page, by its code, in order."""
    return {found[1]: found[0] for found in LINE.finditer(text)}


def static_addresses(received: Received) -> frozenset[str]:
    return frozenset(STATIC.findall(received.text))


def hit(path: str, text: str, found: re.Match[str]) -> Hit:
    start, end = max(found.start() - AROUND, 0), found.end() + AROUND
    return Hit(path, found[0], " ".join(text[start:end].split()))
