"""How a round stands, for its coordinator: counts that are kept (ADR 8) and lists of bounded length. Nothing here
says what was voted; a flag and a reason for skipping are words to the coordinator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import zip_longest
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from labeling.annotation.models import Assignment, Rater, Round, SlotState
from labeling.annotation.rounds.changing import stale_assignments
from labeling.annotation.rounds.listing import (
    bounded_count,
    flagged_entry,
    flagged_votes,
    hide_flags,
    picked_votes,
    skipped_entry,
    skipped_slots,
)
from labeling.annotation.rounds.pacing import estimate, estimate_together, recent_pace
from labeling.people.links import public_url
from labeling.people.models import Membership, Role, User

SHOWN = 20


def round_status(round: Round) -> dict[str, Any]:
    """All that a monitor shows, as JSON takes it, by a number of queries that does not grow with the round."""
    raters = raters_of(round)
    return {
        "id": round.pk,
        "name": round.name,
        "state": round.state,
        "handing": round.handing,
        "seed": round.seed,
        "protocol": {"name": round.protocol.protocol.name, "version": round.protocol.number},
        **progress(round, raters),
        "annotators": [annotator_status(rater, round, raters) for rater in raters],
        "stale_leases": bounded_count(Assignment.objects.open().filter(round=round, lease_until__lt=timezone.now())),
        "stale_votes": bounded_count(stale_assignments(round)),
        "skipped": listed(skipped_slots(round), skipped_entry),
        "flagged": listed(flagged_votes(round), flagged_entry),
        "picked": bounded_count(picked_votes(round)),
        "warnings": list(warnings(round, raters)),
    }


def veiled(status: dict[str, Any], round: Round, *, to: User) -> dict[str, Any]:
    """For a coordinator who judges in the round too: without what others say of items still before them."""
    hide_flags(status["flagged"]["shown"], round, from_=to)
    return status


def raters_of(round: Round) -> list[Rater]:
    """With the number of items that each has open, and whether they still are annotators of the project."""
    opened = Assignment.objects.open().filter(rater=OuterRef("pk"), held_at__isnull=False)
    counted = opened.order_by().values("rater").annotate(count=Count("pk")).values("count")
    member = Membership.objects.filter(project=round.project_id, user=OuterRef("user"), role=Role.ANNOTATOR)
    raters = round.raters.select_related("user").order_by("number")
    return list(raters.annotate(opened=counted, is_member=Exists(member)))


def progress(round: Round, raters: list[Rater]) -> dict[str, Any]:
    reached = [sum(column) for column in zip_longest(*(rater.tally for rater in raters), fillvalue=0)]
    with_at_least = [round.item_count, *reached]
    left = round.votes_due - sum(reached)
    hour_ago = timezone.now() - timedelta(hours=1)
    lately = Assignment.objects.filter(rater__in=raters, state=SlotState.VOTED, voted_at__gte=hour_ago)
    return {
        "items": {
            "total": round.item_count,
            "complete": sum(rater.completions for rater in raters),
            "by_votes": [here - next_ for here, next_ in zip_longest(with_at_least, with_at_least[1:], fillvalue=0)],
        },
        "votes": {"wanted": round.votes_due, "cast": sum(reached), "left": left, "last_hour": bounded_count(lately)},
        "time_left": estimate_together(left, raters).as_dict(),
    }


def annotator_status(rater: Rater, round: Round, raters: list[Rater]) -> dict[str, Any]:
    left = share_left(rater, round, raters)
    return {
        "id": rater.pk,
        "name": rater.user.name,
        "email": rater.user.email,
        "votes": rater.votes,
        "repeats": rater.repeats,
        "skips": rater.skips,
        "held": vars(rater)["opened"] or 0,
        "left": left,
        "seconds_per_item": recent_pace(rater),
        "time_left": estimate(left, rater).as_dict(),
        "last_seen": rater.seen_at.isoformat() if rater.seen_at else None,
        "left_at": rater.left_at.isoformat() if rater.left_at else None,
        "is_annotator": vars(rater)["is_member"],
    }


def share_left(rater: Rater, round: Round, raters: list[Rater]) -> int:
    """What is left for one person: exact where everybody judges everything, else if all who take part do alike."""
    if rater.left_at:
        return 0
    unmet = round.item_count - rater.votes
    if round.votes_wanted is None:
        return unmet
    active = sum(other.left_at is None for other in raters)
    left = round.votes_due - sum(other.votes for other in raters)
    return min(unmet, -(-left // active))


def warnings(round: Round, raters: list[Rater]) -> Iterator[str]:
    active = [rater for rater in raters if rater.left_at is None]
    if round.votes_wanted is not None and len(active) < round.votes_wanted:
        yield (
            f"Each item wants {round.votes_wanted} votes, and {len(active)} annotators take part: "
            "let in another, or some items will never be complete."
        )
    for rater in active:
        if not vars(rater)["is_member"]:
            yield f"{rater} is no longer an annotator of the project and cannot vote: take them out of the round."


def listed(rows: QuerySet[Any], entry: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    return {"total": bounded_count(rows), "shown": [entry(row) for row in rows[:SHOWN]]}


def reminder_text(rater: Rater) -> str:
    """To be copied into a message: what waits for this person, and where."""
    round = rater.round
    left = share_left(rater, round, list(round.raters.all()))
    done = f"You have judged {rater.votes:,} so far" if rater.votes else "You have not judged any yet"
    about = "" if round.votes_wanted is None else "about "
    place = public_url("overview:home", round.project.slug)
    return (
        f"Hello {rater.user.name},\n\n"
        f"in the round “{round.name}” of {round.project.name} {about}{left:,} items still wait for your judgement. "
        f"{done}; your votes are kept, and you can go on where you stopped:\n\n{place}\n"
    )
