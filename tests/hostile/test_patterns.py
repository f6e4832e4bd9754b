"""No regular expression of ours takes long, whatever text it is given: each is tried with what makes others hang."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import annotator
import labeling
from labeling.release.showing import whole_word
from labeling.study.leaks import spoken_names

OURS = (annotator, labeling)
STARTING = {"annotator.asgi", "annotator.wsgi"}  # to import them is to start the app
LENGTH = 20_000
PATIENCE = 0.5  # seconds; what is linear mostly needs a few milliseconds
SHORTER, MOST_GROWTH = 4, 8  # of a quarter of the text, what is linear needs a quarter, and what is square a sixteenth
PIECES = [
    *(
        "a",
        "A",
        "Aa",
        "A1",
        "1",
        " ",
        "\n",
        "_",
        "$",
        "a.",
        "a-",
        "@",
        "a@",
        "a@a.",
        "//",
        "/*",
        "\\",
        "\\u",
        "\\u0041",
    ),
    *("`", '"', '\\"', "'", "<", "<a ", "<a>", '<pre class="code body"', "(", "a(", "[", "[ ", ",", "a,", ", a", ".."),
    *("https://a", 'name="form" value="', 'data-line="', "<unk", "[UNK", "é", "0.", "%"),
]
ENDS = ["", "!", "\x00"]
# These are only ever asked whether a text begins with them, and never looked for in it.
ASKED_AT_THE_START = {
    "labeling.mining.renames.prefilter._PARAMETERS",
    "labeling.mining.renames.prefilter._TYPE_END",
}


def patterns() -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Those that a module holds under a name."""
    seen: set[re.Pattern[str] | re.Pattern[bytes]] = set()
    names = [one.name for package in OURS for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    for module in (name for name in names if "migrations" not in name and name not in STARTING):
        for name, value in vars(importlib.import_module(module)).items():
            if isinstance(value, re.Pattern) and value not in seen:
                seen.add(value)
                yield f"{module}.{name}", value


def spoken() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Those that stand in the call that uses them."""
    root = Path(labeling.__path__[0]).parent
    for path in sorted(path for package in OURS for path in Path(package.__path__[0]).rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("re.") and call.args:
                said = call.args[0]
                if isinstance(said, ast.Constant) and isinstance(said.value, str):
                    yield f"{path.relative_to(root)}:{call.lineno}", re.compile(said.value)


def built() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Those that are made of names, where the text is full of what the names consist of."""
    names = ["a" * 1_000, "aA" * 50, "A1" * 50, "a_" * 50, "get", "éé"]
    yield "release.showing.whole_word", whole_word(names[0])
    yield "study.leaks.spoken_names", spoken_names(names)


def too_slow(name: str, pattern: re.Pattern[str] | re.Pattern[bytes]) -> str:
    """The piece of a text that it takes more than its length's worth of time for. On a slow machine also what is linear
    may take long; then a shorter text tells."""
    for piece, end in product(PIECES, ENDS):
        seconds = time_of(name, pattern, piece, end, LENGTH)
        if seconds > PATIENCE and seconds > MOST_GROWTH * time_of(name, pattern, piece, end, LENGTH // SHORTER):
            return f"{seconds:.1f} s for {piece!r} again and again, then {end!r}"
    return ""


def time_of(name: str, pattern: re.Pattern[Any], piece: str, end: str, length: int) -> float:
    text = piece * (length // len(piece)) + end
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    started = time.process_time()
    if name not in ASKED_AT_THE_START:
        pattern.findall(given)
    pattern.match(given)
    pattern.fullmatch(given)
    return time.process_time() - started


FOUND = [*patterns(), *spoken(), *built()]


def test_patterns_of_both_packages_are_found() -> None:
    assert {name.partition(".")[0] for name, _ in patterns()} == {"annotator", "labeling"}
    assert {name.partition("/")[0] for name, _ in spoken()} == {"annotator", "labeling"}


@pytest.mark.parametrize(("name", "pattern"), [pytest.param(*found, id=found[0]) for found in FOUND])
def test_pattern_is_quick_on_long_text(name: str, pattern: re.Pattern[str] | re.Pattern[bytes]) -> None:
    assert not too_slow(name, pattern)


def test_pattern_that_is_not_quick_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.hostile.test_patterns.PATIENCE", 0.05)
    assert "'<'" in too_slow("square", re.compile(r"<[^>]*>"))
