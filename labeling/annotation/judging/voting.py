"""Casting, revising and skipping. A submission is stored once however often it is sent; a vote is never changed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.http import Http404
from django.utils import timezone

from labeling.annotation.judging.claiming import renew_lease
from labeling.annotation.models import Assignment, Draft, Rater, RoundItem, Skip, SlotState, Vote
from labeling.annotation.protocols.answers import check_answers
from labeling.annotation.visibility import independent_phase_is_over
from labeling.corpus.payloads import FieldError, described
from labeling.people.access import require_current
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal

LONGEST_NOTE = 10_000
LONGEST_REASON = 300
LONGEST_DRAFT = 60_000
LONGEST_SITTING = 30 * 24 * 3600.0
CLOCKS = ["wall", "active", "idle"]


@dataclass(frozen=True)
class Ballot:
    """What a rater sends: their answers under a version of the protocol, and what goes with them."""

    submission: UUID
    answers: object
    version: int | None = None  # None: whatever is in force
    note: str = ""
    flag: str = ""
    revises: int = 0  # the revision that this one replaces; 0 is a first vote
    timing: Mapping[str, float] = field(default_factory=dict)


@transaction.atomic
def cast_vote(user: User, assignment_id: int, ballot: Ballot) -> Vote:
    """Stores the vote, or returns the one that this submission made before."""
    rater, assignment = lock_assignment(user, assignment_id)
    if known := Vote.objects.filter(submission=ballot.submission).first():
        return same_vote(known, assignment)
    require_mine(assignment, rater)
    require_open(assignment)
    version = assignment.round.protocol
    if ballot.version is not None and ballot.version != version.number:
        raise Refusal(
            f"The protocol is at version {version.number} now, and this was answered under version {ballot.version}. "
            "Your answers are kept as a draft: look at the new version and send them again."
        )
    try:
        answers = check_answers(version.codebook, ballot.answers)
        note, flag = check_text(ballot.note, "note", LONGEST_NOTE), check_text(ballot.flag, "flag", LONGEST_REASON)
        times = check_timing(ballot.timing)
    except FieldError as error:
        raise Invalid(str(error)) from error
    if assignment.vote and ballot.revises != assignment.vote.revision:
        return repeated_vote(assignment.vote, answers)
    if assignment.vote and not may_revise(assignment):
        raise Refusal("All votes on this item are in, so yours can no longer be revised here.")
    vote = Vote.objects.create(
        assignment=assignment,
        rater=rater,
        revision=next_revision(assignment),
        submission=ballot.submission,
        protocol=version,
        answers=answers,
        note=note,
        flag=flag,
        **times,
    )
    settle(assignment, rater, vote)
    return vote


def lock_assignment(user: User, assignment_id: int) -> tuple[Rater, Assignment]:
    """Takes the rater's lock first, as everything in a round does; what lies in a round that is not theirs is 404."""
    rater = Rater.objects.select_for_update(of=("self",)).filter(round__assignments=assignment_id, user=user).first()
    if rater is None:
        raise Http404
    chain = ("round__protocol", "round__project", "round_item", "vote")
    return rater, Assignment.objects.select_related(*chain).get(pk=assignment_id)


def same_vote(known: Vote, assignment: Assignment) -> Vote:
    if known.assignment_id != assignment.pk:
        raise Invalid("submission: this id was used for another item. Each submission needs an id of its own.")
    return known


def require_mine(assignment: Assignment, rater: Rater) -> None:
    if assignment.rater_id != rater.pk or rater.left_at:
        raise Refusal("Your hold on this item ran out, and somebody else may have it now. What you wrote is kept.")


def require_open(assignment: Assignment) -> None:
    require_current(assignment.round.project)
    if not assignment.round.is_open:
        raise Refusal(f"{assignment.round} is closed: no vote can be cast in it. What you wrote is kept.")


def may_revise(assignment: Assignment) -> bool:
    """Until the independent phase is over; a repeat, which nobody else votes on, as long as the round is open."""
    if not assignment.round.is_open:
        return False
    return bool(assignment.repeat) or not independent_phase_is_over(assignment.round_item, assignment.round)


def repeated_vote(vote: Vote, answers: dict[str, Any]) -> Vote:
    """The same answers from a second tab are the same vote; other ones must say that they revise it."""
    if vote.answers == answers:
        return vote
    raise Refusal(
        "You have already voted on this item, perhaps in another tab, and differently. "
        "Open it again to see that vote and revise it."
    )


def next_revision(assignment: Assignment) -> int:
    last = assignment.votes.order_by("-revision").values_list("revision", flat=True).first()
    return (last or 0) + 1


