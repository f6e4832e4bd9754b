"""Casting, revising and skipping. A submission is stored once however often it is sent; a vote is never changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Subquery, UUIDField
from django.db.models.functions import Coalesce
from django.http import Http404
from django.utils import timezone

from labeling.annotation.judging.ballots import (
    LONGEST_NOTE,
    LONGEST_REASON,
    Ballot,
    check_text,
    check_timing,
    possible_times,
)
from labeling.annotation.judging.claiming import DESIGN, STANDING, opened_by, planned_for
from labeling.annotation.judging.picking import check_picked
from labeling.annotation.models import (
    Assignment,
    AssignmentQuerySet,
    Draft,
    Rater,
    RoundItem,
    Skip,
    SlotState,
    Vote,
)
from labeling.annotation.protocols.answers import check_answers
from labeling.annotation.visibility import independent_phase_is_over
from labeling.corpus.payloads import FieldError
from labeling.people.access import require_current
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from labeling.statements import Given, NextNumber, Statement, insert, update, writing_along

NOT_YOURS = "You do not hold this item: your hold on it ran out, or it was given to somebody else."
RECENT = 20
NONE = UUID(int=0)
USED_ELSEWHERE = "submission: this id was used for another item. Each submission needs an id of its own."


def cast_vote(user: User, assignment_id: int, ballot: Ballot) -> Vote:
    """Stores the vote, or returns the one that this submission made before."""
    with used_here(ballot.submission), writing_along():
        return store_vote(lock_assignment(user, assignment_id, submission=ballot.submission), ballot)


@contextmanager
def used_here(submission: UUID) -> Iterator[None]:
    try:
        yield
    except IntegrityError as error:  # two people cannot wait for each other's lock, so only the index sees this
        if Vote.objects.filter(submission=submission).exists():
            raise Invalid(USED_ELSEWHERE) from error
        raise


def store_vote(held: Held, ballot: Ballot) -> Vote:
    rater, assignment = held.rater, held.assignment
    if held.known is not None:
        return same_vote(held, Vote.objects.select_related("protocol").get(pk=held.known))
    require_mine(held)
    require_open(assignment)
    version = assignment.round.protocol  # in use since the round was planned, so it is as it was then
    if ballot.version is not None and ballot.version != version.number:
        raise Refusal(
            f"The protocol is at version {version.number} now, and this was answered under version {ballot.version}. "
            "Your answers are kept as a draft: look at the new version and send them again."
        )
    try:
        answers = check_answers(version.kept.codebook, ballot.answers)
        note, flag = check_text(ballot.note, "note", LONGEST_NOTE), check_text(ballot.flag, "flag", LONGEST_REASON)
        picked = check_picked(ballot.picked, assignment)
        times = possible_times(check_timing(ballot.timing), assignment)
    except FieldError as error:
        raise Invalid(str(error)) from error
    vote = Vote(
        pk=held.number,
        assignment=assignment,
        rater=rater,
        revision=held.revisions + 1,
        submission=ballot.submission,
        protocol=version,
        answers=answers,
        note=note,
        flag=flag,
        picked=picked,
        **times,
    )
    if assignment.vote and ballot.revises != assignment.vote.revision:
        return repeated_vote(assignment.vote, vote)
    if assignment.vote and not may_revise(assignment):
        raise Refusal("All votes on this item are in, so yours can no longer be revised here.")
    insert(vote)
    settle(held, vote)
    return vote


@dataclass(frozen=True)
class Held:
    """A slot under lock, and what is known of it."""

    rater: Rater
    assignment: Assignment
    revisions: int
    has_draft: bool
    known: int | None  # the vote that this submission made before
    number: int | None  # that of a vote to come, where the database tells it beforehand
    has_planned: bool  # whether more was given to the rater beforehand
    has_opened: bool  # whether they have another before them


def lock_assignment(user: User, assignment_id: int, *, submission: UUID = NONE) -> Held:
    """Takes the rater's lock first, as everything in a round does; what lies in a round that is not theirs is 404."""
    rater = OWN_RATER.first(user=user.pk, assignment=assignment_id)
    if rater is None:
        raise Http404
    (found,) = SLOT.all(rater=rater.pk, assignment=assignment_id, submission=submission)
    return Held(rater, found, **{name: vars(found)[name] for name in NOTED})


NOTED = ("revisions", "has_draft", "known", "number", "has_planned", "has_opened")


