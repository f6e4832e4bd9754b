"""Which items a round has and in which order, from its selection and its seed. Made again, it is the same."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from labeling.annotation.models import Order, Round
from labeling.corpus.browsing import filtered
from labeling.corpus.models import Item, ItemQuerySet


def seeded(round: Round, purpose: str) -> Random:
    """Randomness for one purpose of the round."""
    return Random(f"{round.seed}:{purpose}")  # noqa: S311 (a design, not a secret)


def selectable(round: Round) -> ItemQuerySet:
    """The items that the selection names; what was imported later than the round was made is not among them."""
    wanted = round.selection
    items = filtered(round.project, words=wanted.get("words", ""), group=wanted.get("group", ""))
    items = items.filter(pk__lte=wanted["last"])
    # Of earlier rounds only: a second attempt at planning meets the rows of the first.
    return items.exclude(in_rounds__round__lt=round.pk) if wanted.get("fresh") else items


def choose_items(round: Round) -> list[int]:
    """Item ids in the common order of the round."""
    found = list(selectable(round).order_by("pk").values_list("pk", "group"))
    sample = round.selection.get("sample")
    if sample and sample < len(found):
        found = sorted(seeded(round, "sample").sample(found, sample))
    known = {pk for pk, _ in found}
    gold = gold_items(round).order_by("pk").values_list("pk", "group")
    return ordered(round, [*found, *(row for row in gold if row[0] not in known)])


def gold_items(round: Round) -> ItemQuerySet:
    return Item.objects.filter(project=round.project, key__in=round.selection["gold"])


def ordered(round: Round, items: list[tuple[int, str]]) -> list[int]:
    rng = seeded(round, "order")
    if round.order == Order.SHUFFLED:
        ids = [pk for pk, _ in items]
        rng.shuffle(ids)
        return ids
    return spread(items, rng)


def spread(items: list[tuple[int, str]], rng: Random) -> list[int]:
    """Each group evenly over the whole order, so that any stretch of it has them in proportion."""
    groups: dict[str, list[int]] = defaultdict(list)
    for pk, group in items:
        groups[group].append(pk)
    places: list[tuple[float, int]] = []
    for group in sorted(groups):
        members = groups[group]
        rng.shuffle(members)
        offset = rng.random()
        places += [((index + offset) / len(members), pk) for index, pk in enumerate(members)]
    return [pk for _, pk in sorted(places)]
