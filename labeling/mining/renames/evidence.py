"""Why the bodies of two methods may differ and still be one: names that the same change gave to other things."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from labeling.mining.renames.java import Method
from labeling.mining.renames.masking import count_arguments, is_call, is_own_call

Names = tuple[str, str]

_WORD = re.compile(r"[\w$]+")


@dataclass(frozen=True)
class Known:
    """The renames of one change that stand on their own evidence: methods with their arities, and classes."""

    methods: Mapping[Names, Sequence[range]] = field(default_factory=dict)
    classes: Mapping[bytes, bytes] = field(default_factory=dict)

    def has(self, before: Method, after: Method) -> bool:
        return any(before.arity == arity for arity in self.methods.get((before.name, after.name), ()))


@dataclass(frozen=True)
class Explanation:
    """The names that differ between two bodies, and whether all are calls of siblings renamed beside them."""

    names: frozenset[Names]
    own: bool


@dataclass(frozen=True)
class Siblings:
    """The names of one file: pairs that are renames for sure, and pairs that may be by their signatures."""

    certain: set[Names]
    possible: set[Names]


def explain(before: Method, after: Method, *, known: Known, siblings: Siblings) -> Explanation | None:
    """Why the two bodies differ, if only in calls and classes that this change renamed."""
    old, new = before.masked, after.masked
    if before.tokens == after.tokens:
        return Explanation(frozenset(), own=False)  # the calls that were recursive once are no longer
    if len(old) != len(new):
        return None
    names: set[Names] = set()
    own = True
    for index, (left, right) in enumerate(zip(old, new, strict=True)):
        if left == right:
            continue
        is_class = known.classes.get(left) == right
        pair = left.decode(), right.decode()
        own_call = not is_class and _own_calls(before, after, index)
        is_possible = own_call and pair in siblings.possible
        if not is_class and not is_possible and not _same_call(before, after, index, known=known):
            return None
        names.add(pair)
        own = own and own_call and pair in siblings.certain
    return Explanation(frozenset(names), own)


def _same_call(before: Method, after: Method, index: int, *, known: Known) -> bool:
    """Whether both bodies call, at this place, one method under its old and its new name."""
    old, new = before.masked, after.masked
    names = old[index].decode("utf-8", "replace"), new[index].decode("utf-8", "replace")
    is_delegate = names == (before.name, after.name)
    if old[index - 1] == b"::":
        return is_delegate or names in known.methods
    if not is_call(old, index) or not is_call(new, index):
        return False
    arguments = count_arguments(old, index + 1)
    return is_delegate or any(arguments in arity for arity in known.methods.get(names, ()))


def _own_calls(before: Method, after: Method, index: int) -> bool:
    return all(
        is_own_call(method.masked, index, arity=range(256), owner=method.owner)  # any arity: it was checked already
        for method in (before, after)
    )


def translate(types: str, *, classes: Mapping[bytes, bytes]) -> str:
    """A type as it is spelled after the renames of classes."""
    if not classes:
        return types
    return _WORD.sub(lambda word: classes.get(word[0].encode(), word[0].encode()).decode(), types)