def settle(assignment: Assignment, rater: Rater, vote: Vote) -> None:
    """Makes it the assignment's vote; a first one also counts for its item and its rater."""
    is_first = assignment.vote is None
    assignment.vote, assignment.state, assignment.lease_until = vote, SlotState.VOTED, None
    assignment.voted_at = assignment.voted_at or vote.cast_at
    assignment.save(update_fields=["vote", "state", "lease_until", "voted_at"])
    Draft.objects.filter(rater=rater, round_item=assignment.round_item_id, repeat=assignment.repeat).delete()
    if is_first:
        count_vote(assignment, rater, vote)


def count_vote(assignment: Assignment, rater: Rater, vote: Vote) -> None:
    if not assignment.repeat:
        RoundItem.objects.filter(pk=assignment.round_item_id).update(votes=F("votes") + 1)  # locks it until the end
        nth, wanted = RoundItem.objects.values_list("votes", "wanted").get(pk=assignment.round_item_id)
        rater.tally = [*rater.tally, *[0] * (nth - len(rater.tally))]
        rater.tally[nth - 1] += 1
        rater.completions += nth == wanted
    if vote.active_seconds is not None:
        rater.active_seconds += vote.active_seconds
        rater.timed += 1
    rater.seen_at = vote.cast_at
    rater.save(update_fields=["tally", "completions", "active_seconds", "timed", "seen_at"])


@transaction.atomic
def skip(user: User, assignment_id: int, *, reason: str) -> Assignment:
    """Passes over an item; it stays among the rater's skipped ones until somebody else takes it."""
    rater, assignment = lock_assignment(user, assignment_id)
    require_mine(assignment, rater)
    require_open(assignment)
    if assignment.state == SlotState.SKIPPED:
        return assignment
    if assignment.vote:
        raise Refusal("You have voted on this item, so it cannot be skipped.")
    try:
        reason = check_text(reason, "reason", LONGEST_REASON).strip()
    except FieldError as error:
        raise Invalid(str(error)) from error
    if not reason:
        raise Invalid("reason: say in a few words why you skip it.")
    Skip.objects.create(assignment=assignment, rater=rater, reason=reason)
    assignment.state, assignment.lease_until = SlotState.SKIPPED, None
    assignment.save(update_fields=["state", "lease_until"])
    Rater.objects.filter(pk=rater.pk).update(skips=F("skips") + 1, seen_at=timezone.now())
    return assignment


@transaction.atomic
def save_draft(user: User, assignment_id: int, content: object) -> Draft:
    """Keeps what is typed so far, as it is, and renews the lease."""
    rater, assignment = lock_assignment(user, assignment_id)
    mine: dict[str, Any] = {"rater": rater, "round_item_id": assignment.round_item_id, "repeat": assignment.repeat}
    if assignment.rater_id != rater.pk and not Draft.objects.filter(**mine).exists():
        raise Http404
    require_current(assignment.round.project)
    if not isinstance(content, dict) or not set(content) <= {"answers", "note", "flag", "timing"}:
        raise Invalid(f"draft: must be an object with answers, note, flag and timing, not {described(content)}.")
    text = json.dumps(content)
    if len(text) > LONGEST_DRAFT or "\\u0000" in text:
        raise Invalid(f"draft: must have at most {LONGEST_DRAFT:,} characters, and none of them NUL.")
    draft, _ = Draft.objects.update_or_create(**mine, defaults={"content": content, "saved_at": timezone.now()})
    renew_lease(assignment)
    return draft


def check_text(text: object, name: str, longest: int) -> str:
    if not isinstance(text, str):
        raise FieldError(name, f"must be text, not {described(text)}")
    if "\x00" in text:
        raise FieldError(name, "contains a NUL character")
    if len(text) > longest:
        raise FieldError(name, f"has {len(text):,} characters; at most {longest:,} are taken")
    return text


def check_timing(timing: object) -> dict[str, float]:
    """Seconds by three clocks, or none at all. Active and idle time lie within the wall time; a second is forgiven."""
    if not timing:
        return {}
    if not isinstance(timing, Mapping) or set(timing) != set(CLOCKS):
        raise FieldError("timing", f"must have {', '.join(CLOCKS)}, in seconds")
    for name, value in timing.items():
        fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not fits or not 0 <= value <= LONGEST_SITTING:
            raise FieldError(f"timing.{name}", f"must be seconds between 0 and {LONGEST_SITTING:,.0f}")
    if timing["active"] + timing["idle"] > timing["wall"] + 1:
        raise FieldError("timing", "active and idle time together are longer than the wall time")
    return {f"{name}_seconds": float(timing[name]) for name in CLOCKS}
