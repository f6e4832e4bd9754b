"""What every act on a case begins and ends with: the lock, the refusals, and the event."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

from django.db import IntegrityError, transaction
from django.http import Http404

from labeling.annotation.judging.ballots import check_text
from labeling.annotation.models import RoundItem
from labeling.annotation.visibility import independent_phase_is_over
from labeling.consensus.dealing import voters_of
from labeling.consensus.models import Case, CaseState, Decision, Event, Message, Proposal, Rule
from labeling.consensus.naming import Names, names_in
from labeling.corpus.payloads import FieldError
from labeling.people.access import require_current
from labeling.people.models import Membership, Role, User
from labeling.refusals import Invalid, Refusal

P = ParamSpec("P")
R = TypeVar("R")
SUBMITTED = (Proposal, Message, Decision)
LONGEST_TEXT = 10_000
MOST_NAMED = 3
USED_ELSEWHERE = "submission: this id was used for something else. Each submission needs an id of its own."
JUDGED_AGAIN = "This item is being judged again: its case waits until all votes are in."

PROPOSED, CONFIRMED, WITHDREW = "proposed an answer", "confirmed a proposal", "withdrew from a proposal"
CONFIRMED_ALOUD, AGREED, DECIDED = "noted what was said in a meeting", "agreed with everybody", "decided"
REOPENED, WROTE, EDITED = "opened it again", "wrote a message", "edited a message"


class Changed(Refusal):
    """Something happened since the actor looked; the sentence says what."""


@dataclass(frozen=True)
class Held:
    """A case under lock, and the person who acts on it."""

    case: Case
    by: User
    item: RoundItem

    @cached_property
    def rule(self) -> Rule:
        return Rule.objects.get(round=self.case.round_id)

    @cached_property
    def names(self) -> Names:
        return names_in(self.case, self.rule)

    @cached_property
    def voters(self) -> set[int]:
        return voters_of([self.case])[self.case.pk]

    @cached_property
    def roles(self) -> set[str]:
        members = Membership.objects.filter(project=self.case.round.project_id, user=self.by, user__is_active=True)
        return set(members.values_list("role", flat=True))

    @property
    def is_voter(self) -> bool:
        return self.by.pk in self.voters and Role.ANNOTATOR in self.roles

    @property
    def is_adjudicator(self) -> bool:
        return self.by.pk == self.case.adjudicator_id and Role.ADJUDICATOR in self.roles

    @property
    def is_coordinator(self) -> bool:
        return Role.COORDINATOR in self.roles


def lock_case(by: User, case_id: int) -> Held:
    """Locks the item and then its case, in the order of routing, so that no vote comes in between."""
    item = RoundItem.objects.select_for_update(of=("self",)).filter(case=case_id).first()
    if item is None:
        raise Http404
    chain = ("round__project", "round__protocol", "decision")
    case = Case.objects.select_related(*chain).select_for_update(of=("self",)).get(pk=case_id)
    held = Held(case, by, item)
    if not held.roles:
        raise Http404
    return held


def submitted_once(act: Callable[P, R]) -> Callable[P, R]:
    """In a transaction. Submissions with one id for two cases do not wait for each other: only the index sees them."""

    @wraps(act)
    def acts(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with transaction.atomic():
                return act(*args, **kwargs)
        except IntegrityError as error:
            if any(model.objects.filter(submission=str(kwargs["submission"])).exists() for model in SUBMITTED):
                raise Invalid(USED_ELSEWHERE) from error
            raise

    return acts


def require_settled_votes(held: Held) -> None:
    require_current(held.case.round.project)
    if not independent_phase_is_over(held.item, held.case.round):
        raise Refusal(JUDGED_AGAIN)
    if held.item.routed_at is None:
        raise Changed("The votes on this item changed a moment ago. Look at the case again.")


def require_open(held: Held) -> None:
    require_settled_votes(held)
    if held.case.state == CaseState.DECIDED:
        raise Refusal("This case is decided already. A coordinator can open it again.")
    if held.case.state == CaseState.MOOT:
        raise Refusal("The votes settle this item now, so its case is no longer needed.")


def require_voter(held: Held, act: str) -> None:
    if not held.is_voter:
        raise Refusal(f"Only those who voted on this item can {act}.")


def require_coordinator(held: Held, act: str) -> None:
    if not held.is_coordinator:
        raise Refusal(f"Only a coordinator can {act}.")


def require_seen(held: Held, seen: int, *, harmless: Collection[str] = ()) -> None:
    """Refuses what was sent without knowledge of what others did since."""
    if seen == held.case.version:
        return
    since = held.case.events.filter(version__gt=seen).exclude(verb__in=harmless).select_related("actor")
    happened = [in_words(event, held.names) for event in since]
    if happened:
        more = f", and {len(happened) - MOST_NAMED} more" if len(happened) > MOST_NAMED else ""
        words = "; ".join(happened[:MOST_NAMED])
        raise Changed(f"This changed since you looked: {words}{more}. Look at it and send yours again.")


DERIVED = {
    "opened": "the case was opened",
    "opened again": "the case was opened again by later votes",
    "votes changed": "the votes changed",
    "settled by the votes": "later votes or another rule settle it",
    "way changed": "another rule says who settles it",
    "given to an adjudicator": "it was given to an adjudicator",
}


def in_words(event: Event, names: Names) -> str:
    if event.actor is None:
        return DERIVED.get(event.verb, event.verb)
    return f"{names.of(event.actor)} {event.verb}"


def note(held: Held, verb: str, **details: Any) -> None:
    """Adds the event; the case is saved with its new version."""
    held.case.version += 1
    held.case.save()
    Event.objects.create(case=held.case, version=held.case.version, actor=held.by, verb=verb, details=details)


def checked_text(text: object, name: str, *, longest: int = LONGEST_TEXT) -> str:
    try:
        return check_text(text, name, longest).replace("\r\n", "\n").strip()
    except FieldError as error:
        raise Invalid(str(error)) from error


def checked_uuid(text: object) -> UUID:
    try:
        return UUID(str(text))
    except ValueError as error:
        raise Invalid("submission: must be a UUID.") from error