def slot() -> AssignmentQuerySet:
    """With its item: the votes on it are counted, and their order is that of their times, one after the other."""
    drafts = Draft.objects.filter(rater=Given("rater"), round_item=OuterRef("round_item"), repeat=OuterRef("repeat"))
    revisions = Vote.objects.filter(assignment=OuterRef("pk")).order_by("-revision").values("revision")
    known = Vote.objects.filter(submission=Given("submission", UUIDField())).values("pk")
    slots = Assignment.objects.select_related("round__project", "round__protocol", "round_item").annotate(
        has_draft=Exists(drafts),
        revisions=Coalesce(Subquery(revisions[:1]), 0),
        known=Subquery(known[:1]),
        number=NextNumber(Vote),
        has_planned=Exists(planned_for(Given("rater"))),
        has_opened=Exists(opened_by(Given("rater")).exclude(pk=OuterRef("pk"))),
    )
    return slots.only(*LOOKED_AT).filter(pk=Given("assignment")).select_for_update(of=("self", "round_item"))


# Every column costs its share of every vote. What is seldom asked for is read when it is.
LOOKED_AT = [
    *("round", "round_item", "repeat", "rater", "state", "held_at", "lease_until", "vote", "voted_at"),
    *(f"round__{name}" for name in DESIGN),
    *("round__project__slug", "round__project__archived_at"),
    *("round_item__wanted", "round_item__votes", "round_item__routed_at", "round_item__revealed_at"),
]
OWN_RATER = Statement(
    lambda: (
        Rater.objects.of(Given("user"))
        .filter(round__assignments__pk=Given("assignment"))
        .only(*STANDING, "left_at", "completions", "recent")
        .select_for_update(of=("self",))[:1]
    )
)
SLOT = Statement(slot)


def same_vote(held: Held, vote: Vote) -> Vote:
    if vote.assignment_id != held.assignment.pk or vote.rater_id != held.rater.pk:
        raise Invalid(USED_ELSEWHERE)
    return vote


def require_mine(held: Held) -> None:
    if held.assignment.rater_id != held.rater.pk or held.rater.left_at:
        raise Refusal(NOT_YOURS + (" What you wrote is kept." if held.has_draft else ""))


def require_open(assignment: Assignment) -> None:
    require_current(assignment.round.project)
    if not assignment.round.is_open:
        raise Refusal(f"{assignment.round} is closed: no vote can be cast in it. What you wrote is kept.")


def may_revise(assignment: Assignment) -> bool:
    """Until the others' votes can be seen; a repeat, which nobody else votes on, as long as the round is open."""
    if not assignment.round.is_open:
        return False
    if assignment.round_item.revealed_at and not assignment.repeat:
        return False
    return bool(assignment.repeat) or not independent_phase_is_over(assignment.round_item, assignment.round)


def repeated_vote(vote: Vote, again: Vote) -> Vote:
    """The same from a second tab is the same vote; another one must say that it revises it."""
    if all(getattr(vote, name) == getattr(again, name) for name in ("answers", "note", "flag", "picked")):
        return vote
    raise Refusal(
        "You have already voted on this item, perhaps in another tab, and differently. "
        "Open it again to see that vote and revise it."
    )


def settle(held: Held, vote: Vote) -> None:
    """Makes it the assignment's vote; a first one also counts for its item and its rater."""
    assignment = held.assignment
    is_first = assignment.vote is None
    assignment.vote, assignment.state, assignment.lease_until = vote, SlotState.VOTED, None
    assignment.voted_at = assignment.voted_at or vote.cast_at
    update(assignment, "vote", "state", "lease_until", "voted_at")
    if is_first:
        count_vote(assignment, held.rater, vote)
    if held.has_draft:
        Draft.objects.filter(rater=held.rater, round_item=assignment.round_item_id, repeat=assignment.repeat).delete()
    if is_first:
        return
    if assignment.repeat:
        mark_revised(held.rater, vote)
    elif assignment.round_item.routed_at:
        RoundItem.objects.filter(pk=assignment.round_item_id).update(routed_at=None)


def mark_revised(rater: Rater, vote: Vote) -> None:
    """A repeat can be revised when its item is settled, and no count changes: the mark tells that figures may have."""
    *earlier, (when, seconds, *_) = rater.recent
    rater.recent = [*earlier, [when, seconds, vote.pk]]
    rater.save(update_fields=["recent"])


def count_vote(assignment: Assignment, rater: Rater, vote: Vote) -> None:
    if not assignment.repeat:
        item = assignment.round_item
        item.votes, item.routed_at = item.votes + 1, None
        update(item, "votes", "routed_at")
        rater.tally = [*rater.tally, *[0] * (item.votes - len(rater.tally))]
        rater.tally[item.votes - 1] += 1
        rater.completions += item.is_complete
    rater.recent = [*rater.recent, [round(vote.cast_at.timestamp()), vote.active_seconds]][-RECENT:]
    rater.seen_at = vote.cast_at
    update(rater, "tally", "completions", "recent", "seen_at")


@transaction.atomic
def skip(user: User, assignment_id: int, *, reason: str) -> Assignment:
    """Passes over an item; it stays among the rater's skipped ones until somebody else takes it."""
    held = lock_assignment(user, assignment_id)
    rater, assignment = held.rater, held.assignment
    require_mine(held)
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
