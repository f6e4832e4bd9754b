"""What to look at before a benchmark leaves. A finding is mended in the project, or answered with a reason."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.models import Item
from labeling.corpus.names import subtokens
from labeling.corpus.payloads import without_blanks
from labeling.release.cells import canonical
from labeling.release.gathering import Gathered
from labeling.release.models import Guard
from labeling.release.showing import MASK, masked_body, whole_word

SHORTEST_WORD = 4  # of which one letter can be a slip
MOST_SLIPS = 2


@dataclass(frozen=True)
class Finding:
    guard: Guard
    item: str
    about: str


@dataclass
class Watch:
    """Looks at every item that goes by, and remembers what it has seen."""

    addresses: list[str]
    findings: list[Finding] = field(default_factory=list)
    is_kept: bool = True  # the item at hand is in the benchmark, so that others can be its duplicates
    seen: dict[int, tuple[str, str]] = field(default_factory=dict)  # by hash: the first item that had it, and its group

    def look(self, gathered: Gathered, fate: str) -> None:
        item = gathered.item
        if fate == "open":
            self.findings.append(Finding(Guard.OPEN, item.key, "no round has a final answer for it"))
        if fate in {"released", "left_out"}:  # what is left out would be found again as soon as it came back
            self.is_kept = fate == "released"
            self.findings.extend(self.faults(item))

    def faults(self, item: Item) -> Iterator[Finding]:
        same, _ = self.first_with(Guard.DUPLICATE, item.sameness, item)
        if same:
            yield Finding(Guard.DUPLICATE, item.key, f"shows the same as {same}")
        text = canonical(item.payload).casefold()
        if any(address in text for address in self.addresses):
            yield Finding(Guard.PERSONAL, item.key, "the address of a member stands in it")
        content = item.content
        if isinstance(content, ReviewRename):
            yield from self.rename_faults(item, content, is_same=bool(same))

    def rename_faults(self, item: Item, content: ReviewRename, *, is_same: bool) -> Iterator[Finding]:
        key = item.key
        near, _ = self.first_with(Guard.NEAR_DUPLICATE, nameless(content), item)
        if near and not is_same:
            yield Finding(Guard.NEAR_DUPLICATE, key, f"has the body of {near} under other names")
        place = [content.commit, content.path, content.container, content.signature, content.buggy_name]
        fork, there = self.first_with(Guard.FORK, "\0".join(place), item) if content.commit else ("", "")
        if fork and there != item.group:
            yield Finding(Guard.FORK, key, f"is the change of {fork} in another repository")
        if slip := typo_in(content.buggy_name, content.fixed_name):
            yield Finding(Guard.TYPO, key, slip)
        if left := names_left(content):
            yield Finding(Guard.NAME_IN_BODY, key, f"{' and '.join(left)} still in the body")

    def first_with(self, guard: Guard, text: str, item: Item) -> tuple[str, str]:
        """The key and the group of the item that had this before; nothing when it is new."""
        mark = int.from_bytes(hashlib.sha256(f"{guard}\0{text}".encode()).digest()[:8])
        first = self.seen.get(mark, ("", ""))
        if self.is_kept and not first[0]:
            self.seen[mark] = item.key, item.group
        return first


def nameless(content: ReviewRename) -> str:
    """The body with both names masked, blanks aside."""
    body = content.body_before
    for name in (content.buggy_name, content.fixed_name):
        body = whole_word(name).sub(MASK, body)
    return without_blanks(body)


def names_left(content: ReviewRename) -> list[str]:
    body = masked_body(content)
    return [name for name in (content.buggy_name, content.fixed_name) if whole_word(name).search(body)]


def typo_in(buggy: str, fixed: str) -> str:
    """Says which word may only have been misspelt: one differs, by a letter or two, and not by being a plural."""
    before, after = [[word.casefold() for word in subtokens(name)] for name in (buggy, fixed)]
    changed = [(old, new) for old, new in zip(before, after, strict=False) if old != new]
    if len(before) != len(after) or len(changed) != 1:
        return ""
    old, new = changed[0]
    if min(len(old), len(new)) < SHORTEST_WORD or f"{old}s" == new or old == f"{new}s":
        return ""
    slips = edit_distance(old, new)
    return f"{old} → {new}" if slips <= MOST_SLIPS and 3 * slips <= max(len(old), len(new)) else ""


def edit_distance(one: str, other: str) -> int:
    """Letters added, dropped, changed or swapped with their neighbour (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        earlier, before, row = before, row, [i]
        for j, right in enumerate(other, start=1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                best = min(best, earlier[j - 2] + 1)
            row.append(best)
    return row[-1]


def unanswered(findings: Iterable[Finding], waived: set[tuple[str, str]]) -> list[Finding]:
    return [finding for finding in findings if (finding.guard.value, finding.item) not in waived]
