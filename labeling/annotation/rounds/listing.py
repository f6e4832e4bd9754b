"""Items of a round by their state, in pages. Who has which slot is shown; what was voted is not, but for comments that
were picked, and those only when all votes on the item are in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db.models import F, Model, OuterRef, Q, QuerySet, Subquery

from labeling.amounts import Amount
from labeling.annotation.models import Assignment, Rater, Round, RoundItem, Skip, SlotState, Vote
from labeling.annotation.rounds.changing import stale_assignments
from labeling.annotation.visibility import settled_votes
from labeling.people.models import User
from labeling.refusals import Invalid

PAGE = 50
MOST_COUNTED = 10_000
SHOWN_WORDS = 120
STARTED = {
    "untouched": Q(votes=0),
    "in_progress": Q(votes__gt=0, votes__lt=F("wanted")),
    "complete": Q(votes__gte=F("wanted")),
}
STATES = [*STARTED, "skipped", "flagged", "stale", "picked"]
Row = TypeVar("Row", bound=Model)
Entry = dict[str, Any]


@dataclass(frozen=True)
class StatePage:
    """One page of a round's items in one state; `next_after` leads to the next."""

    items: list[Entry]
    next_after: int | None


def items_by_state(round: Round, state: str, after: int = 0) -> StatePage:
    if state == "skipped":
        slots = page_of(skipped_slots(round).filter(pk__gt=after).order_by("pk"), lambda slot: slot.pk, skipped_entry)
        return with_slots(round, *slots)
    if state == "flagged":
        votes = page_of(flagged_votes(round).filter(pk__gt=after).order_by("pk"), lambda vote: vote.pk, flagged_entry)
        return with_slots(round, *votes)
    if state == "stale":
        votes = page_of(stale_votes(round).filter(pk__gt=after).order_by("pk"), lambda slot: slot.pk, stale_entry)
        return with_slots(round, *votes)
    if state == "picked":
        votes = page_of(picked_votes(round).filter(pk__gt=after).order_by("pk"), lambda vote: vote.pk, picked_entry)
        return with_slots(round, *votes)
    if state not in STARTED:
        raise Invalid(f"state: must be one of {', '.join(STATES)}, not “{state[:40]}”.")
    rows = round.items.filter(STARTED[state], position__gte=after).select_related("item").defer("item__payload")
    return with_slots(round, *page_of(rows.order_by("position"), lambda row: row.position + 1, item_entry))


def page_of(
    rows: QuerySet[Row], cursor: Callable[[Row], int], entry: Callable[[Row], Entry]
) -> tuple[list[Entry], int | None]:
    found = list(rows[: PAGE + 1])
    return [entry(row) for row in found[:PAGE]], cursor(found[PAGE - 1]) if len(found) > PAGE else None


def with_slots(round: Round, entries: list[Entry], next_after: int | None) -> StatePage:
    slots: dict[int, list[Entry]] = defaultdict(list)
    items = [entry["item"] for entry in entries]
    rows = Assignment.objects.filter(round_item__round=round, round_item__item__in=items, repeat=0).order_by("slot")
    for item, state, name in rows.values_list("round_item__item", "state", "rater__user__name"):
        slots[item].append({"state": state, "annotator": name})
    return StatePage([{**entry, "slots": slots[entry["item"]]} for entry in entries], next_after)


def item_entry(row: RoundItem) -> Entry:
    return {
        "item": row.item_id,
        "key": row.item.key,
        "title": row.item.title,
        "position": row.position,
        "votes": row.votes,
        "wanted": row.wanted,
    }


def skipped_slots(round: Round) -> QuerySet[Assignment]:
    last = Skip.objects.filter(assignment=OuterRef("pk")).order_by("-pk")
    slots = Assignment.objects.filter(round=round, state=SlotState.SKIPPED).select_related(
        "round_item__item", "rater__user"
    )
    slots = slots.defer("round_item__item__payload").order_by("-pk")
    return slots.annotate(reason=Subquery(last.values("reason")[:1]), skipped_at=Subquery(last.values("at")[:1]))


def skipped_entry(slot: Assignment) -> Entry:
    said = {"reason": vars(slot)["reason"], "at": vars(slot)["skipped_at"].isoformat()}
    return {**item_entry(slot.round_item), "assignment": slot.pk, "annotator": str(slot.rater), **said}


def flagged_votes(round: Round) -> QuerySet[Vote]:
    """Those in force with a flag; an earlier revision's flag is history."""
    votes = Vote.objects.filter(rater__in=round.raters.all(), current_of__isnull=False).exclude(flag="").order_by("-pk")
    votes = votes.select_related("assignment__round_item__item", "rater__user")
    return votes.defer("assignment__round_item__item__payload", "answers")


def flagged_entry(vote: Vote) -> Entry:
    said = {"reason": vote.flag, "flag": vote.flag, "at": vote.cast_at.isoformat()}
    row = vote.assignment.round_item
    return {**item_entry(row), "assignment": vote.assignment_id, "annotator": str(vote.rater), **said}


def hide_flags(entries: list[Entry], round: Round, *, from_: User) -> None:
    """Takes the reasons of flags from one who still has to judge the items: a reason may tell a vote."""
    if not any("flag" in entry for entry in entries):
        return
    rater = Rater.objects.active().filter(round=round, user=from_).first()
    if rater is None:
        return
    items = [entry["item"] for entry in entries]
    judged = set(
        rater.assignments.filter(state=SlotState.VOTED, round_item__item__in=items).values_list(
            "round_item__item", flat=True
        )
    )
    for entry in entries:
        if entry["item"] not in judged:
            entry["reason"] = entry["flag"] = "hidden until you have judged the item"
            entry["annotator"] = "–"


def stale_votes(round: Round) -> QuerySet[Assignment]:
    """Whose vote in force was cast under another version than the round asks by."""
    stale = stale_assignments(round).select_related("round_item__item", "rater__user", "vote__protocol")
    return stale.defer("round_item__item__payload", "vote__answers", "vote__protocol__content")


def stale_entry(slot: Assignment) -> Entry:
    vote = slot.vote
    said = {"reason": f"cast under version {vote.protocol.number}", "at": vote.cast_at.isoformat()} if vote else {}
    return {**item_entry(slot.round_item), "assignment": slot.pk, "annotator": str(slot.rater), **said}


def picked_votes(round: Round) -> QuerySet[Vote]:
    """Those in force that picked another comment than the linked one, on items whose independent phase is over."""
    picks = Vote.objects.filter(rater__in=round.raters.all(), current_of__isnull=False, picked__isnull=False)
    votes = settled_votes(picks.filter(assignment__repeat=0)).order_by("-pk")
    return votes.select_related("assignment__round_item__item", "rater__user").defer("answers")


def picked_entry(vote: Vote) -> Entry:
    row = vote.assignment.round_item
    comment = row.item.payload["thread"][vote.picked]
    words = " ".join(comment["body"].split())[:SHOWN_WORDS]
    reason = f"comment {(vote.picked or 0) + 1}, by {comment.get('author') or 'a deleted account'}: {words}"
    said = {"picked": vote.picked, "reason": reason, "at": vote.cast_at.isoformat()}
    return {**item_entry(row), "assignment": vote.assignment_id, "annotator": str(vote.rater), **said}


def bounded_count(rows: QuerySet[Any]) -> int:
    """How many there are; one more than `MOST_COUNTED` when there are more than we count."""
    return Amount.of(rows, MOST_COUNTED).found
