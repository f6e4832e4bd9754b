"""Proposals and confirmations. Each act holds the case, so of two at once one comes first."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from labeling.annotation.protocols.answers import check_answers
from labeling.consensus import acting
from labeling.consensus.acting import Held, checked_text, lock_case, note, require_open, require_seen, submitted_once
from labeling.consensus.models import Case, CaseState, Confirmation, Decision, Proposal
from labeling.corpus.payloads import FieldError
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal

ENOUGH = 2
ALONE = "Only one person voted on this item, so nobody can agree with them: a coordinator hands it to an adjudicator."
BEFORE_AN_ADJUDICATOR = "This case is before an adjudicator. A coordinator can give it back to the voters."


@submitted_once
def propose(by: User, case_id: int, *, submission: UUID, answers: object, because: str = "") -> Proposal:
    """Puts an answer before the other voters; its author stands by it. The same answer as another's confirms that."""
    held = lock_case(by, case_id)
    if known := Proposal.objects.filter(submission=submission).first():
        return same_proposal(held, known)
    require_discussion(held)
    acting.require_voter(held, "propose an answer")
    proposal = new_proposal(held, submission, answers, because)
    stand_by(held, proposal, [by.pk])
    note(held, acting.PROPOSED, proposal=proposal.pk)
    settle_if_agreed(held)
    return proposal


def same_proposal(held: Held, known: Proposal) -> Proposal:
    if (known.case_id, known.author_id) != (held.case.pk, held.by.pk):
        raise Invalid(acting.USED_ELSEWHERE)
    return known


def new_proposal(held: Held, submission: UUID, answers: object, because: str) -> Proposal:
    return Proposal.objects.create(
        case=held.case,
        author=held.by,
        submission=submission,
        answers=checked_answers(held, answers),
        because=checked_text(because, "because"),
    )


def checked_answers(held: Held, answers: object) -> dict[str, Any]:
    try:
        return check_answers(held.case.round.protocol.codebook, answers)
    except FieldError as error:
        raise Invalid(str(error)) from error


def require_discussion(held: Held) -> None:
    require_open(held)
    if held.case.way != "discussion":
        raise Refusal(BEFORE_AN_ADJUDICATOR)
    if len(held.voters) < ENOUGH:
        raise Refusal(ALONE)


def stand_by(held: Held, proposal: Proposal, users: Collection[int], *, entered_by: User | None = None) -> None:
    for user in users:
        Confirmation.objects.update_or_create(
            case=held.case,
            user_id=user,
            defaults={"proposal": proposal, "entered_by": entered_by, "at": timezone.now()},
        )


@transaction.atomic
def confirm(by: User, case_id: int, proposal_id: int, *, seen: int) -> Case:
    """Stands by a proposal. That others confirmed it too since the actor looked is no reason to ask again."""
    held = lock_case(by, case_id)
    mine = Confirmation.objects.filter(case=held.case, user=held.by, proposal=proposal_id, entered_by=None)
    if mine.exists():
        return held.case  # sent twice, or from two tabs
    require_discussion(held)
    acting.require_voter(held, "confirm a proposal")
    proposal = standing_proposal(held, proposal_id)
    require_seen(held, seen, harmless=[acting.CONFIRMED])
    stand_by(held, proposal, [held.by.pk])
    note(held, acting.CONFIRMED, proposal=proposal.pk)
    settle_if_agreed(held)
    return held.case


def standing_proposal(held: Held, proposal_id: int) -> Proposal:
    proposal = Proposal.objects.filter(pk=proposal_id, case=held.case).first()
    if proposal is None:
        raise Invalid("proposal: there is no such proposal in this case.")
    if not proposal.confirmations.exists():
        raise Refusal("Nobody stands by this proposal any more: it was withdrawn. Somebody can propose it anew.")
    return proposal


@transaction.atomic
def withdraw(by: User, case_id: int) -> Case:
    """Takes back what one stood by. A proposal that nobody stands by is withdrawn itself."""
    held = lock_case(by, case_id)
    require_open(held)
    acting.require_voter(held, "withdraw from a proposal")
    mine = Confirmation.objects.filter(case=held.case, user=held.by).first()
    if mine is None:
        return held.case
    mine.delete()
    note(held, acting.WITHDREW, proposal=mine.proposal_id)
    return held.case


def settle_if_agreed(held: Held) -> None:
    """Final when every voter stands by the same answer, be it in one proposal or in several."""
    found = held.case.confirmations.filter(user__in=held.voters).select_related("proposal").order_by("proposal_id")
    proposals = [confirmation.proposal for confirmation in found]
    if len(proposals) < len(held.voters) or any(one.answers != proposals[0].answers for one in proposals):
        return
    reasons = dict.fromkeys(one.because for one in proposals if one.because)
    settle(held, answers=proposals[0].answers, rationale="\n\n".join(reasons), proposal=proposals[0])
    note(held, acting.AGREED, decision=held.case.decision_id)


def settle(held: Held, **fields: Any) -> None:
    case = held.case
    number = case.decisions.count() + 1
    case.decision = Decision.objects.create(case=case, number=number, made_by=held.by, voted=case.voted, **fields)
    case.state = CaseState.DECIDED
