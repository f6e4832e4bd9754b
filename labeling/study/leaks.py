"""What gives a name away: the body says it, or its form tells who wrote it. Plain Python: texts in, leaks out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from labeling.corpus.names import subtokens
from labeling.study.naming import ARTEFACTS, artefacts_of, camel_case, is_java_name

BLANK = "___"  # what a masked name is shown as: a Java identifier that says nothing
CONTENT = {
    "own_call": "The method calls itself by the name",
    "other_call": "A method of another object with the name is called",
    "identifier": "Something else in the code has the name",
    "comment": "A comment says the name",
    "text": "A string, such as a log message, says the name",
}
KINDS = {**CONTENT, **ARTEFACTS}
MOST_EXCERPT = 120
Act = Literal["mask", "normalise", "waive"]

_TOKEN = re.compile(
    r'(?P<text>"""(?:[^\\]|\\.)*?(?:"""|\Z)|"(?:[^"\\\n]|\\.)*"?)'
    r"|(?P<letter>'(?:[^'\\\n]|\\.)*'?)"
    r"|(?P<comment>/\*.*?(?:\*/|\Z)|//[^\n]*)"
    r"|(?P<word>[^\W\d][\w$]*|\$[\w$]*)"
    r"|(?P<sign>::|\S)",
    re.DOTALL,
)
_BETWEEN_WORDS = r"[ \t_-]*"  # never a line end: masking keeps the lines
_GAPS = re.compile(_BETWEEN_WORDS)
_NO_NAME_BEFORE = frozenset(
    {"new", "if", "for", "while", "switch", "catch", "synchronized", "return", "throw", "super"}
)


@dataclass(frozen=True)
class Named:
    """A method body and the names it is to be judged with."""

    key: str
    body: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Leak:
    """One kind of leak of one name of one method, with all its places."""

    kind: str
    method: str  # key
    name: str
    lines: tuple[int, ...] = ()  # of the body, from 1; none for a sign in the name itself
    excerpt: str = ""

    @property
    def acts(self) -> tuple[Act, Act]:
        return ("normalise", "waive") if self.kind in ARTEFACTS else ("mask", "waive")


@dataclass(frozen=True)
class _Place:
    """A stretch of a body that says a name."""

    start: int
    end: int
    kind: str
    name: str


Rule = Callable[[Leak], str]  # the act that was chosen for a leak; nothing when none was


def find_leaks(method: Named, *, shown: Mapping[str, str]) -> list[Leak]:
    """All leaks of a method. `shown` is how each of its names is shown by now: a body is searched for both forms."""
    return [*name_leaks(method), *body_leaks(method, shown)]


def name_leaks(method: Named) -> Iterator[Leak]:
    for name in method.names:
        for kind in artefacts_of(name):
            yield Leak(kind, method.key, name, excerpt=f"as {camel_case(name)}")


def body_leaks(method: Named, shown: Mapping[str, str]) -> Iterator[Leak]:
    found: dict[tuple[str, str], list[_Place]] = {}
    for place in places(method.body, wanted_names(method, shown)):
        if place.kind != "declaration":
            found.setdefault((place.kind, place.name), []).append(place)
    for (kind, name), there in found.items():
        lines = tuple(dict.fromkeys(method.body.count("\n", 0, place.start) + 1 for place in there))
        yield Leak(kind, method.key, name, lines, method.body.splitlines()[lines[0] - 1].strip()[:MOST_EXCERPT])


def mask_body(method: Named, *, shown: Mapping[str, str], rule: Rule) -> str:
    """The body with the name it declares blanked, and every place whose leak is to be masked."""
    kept, end = [], 0
    for place in sorted(places(method.body, wanted_names(method, shown)), key=lambda place: (place.start, -place.end)):
        hidden = place.kind == "declaration" or rule(Leak(place.kind, method.key, place.name)) == "mask"
        if hidden and place.start >= end:
            kept += [method.body[end : place.start], BLANK]
            end = place.end
    return "".join([*kept, method.body[end:]])


def show_name(name: str, method: str, *, rule: Rule) -> str:
    """The name as it is shown: in camelCase when one of its signs is to be normalised."""
    if not any(rule(Leak(kind, method, name)) == "normalise" for kind in artefacts_of(name)):
        return name
    better = camel_case(name)
    return better if is_java_name(better) else name


def wanted_names(method: Named, shown: Mapping[str, str]) -> list[str]:
    """What a body is searched for: names as they came and as they are shown, and the name that it declares itself."""
    own = declared_name(method.body)
    both = [form for name in method.names for form in (name, shown.get(name, name))]
    return [name for name in dict.fromkeys([*both, own]) if name not in {"", BLANK}]


def places(body: str, names: Iterable[str]) -> Iterator[_Place]:
    """Where a body says one of the names: as a word of the code, or in the words of a comment or string."""
    wanted = sorted(names, key=lambda name: -len(subtokens(name)))  # in prose the longest counts
    exact = set(wanted)
    tokens = [token for token in _TOKEN.finditer(body) if token.lastgroup != "letter"]
    code = [token for token in tokens if token.lastgroup != "comment"]
    declared = declaration(code)
    for index, token in enumerate(code):
        if token.lastgroup == "word" and token[0] in exact:
            kind = "declaration" if index == declared else kind_of_word(code, index)
            yield _Place(token.start(), token.end(), kind, token[0])
    for token in tokens:
        if token.lastgroup in {"comment", "text"}:
            yield from spoken_places(token, [name for name in wanted if may_say(token[0], name)])


def may_say(prose: str, name: str) -> bool:
    """A quick look, since to make a pattern costs more than most bodies are worth."""
    words = subtokens(name)
    return "".join(words).casefold() in _GAPS.sub("", prose).casefold() if len(words) > 1 else name in prose


def spoken_names(names: list[str]) -> re.Pattern[str]:
    """Finds names in prose: a single word as it is written; several in any case, with blanks or signs between them."""
    forms = [rf"(?P<n{number}>{spoken_form(name)})" for number, name in enumerate(names)]
    return re.compile(rf"(?<![\w$])(?:{'|'.join(forms)})(?![\w$])")


def spoken_form(name: str) -> str:
    words = [re.escape(word) for word in subtokens(name)]
    return f"(?i:{_BETWEEN_WORDS.join(words)})" if len(words) > 1 else re.escape(name)


def spoken_places(token: re.Match[str], names: list[str]) -> Iterator[_Place]:
    for found in spoken_names(names).finditer(token[0]) if names else ():
        group = next(name for name, text in found.groupdict().items() if text is not None)
        start = token.start() + found.start()
        yield _Place(start, start + len(found[0]), token.lastgroup or "", names[int(group[1:])])


def kind_of_word(code: list[re.Match[str]], index: int) -> str:
    """Whether a word is a call of the method itself, of somebody else's, or no call."""
    before, after = text_at(code, index - 1), text_at(code, index + 1)
    if before == "::" or (after == "(" and before == "."):
        return "own_call" if text_at(code, index - 2) == "this" else "other_call"
    return "own_call" if after == "(" and before != "new" else "identifier"


def declared_name(body: str) -> str:
    """The name that the body declares; nothing where it has no head."""
    code = [token for token in _TOKEN.finditer(body) if token.lastgroup not in {"comment", "letter"}]
    index = declaration(code)
    return code[index][0] if index is not None else ""


def declaration(code: list[re.Match[str]]) -> int | None:
    """Where the head of the method has its name: the last word before the parenthesis of the parameters."""
    index = 0
    while index < len(code) and (word := code[index][0]) not in {"{", ";", "="}:
        if word == "@":  # an annotation and what stands in its parentheses
            index = skip_annotation(code, index)
        elif word == "(":
            named = index > 0 and code[index - 1].lastgroup == "word" and text_at(code, index - 2) not in {".", "new"}
            return index - 1 if named and code[index - 1][0] not in _NO_NAME_BEFORE else None
        else:
            index += 1
    return None


def skip_annotation(code: list[re.Match[str]], index: int) -> int:
    index += 2
    while text_at(code, index) == ".":
        index += 2
    if text_at(code, index) != "(":
        return index
    depth = 0
    while index < len(code):
        depth += (code[index][0] == "(") - (code[index][0] == ")")
        index += 1
        if not depth:
            break
    return index


def text_at(code: list[re.Match[str]], index: int) -> str:
    return code[index][0] if 0 <= index < len(code) else ""
