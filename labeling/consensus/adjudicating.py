"""Adjudication, and what a coordinator does to a case: hand it over, give it back, open it again."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from labeling.consensus import acting
from labeling.consensus.acting import Held, checked_text, lock_case, note, require_open, require_seen, submitted_once
from labeling.consensus.dealing import Deal, adjudicators
from labeling.consensus.deciding import checked_answers, settle
from labeling.consensus.models import Case, CaseState, Decision
from labeling.consensus.routing import HANDED_BACK, HANDED_OVER, rule_of
from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal


@dataclass(frozen=True)
class Verdict:
    """What an adjudicator says: an answer, or that no option fits; why; and what the guideline leaves unclear."""

    rationale: str
    answers: object = None
    rejected: bool = False
    unclear: str = ""


@submitted_once
def decide(by: User, case_id: int, verdict: Verdict, *, submission: UUID, seen: int) -> Decision:
    """One person who did not vote on the item decides alone."""
    held = lock_case(by, case_id)
    if known := Decision.objects.filter(submission=submission).first():
        if (known.case_id, known.made_by_id) != (case_id, by.pk):
            raise Invalid(acting.USED_ELSEWHERE)
        return known
    require_adjudicator(held)
    require_open(held)
    require_seen(held, seen)
    rationale = checked_text(verdict.rationale, "rationale")
    if not rationale:
        raise Invalid("rationale: say why you decide so. Those whose vote differs will read it.")
    answers = {} if verdict.rejected else checked_answers(held, verdict.answers)
    unclear = checked_text(verdict.unclear, "unclear")
    settle(
        held, submission=submission, answers=answers, rejected=verdict.rejected, rationale=rationale, unclear=unclear
    )
    note(held, acting.DECIDED, decision=held.case.decision_id)
    decision = held.case.decision
    assert decision is not None  # noqa: S101 (it was just made)
    return decision


def require_adjudicator(held: Held) -> None:
    if held.by.pk in held.voters:
        raise Refusal("You voted on this item, so you cannot decide its case.")
    if not held.is_adjudicator:
        raise Refusal("This case is not before you: only the adjudicator it was given to decides it.")


@transaction.atomic
def hand_over(by: User, case_id: int, adjudicator_id: int | None, *, seen: int) -> Case:
    """To an adjudicator who did not vote on it: the one named, else one of those with the fewest cases."""
    held = lock_case(by, case_id)
    acting.require_coordinator(held, "hand a case over")
    require_open(held)
    require_seen(held, seen)
    chosen = adjudicator_id or Deal(rule_of(held.case.round), [held.case]).pick(held.case)
    if chosen is None:
        raise Refusal("No adjudicator of this project is free of a vote on this item. Invite one first.")
    if chosen in held.voters:
        raise Refusal("This person voted on the item, so they cannot decide its case.")
    if chosen not in adjudicators(held.case.round.project_id):
        raise Invalid("adjudicator: must be an adjudicator of this project.")
    held.case.way, held.case.adjudicator_id = "adjudicator", chosen
    held.case.confirmations.all().delete()
    note(held, HANDED_OVER)
    tell(held, "handed over the case of")
    return held.case


@transaction.atomic
def hand_back(by: User, case_id: int, *, seen: int) -> Case:
    """From the adjudicator to those who voted."""
    held = lock_case(by, case_id)
    acting.require_coordinator(held, "give a case back to the voters")
    require_open(held)
    require_seen(held, seen)
    if held.case.way == "discussion":
        return held.case
    held.case.way, held.case.adjudicator = "discussion", None
    note(held, HANDED_BACK)
    tell(held, "gave to its voters the case of")
    return held.case


@transaction.atomic
def reopen(by: User, case_id: int, *, reason: str, seen: int) -> Case:
    """Takes a decision out of force. It stays in the history, and everybody says anew what they stand by."""
    held = lock_case(by, case_id)
    acting.require_coordinator(held, "open a case again")
    acting.require_settled_votes(held)
    if held.case.state != CaseState.DECIDED:
        raise Refusal("Only a decided case can be opened again.")
    require_seen(held, seen)
    reason = checked_text(reason, "reason", longest=1000)
    if not reason:
        raise Invalid("reason: say why the decision does not stand.")
    held.case.state, held.case.decision, held.case.opened_at = CaseState.OPEN, None, timezone.now()
    held.case.confirmations.all().delete()
    note(held, acting.REOPENED, reason=reason)
    tell(held, "opened again the case of", reason=reason)
    return held.case


def tell(held: Held, verb: str, **details: str) -> None:
    record(held.case.round.project, by=held.by, verb=verb, subject=held.item.item.title, **details)
