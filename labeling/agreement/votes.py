"""Votes out of the database as arrays: items with the same ratings come as one row and a count (decision 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from django.db import connection
from django.db.models import (
    Aggregate,
    Count,
    Expression,
    F,
    Func,
    Max,
    OuterRef,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, TruncDate

from labeling.agreement.answers import MISFIT, scale_of
from labeling.agreement.choosing import FIRST, Selection
from labeling.annotation.models import Assignment, SlotState, Vote
from labeling.annotation.visibility import settled_votes

if TYPE_CHECKING:
    from labeling.agreement.statistics.arrays import Ints
    from labeling.agreement.statistics.ratings import Ratings

_WITHIN, _BETWEEN = ":", ";"  # in no number, and in no key of an option


class Joined(Aggregate):
    """The texts of a group in one; in order where the database can, so that equal ratings make equal patterns."""

    function = "GROUP_CONCAT"
    template = f"%(function)s(%(expressions)s, '{_BETWEEN}')"
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Any]:
        ordered = f"STRING_AGG(%(expressions)s, '{_BETWEEN}' ORDER BY %(expressions)s)"
        sql, parameters = self.as_sql(compiler, connection, template=ordered, **context)
        return sql, (*parameters, *parameters)  # the expression is in it twice


def together(*parts: Expression) -> Func:
    """Texts one after the other; nothing when one of them is nothing."""
    return Func(*parts, template="(%(expressions)s)", arg_joiner=" || ", output_field=TextField())


def answer_to(selection: Selection, *path: str) -> Expression:
    """What was answered, as text; nothing where the question was not asked or not answered."""
    source = "__".join([*path, "answers"])
    answer = KeyTextTransform(selection.question.key, source)
    asked_of_all = selection.question.when is None and not selection.question.required
    if selection.question.form == "multiple" and asked_of_all:
        return Coalesce(answer, Value("[]"), output_field=TextField())  # to tick nothing is an answer
    return answer


def chosen_votes(selection: Selection) -> QuerySet[Vote]:
    """One vote a slot, on items whose independent phase is over. Hidden repeats are no slots."""
    slot = selection.slot
    slots = Vote.objects.filter(**{f"{slot}__round__in": selection.rounds, f"{slot}__repeat": 0})
    votes = settled_votes(slots, slot=slot)
    if selection.votes == FIRST:
        votes = votes.filter(revision=1, assignment__vote__isnull=False)
    if selection.version:
        votes = votes.filter(protocol=selection.version.pk)
    if selection.group:
        votes = votes.filter(**{f"{slot}__round_item__item__group": selection.group})
    return votes


def judged_items(selection: Selection) -> QuerySet[Any, Any]:
    """One row an item of a round: who said what under which version, and when the last of them did."""
    token = together(
        Cast("rater_id", TextField()),
        Value(_WITHIN),
        Cast("protocol_id", TextField()),
        Value(_WITHIN),
        answer_to(selection),
    )
    place = f"{selection.slot}__round_item"
    rows = (
        chosen_votes(selection)
        .order_by()
        .values(round_item=F(place), round=F(f"{selection.slot}__round"), group=F(f"{place}__item__group"))
        .annotate(pattern=Joined(token), day=TruncDate(Max("cast_at")), newest=Max("pk"))
    )
    if selection.since:
        rows = rows.filter(day__gte=selection.since)
    if selection.until:
        rows = rows.filter(day__lte=selection.until)
    return rows


def chosen_items(selection: Selection) -> QuerySet[Any, Any]:
    """The same items of rounds, for a condition on what is not among their ratings."""
    return judged_items(selection).values("round_item")


def votes_on_chosen_items(selection: Selection) -> QuerySet[Vote]:
    """The chosen votes, by the day of their item too, which only all votes on it together tell."""
    votes = chosen_votes(selection)
    if not (selection.since or selection.until):
        return votes
    return votes.filter(**{f"{selection.slot}__round_item__in": chosen_items(selection)})


Row = tuple[int, str, date, str | None, int, int]


def grouped_rows(selection: Selection) -> list[Row]:
    """(round, group, day, pattern, how many items, newest vote): one query, and as many rows as differ."""
    if not selection.rounds:
        return []
    inner, parameters = judged_items(selection).query.sql_with_params()
    columns = '"round", "group", "day", "pattern"'
    sql = f"SELECT {columns}, COUNT(*), MAX(newest) FROM ({inner}) AS judged GROUP BY {columns} ORDER BY {columns}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return [(r, g, day if isinstance(day, date) else date.fromisoformat(day), *rest)
                for r, g, day, *rest in cursor.fetchall()]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Gathered:
    """The ratings of a selection, and of each item its round, its group, its day and its pattern."""

    ratings: Ratings
    version: Ints  # of each rating, as the id of the protocol's version
    round: Ints
    day: Ints  # since the year 1
    group: Ints
    groups: list[str]
    pattern: Ints
    patterns: list[str]
    votes: int
    newest: int
    misfits: int
    codes: dict[str, int]  # of each answer


def gather(selection: Selection, rows: list[Row] | None = None) -> Gathered:
    """The votes of the selection as arrays: of rows read before or changed by a later stage, else read now."""
    import numpy as np

    from labeling.agreement.statistics.ratings import Ratings

    rows = grouped_rows(selection) if rows is None else rows
    tokens = [list(tokens_in(pattern)) for _, _, _, pattern, _, _ in rows]
    scale, codes = scale_of(selection.question, {text for row in tokens for _, _, text in row})
    places = {user: place for place, user in enumerate(selection.users)}
    flat = [
        (at, places[selection.raters[rater]], codes[text], version)
        for at, row in enumerate(tokens)
        for rater, version, text in row
    ]
    at, rater, value, version = np.array(flat, dtype=np.int64).reshape(-1, 4).T
    counts = np.array([row[4] for row in rows], dtype=np.int64)
    first = np.cumsum(counts) - counts  # the items of a row follow each other
    times = counts[at]
    within = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    item, rater, value, version = (
        np.repeat(first[at], times) + within,
        *(np.repeat(column, times) for column in (rater, value, version)),
    )
    fits = value != MISFIT
    judged = int(counts.sum())
    items = judged if selection.is_narrowed else max(judged, selection.items_over)
    groups = sorted({row[1] for row in rows})
    unjudged = items - judged
    group = _of_items([groups.index(row[1]) for row in rows], counts, unjudged, len(groups))
    ratings = Ratings(
        item=item[fits],
        rater=rater[fits],
        value=value[fits],
        scale=scale,
        raters=selection.pseudonyms,
        items=items,
        group=group,
        groups=len(groups) + (1 if unjudged else 0),
    )
    patterns = [row[3] or "" for row in rows]
    return Gathered(
        ratings=ratings.in_order(),
        version=_in_the_same_order(ratings, version[fits]),
        round=_of_items([row[0] for row in rows], counts, unjudged, 0),
        day=_of_items([row[2].toordinal() for row in rows], counts, unjudged, 0),
        group=group,
        groups=groups,
        pattern=_of_items(list(range(len(rows))), counts, unjudged, MISFIT),
        patterns=patterns,
        votes=len(item),
        newest=max((row[5] for row in rows), default=0),
        misfits=int((~fits).sum()),
        codes=codes,
    )


def with_answer(pattern: str | None, text: str | None) -> str | None:
    """The pattern as if all raters in it had given this answer; None where the question is left without one."""
    tokens = [f"{rater}{_WITHIN}{version}{_WITHIN}{text}" for rater, version, _ in tokens_in(pattern)]
    return _BETWEEN.join(tokens) if tokens and text is not None else None


def tokens_in(pattern: str | None) -> Iterator[tuple[int, int, str]]:
    for token in (pattern or "").split(_BETWEEN) if pattern else ():
        rater, version, text = token.split(_WITHIN, 2)
        yield int(rater), int(version), text


def _of_items(by_row: list[int], counts: Ints, unjudged: int, nothing: int) -> Ints:
    import numpy as np

    judged = np.repeat(np.array(by_row, dtype=np.int64), counts)
    return np.concatenate([judged, np.full(unjudged, nothing, dtype=np.int64)])


def _in_the_same_order(ratings: Ratings, column: Ints) -> Ints:
    import numpy as np

    return column[np.lexsort((ratings.rater, ratings.item))]


def items_with(selection: Selection, patterns: list[str], most: int) -> list[tuple[int, str]]:
    """(item of a round, pattern) of items that have one of these patterns, not more than `most` of each."""
    if not patterns:
        return []
    rows = judged_items(selection).filter(pattern__in=patterns).values_list("round_item", "pattern")
    seen: Counter[str] = Counter()
    found = []
    for round_item, pattern in rows.order_by("round_item").iterator():
        seen[pattern] += 1
        if seen[pattern] <= most:
            found.append((round_item, pattern))
    return found


def repeated_answers(selection: Selection) -> list[tuple[int, str, str, int]]:
    """(rater, first answer, answer when shown again, how often) from hidden repeats on settled items."""
    return counted(repeats(selection), "before", "again")


def repeats(selection: Selection) -> QuerySet[Any]:
    """Votes on hidden repeats, each with what was said `before` and `again`."""
    first = Assignment.objects.filter(
        round_item=OuterRef("current_of__round_item"), rater=OuterRef("rater"), repeat=0, state=SlotState.VOTED
    )
    repeats = Vote.objects.filter(current_of__round__in=selection.rounds, current_of__repeat__gt=0)
    if selection.is_narrowed:
        repeats = repeats.filter(current_of__round_item__in=chosen_items(selection))
    if selection.version:
        first = first.filter(vote__protocol=selection.version.pk)
        repeats = repeats.filter(protocol=selection.version.pk)
    return (
        settled_votes(repeats, slot="current_of")
        .order_by()
        .annotate(again=answer_to(selection), before=Subquery(first.values(said=answer_to(selection, "vote"))[:1]))
        .filter(again__isnull=False, before__isnull=False)
    )


def gold_answers(selection: Selection) -> list[tuple[int, str, str, int]]:
    """(rater, right answer, their answer, how often) from items whose answers are known."""
    return counted(golden(selection), "right", "said")


def golden(selection: Selection) -> QuerySet[Any]:
    """Votes on items whose answers are known, each with what is `right` and what was `said`."""
    gold = f"{selection.slot}__round_item__gold"
    right = KeyTextTransform(selection.question.key, gold)
    return (
        votes_on_chosen_items(selection)
        .filter(**{f"{gold}__isnull": False})
        .order_by()
        .annotate(right=right, said=answer_to(selection))
        .filter(right__isnull=False, said__isnull=False)
    )


def counted(votes: QuerySet[Any], first: str, second: str) -> list[tuple[int, str, str, int]]:
    rows = votes.values_list("rater", first, second).annotate(count=Count("pk"))
    return [(rater, one, other, count) for rater, one, other, count in rows]
