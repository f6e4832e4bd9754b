"""Which removed method of a file became which added one: one-to-one, with the tier that says how alike they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from labeling.corpus.names import similarity
from labeling.mining.renames.containers import Home, pair_containers, renamed_classes
from labeling.mining.renames.evidence import Known, Names, Siblings, explain, translate
from labeling.mining.renames.java import Method

Tier = Literal["exact", "modifiers", "self_call", "return_type", "review"]

# Beyond this many removed and added methods a file was rewritten, and comparing all with all would only take time.
_MAX_CANDIDATES = 200
_ALIKE = 0.5


@dataclass(frozen=True, eq=False)
class Match:
    """One method before and after its rename, and the other names that differ in its body."""

    before: Method
    after: Method
    tier: Tier
    differing: frozenset[Names] = frozenset()

    @property
    def names(self) -> Names:
        return self.before.name, self.after.name


@dataclass(eq=False)
class FileMatching:
    """The methods of a file before and after, and what is left when those that kept their signature are set aside."""

    before: Sequence[Method]
    after: Sequence[Method]
    removed: list[Method] = field(init=False)
    added: list[Method] = field(init=False)
    _anchor: dict[int, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        same = {(m.scopes, m.name, m.raw_parameters) for m in self.before}
        same ^= {(m.scopes, m.name, m.raw_parameters) for m in self.after}
        if not same and len(self.before) == len(self.after):
            self.removed, self.added = [], []
            return
        self.removed, self.added = self._set_aside_survivors()

    @cached_property
    def homes(self) -> dict[Home, Home]:
        return pair_containers(self.before, self.after)

    @property
    def classes(self) -> dict[bytes, bytes]:
        return renamed_classes(self.homes) if self.removed and self.added else {}

    def home(self, method: Method) -> Home:
        """The container of an old method, as it is called now."""
        return self.homes.get(method.scopes, method.scopes)

    def _set_aside_survivors(self) -> tuple[list[Method], list[Method]]:
        """Pairs methods of the same name and parameters, by body where that is ambiguous; returns the rest."""
        free: dict[Hashable, list[Method]] = defaultdict(list)
        for method in self.after:
            free[method.scopes, method.name, method.parameters].append(method)
        removed: list[Method] = []
        for method in self.before:
            twins = free[self.home(method), method.name, method.parameters]
            if not twins:
                removed.append(method)
                continue
            twin = next((twin for twin in twins if twin.tokens == method.tokens), twins[0]) if twins[1:] else twins[0]
            twins.remove(twin)
            self._anchor[id(method)] = self._anchor[id(twin)] = len(self._anchor)
        return removed, sorted((m for rest in free.values() for m in rest), key=lambda m: m.position)

    def same_place(self, before: Method, after: Method) -> bool:
        """Whether both stand between the same two methods that stayed."""
        return self._neighbours(before, self.before) == self._neighbours(after, self.after)

    def _neighbours(self, method: Method, methods: Sequence[Method]) -> tuple[int | None, int | None]:
        siblings = [m for m in methods if m.scopes == method.scopes]
        place = siblings.index(method)
        above = (self._anchor[id(m)] for m in reversed(siblings[:place]) if id(m) in self._anchor)
        below = (self._anchor[id(m)] for m in siblings[place + 1 :] if id(m) in self._anchor)
        return next(above, None), next(below, None)

    def match(self, known: Known) -> list[Match]:
        """The renames of this file, given those already known from the whole change."""
        matches: list[Match] = []
        if not self.removed or not self.added:
            return matches
        removed, added = list(self.removed), list(self.added)
        for with_return_type in (True, False):
            found = self._match_bodies(removed, added, known=known, with_return_type=with_return_type)
            matches += found
            removed, added = _without(removed, (m.before for m in found)), _without(added, (m.after for m in found))
        return matches + self._match_explained(removed, added, known=known, matches=matches)

    def _match_bodies(
        self, removed: list[Method], added: list[Method], *, known: Known, with_return_type: bool
    ) -> list[Match]:
        groups: dict[Hashable, tuple[list[Method], list[Method]]] = defaultdict(lambda: ([], []))
        for side, methods in enumerate((removed, added)):
            for method in methods:
                home = method.scopes if side else self.home(method)
                groups[_body_key(method, home=home, with_return_type=with_return_type)][side].append(method)
        found: list[Match] = []
        for old, new in groups.values():
            if old and new:
                found += self._match_group(old, new, known=known)
        return found

    def _match_group(self, old: list[Method], new: list[Method], *, known: Known) -> list[Match]:
        """Matches within methods that differ in nothing but their names."""
        pairs = [(b, a) for b in old for a in new if known.has(b, a)]
        # One body that is now in several methods was copied, whatever else says that it was renamed.
        clear = old[0].trivial or len(old) == len(new)
        found = [self._judge(b, a, sure=clear) for b, a in pairs if _is_only(b, a, pairs)]
        matches = [match for match in found if match is not None]
        old, new = _without(old, (m.before for m in matches)), _without(new, (m.after for m in matches))
        if len(old) == len(new) == 1:
            alone = self._judge(old[0], new[0], sure=self._is_evident(old[0], new[0]))
            return [*matches, alone] if alone is not None else matches
        if len(old) > len(new) == 1:
            return matches  # two methods merged into one
        doubtful = [self._judge(b, a, sure=False) for b, a in _pair_by_name(old, new)]
        return matches + [match for match in doubtful if match is not None]

    def _is_evident(self, before: Method, after: Method) -> bool:
        """Whether the only candidate is one for sure: by a telling body, else by its Javadoc, place and name."""
        if not before.trivial:
            return True
        if not before.described_as(after):
            return False
        related, same_place = similarity(before.name, after.name) > 0, self.same_place(before, after)
        return (related or same_place) if before.javadoc and after.javadoc else (related and same_place)

    def _judge(self, before: Method, after: Method, *, sure: bool) -> Match | None:
        """The match with its tier, or None where the old or the new name shows that this is no rename."""
        unlike = not sure and before.return_type != after.return_type and _unlike(before, after)
        if before.name == after.name or unlike:
            return None
        taking_over = [m for m in self.added if m.name == before.name and m.scopes == after.scopes]
        taken_before = [m for m in self.removed if m.name == after.name and m.scopes == before.scopes]
        if taking_over or taken_before:
            delegates = any(after.name.encode() in m.tokens for m in taking_over)
            return None if before.trivial or delegates else Match(before, after, "review")
        return Match(before, after, _tier(before, after) if sure else "review")

    def _match_explained(
        self, removed: list[Method], added: list[Method], *, known: Known, matches: list[Match]
    ) -> list[Match]:
        """Matches of bodies that differ only in names which this change renamed."""
        if len(removed) * len(added) > _MAX_CANDIDATES**2:
            return []
        siblings = Siblings(
            certain={match.names for match in matches if match.tier != "review"},
            possible={(b.name, a.name) for b in removed for a in added if b.parameters == a.parameters},
        )
        candidates = []
        for before in removed:
            for after in added:
                if self._same_but_for_classes(before, after, classes=known.classes):
                    reason = explain(before, after, known=known, siblings=siblings)
                    if reason is not None:
                        candidates.append((before, after, reason))
        pairs = [(before, after) for before, after, _ in candidates]
        confirmed = [pair for pair in pairs if known.has(*pair)]
        found = []
        for before, after, reason in candidates:
            if _is_only(before, after, pairs) or ((before, after) in confirmed and _is_only(before, after, confirmed)):
                match = self._judge(before, after, sure=reason.own)
                found += [replace(match, differing=reason.names)] if match is not None else []
        return found

    def _same_but_for_classes(self, before: Method, after: Method, *, classes: Mapping[bytes, bytes]) -> bool:
        if before.trivial or after.trivial or self.home(before) != after.scopes:
            return False
        old = (before.type_parameters, before.return_type, *before.parameters, "|", *before.throws)
        new = (after.type_parameters, after.return_type, *after.parameters, "|", *after.throws)
        return old == new or [translate(part, classes=classes) for part in old] == list(new)


def _body_key(method: Method, *, home: Home, with_return_type: bool) -> Hashable:
    returns = method.return_type if with_return_type else None
    return home, method.parameters, method.type_parameters, returns, method.throws, method.masked


def _tier(before: Method, after: Method) -> Tier:
    if before.broken or after.broken or before.parameter_names != after.parameter_names:
        return "review"
    if before.return_type != after.return_type:
        return "review" if before.trivial else "return_type"
    if before.tokens != after.tokens:
        return "self_call"
    return "exact" if (before.declaration, before.javadoc) == (after.declaration, after.javadoc) else "modifiers"


def _unlike(before: Method, after: Method) -> bool:
    """Whether neither body nor name speaks for these two being one method."""
    return before.trivial and similarity(before.name, after.name) < _ALIKE


def _without(methods: Iterable[Method], taken: Iterable[Method]) -> list[Method]:
    gone = {id(method) for method in taken}
    return [method for method in methods if id(method) not in gone]


def _is_only(before: Method, after: Method, pairs: Sequence[tuple[Method, Method]]) -> bool:
    return sum(b is before or a is after for b, a in pairs) == 1


def _pair_by_name(old: Sequence[Method], new: Sequence[Method]) -> list[tuple[Method, Method]]:
    """The most alike names first, and those nearest in order where they are equally alike."""
    order = {id(method): place for methods in (old, new) for place, method in enumerate(methods)}
    ranked = sorted(
        ((b, a) for b in old for a in new if not b.trivial or similarity(b.name, a.name) > 0),
        key=lambda pair: (-similarity(pair[0].name, pair[1].name), abs(order[id(pair[0])] - order[id(pair[1])])),
    )
    pairs: list[tuple[Method, Method]] = []
    taken: set[int] = set()
    for before, after in ranked:
        if not taken & {id(before), id(after)}:
            taken |= {id(before), id(after)}
            pairs.append((before, after))
    return pairs
