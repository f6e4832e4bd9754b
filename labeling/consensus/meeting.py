"""Meetings: a group in a call settles cases together, and the coordinator writes down who confirmed what aloud. The
events name the coordinator, and each confirmation says who entered it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from labeling.consensus import acting
from labeling.consensus.acting import Held, lock_case, note, require_seen, submitted_once
from labeling.consensus.deciding import (
    new_proposal,
    require_discussion,
    same_proposal,
    settle_if_agreed,
    stand_by,
    standing_proposal,
)
from labeling.consensus.models import Case, Proposal
from labeling.people.models import User
from labeling.refusals import Invalid


@dataclass(frozen=True)
class Said:
    """An answer, why, and the voters, by letter, who were there and confirmed it."""

    answers: object
    because: str
    letters: Collection[str]


@submitted_once
def enter_proposal(by: User, case_id: int, said: Said, *, submission: UUID, seen: int) -> Proposal:
    """What a group agreed on in a call becomes a proposal; final when all voters were there."""
    held = lock_case(by, case_id)
    if known := Proposal.objects.filter(submission=submission).first():
        return same_proposal(held, known)
    require_discussion(held)
    acting.require_coordinator(held, "write down what was said in a meeting")
    require_seen(held, seen)
    present = present_voters(held, said.letters)
    proposal = new_proposal(held, submission, said.answers, said.because)
    confirm_aloud(held, proposal, present)
    return proposal


@transaction.atomic
def enter_confirmations(by: User, case_id: int, proposal_id: int, *, letters: Collection[str], seen: int) -> Case:
    """The same for a proposal that is there already."""
    held = lock_case(by, case_id)
    require_discussion(held)
    acting.require_coordinator(held, "write down what was said in a meeting")
    require_seen(held, seen)
    confirm_aloud(held, standing_proposal(held, proposal_id), present_voters(held, letters))
    return held.case


def present_voters(held: Held, letters: Collection[str]) -> list[int]:
    """The letter is all that the page knows of them."""
    known = {letter: user for user, letter in held.names.letters.items() if user in held.voters}
    if not letters or not set(letters) <= set(known):
        raise Invalid("letters: mark at least one voter of this item who was there and confirmed it.")
    return [known[letter] for letter in letters]


def confirm_aloud(held: Held, proposal: Proposal, users: Collection[int]) -> None:
    stand_by(held, proposal, users, entered_by=held.by)
    note(held, acting.CONFIRMED_ALOUD, proposal=proposal.pk, voters=sorted(users))
    settle_if_agreed(held)
