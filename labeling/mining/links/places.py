"""Where a comment sits: which names the end of its hunk declares or uses, on the side that the change brings."""

from __future__ import annotations

from dataclasses import dataclass, field

from labeling.mining.links.words import WORD

NEAR = 5  # lines between a comment and a declaration that it may still speak of

# What may stand before a name and its parenthesis without making it a declaration.
_NOT_TYPES = frozenset({"return", "new", "throw", "else", "assert", "case", "yield", "do", "instanceof"})
_LONGEST_LINE = 2_000


@dataclass(slots=True)
class Place:
    """The line that a comment sits on, and how many lines above it each method is declared (0: on the line)."""

    line: str = ""
    declared: dict[str, int] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    removed: bool = False  # the comment sits on a line that the change takes away


def read_hunk(hunk: str) -> Place:
    """The place that a hunk ends with."""
    lines = [line for line in hunk.rstrip("\r\n")[-(NEAR + 1) * _LONGEST_LINE :].splitlines() if line[:1] != "\\"]
    if not lines or lines[-1].startswith("@@"):
        return Place()
    if lines[-1].startswith("-"):
        return Place(lines[-1][1:].strip(), removed=True)
    kept = [line[1:] for line in lines if not line.startswith(("-", "@@"))]
    place = Place(kept[-1].strip())
    for distance, line in enumerate(reversed(kept[-(NEAR + 1) :])):
        declared, used = _read_line(line)
        for name in declared:
            place.declared.setdefault(name, distance)
        if distance == 0:
            place.used |= used
    return place


def _read_line(line: str) -> tuple[set[str], set[str]]:
    """The names that a line of Java declares as methods, and all other names in it."""
    declared: set[str] = set()
    used: set[str] = set()
    end, last = 0, ""
    for found in WORD.finditer(line):
        name = found.group()
        is_called = line[found.end() : found.end() + 2].lstrip().startswith("(")
        follows_type = last not in _NOT_TYPES and _is_type(line[: found.start()], line[end : found.start()])
        (declared if is_called and follows_type else used).add(name)
        end, last = found.end(), name
    return declared, used


def _is_type(before: str, between: str) -> bool:
    """Whether a method's name can follow: after `int`, `List<T>` or `int[]`, but not after `x.`, `f(` or `a >`."""
    between = between.strip()
    if not between:
        return bool(before.strip())
    return between.endswith("]") or (between.strip("> ") == "" and "<" in before)
