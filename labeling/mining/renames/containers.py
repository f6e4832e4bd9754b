"""Which class of the old file is which class of the new one, also when it was renamed or nested."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from labeling.mining.renames.java import Method

Home = tuple[str, ...]

# Two classes with other names are the same one when at least this share of the smaller one's methods is in both.
_SAME_CLASS = 0.5


def pair_containers(before: Sequence[Method], after: Sequence[Method]) -> dict[Home, Home]:
    """For each container of the old file the one it became; a container without successor maps to itself."""
    old, new = _by_home(before), _by_home(after)
    pairs = {home: home for home in old}
    lost = sorted((home for home in old if home not in new), key=len)
    gained = {home for home in new if home not in old}
    for home in lost:
        successor = (
            _inside_renamed(home, pairs=pairs, gained=gained)
            or _same_name(home, lost=lost, gained=gained)
            or _most_alike(old[home], {candidate: new[candidate] for candidate in gained})
        )
        if successor is not None:
            pairs[home] = successor
            gained.discard(successor)
    return pairs


def renamed_classes(pairs: dict[Home, Home]) -> dict[bytes, bytes]:
    """Old and new simple names of the classes that changed theirs."""
    last = {old[-1]: new[-1] for old, new in pairs.items() if old and new and old[-1] != new[-1]}
    return {old.encode(): new.encode() for old, new in last.items() if old.isidentifier() and new.isidentifier()}


def _by_home(methods: Sequence[Method]) -> dict[Home, list[Method]]:
    homes: dict[Home, list[Method]] = defaultdict(list)
    for method in methods:
        homes[method.scopes].append(method)
    return homes


def _inside_renamed(home: Home, *, pairs: dict[Home, Home], gained: set[Home]) -> Home | None:
    candidates = ((*pairs.get(home[:size], home[:size]), *home[size:]) for size in range(len(home) - 1, 0, -1))
    return next((candidate for candidate in candidates if candidate in gained), None)


def _same_name(home: Home, *, lost: Sequence[Home], gained: set[Home]) -> Home | None:
    """The only new container of that simple name, as when a class was nested or freed."""
    namesakes = [candidate for candidate in gained if candidate[-1:] == home[-1:]]
    is_clear = len(namesakes) == 1 and sum(other[-1:] == home[-1:] for other in lost) == 1
    return namesakes[0] if is_clear else None


def _most_alike(methods: Sequence[Method], gained: dict[Home, list[Method]]) -> Home | None:
    scored = sorted((*_overlap(methods, others), home) for home, others in gained.items())
    return scored[-1][-1] if scored and scored[-1][0] >= _SAME_CLASS else None


def _overlap(before: Sequence[Method], after: Sequence[Method]) -> tuple[float, int]:
    """The share of methods that stayed by signature or, for a telling body, by body; and how many did by body."""
    names = Counter((m.name, m.parameters) for m in before) & Counter((m.name, m.parameters) for m in after)
    bodies = Counter(m.masked for m in before if not m.trivial) & Counter(m.masked for m in after if not m.trivial)
    return max(names.total(), bodies.total()) / min(len(before), len(after)), bodies.total()
