"""A case as its page and the API show it: votes side by side, proposals, discussion, history. Nobody is named here but
by `Names`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch

from labeling.annotation.models import Vote
from labeling.annotation.protocols.codebook import Codebook, Question
from labeling.consensus.access import Part
from labeling.consensus.acting import in_words
from labeling.consensus.models import Case, Confirmation, MessageText, Proposal
from labeling.consensus.routing import votes_on

NONE = "–"


def answer_in_words(question: Question, value: Any) -> str:
    labels = {option.key: option.label for option in question.options}
    if value in (None, [], ""):
        return NONE
    if isinstance(value, list):
        return " + ".join(labels.get(key, str(key)) for key in value)
    return f"{value:g}" if isinstance(value, float) else labels.get(value, str(value))


def answers_in_words(codebook: Codebook, answers: Mapping[str, Any]) -> str:
    """All of them in one line: ‘Include; Directly suggested + Consistency’."""
    said = [
        answer_in_words(question, answers[question.key]) for question in codebook.questions if question.key in answers
    ]
    return "; ".join(said) or NONE


@dataclass(frozen=True)
class ShownVote:
    name: str
    letter: str
    mine: bool
    vote: Vote


@dataclass(frozen=True)
class ShownQuestion:
    question: Question
    differs: bool
    cells: list[str]
    decided: str


def shown_votes(part: Part) -> list[ShownVote]:
    """In the order of the letters."""
    votes = votes_on([part.case.round_item])[part.case.round_item_id]
    votes.sort(key=lambda vote: part.case.raters.index(vote.rater_id))
    return [shown_vote(part, vote) for vote in votes]


def shown_vote(part: Part, vote: Vote) -> ShownVote:
    user = part.names.raters[vote.rater_id]
    return ShownVote(part.names.rater(vote.rater_id), part.names.letters[user], user == part.seat.user.pk, vote)


def shown_questions(part: Part, votes: Sequence[ShownVote]) -> list[ShownQuestion]:
    decision = part.case.decision
    return [
        ShownQuestion(
            question,
            question.key in part.case.questions,
            [answer_in_words(question, one.vote.answers.get(question.key)) for one in votes],
            answer_in_words(question, decision.answers.get(question.key)) if decision else "",
        )
        for question in part.case.round.protocol.codebook.questions
    ]


@dataclass(frozen=True)
class ShownPicks:
    """Which comment of the thread each voter took for the one that asked for it."""

    differs: bool
    cells: list[str]


def shown_picks(votes: Sequence[ShownVote]) -> ShownPicks | None:
    """Nothing where everybody took the linked one."""
    picks = [one.vote.picked for one in votes]
    if all(picked is None for picked in picks):
        return None
    cells = ["the linked one" if picked is None else f"comment {picked + 1} of the thread" for picked in picks]
    return ShownPicks(len(set(picks)) > 1, cells)


@dataclass(frozen=True)
class ShownProposal:
    proposal: Proposal
    name: str
    words: str
    confirmed: list[str]
    waiting: list[str]
    mine: bool  # this person stands by it

    @property
    def is_standing(self) -> bool:
        return bool(self.confirmed)


def shown_proposals(part: Part, voters: Sequence[int]) -> list[ShownProposal]:
    """The latest first. `voters` by user: those who have to confirm."""
    confirmations = Confirmation.objects.select_related("user", "entered_by").order_by("at", "pk")
    found = part.case.proposals.select_related("author").prefetch_related(Prefetch("confirmations", confirmations))
    return [shown_proposal(part, proposal, voters) for proposal in found.order_by("-pk")]


def shown_proposal(part: Part, proposal: Proposal, voters: Sequence[int]) -> ShownProposal:
    confirmations = list(proposal.confirmations.all())
    by = {confirmation.user_id for confirmation in confirmations}
    return ShownProposal(
        proposal,
        part.names.of(proposal.author),
        answers_in_words(part.case.round.protocol.codebook, proposal.answers),
        [confirmation_in_words(part, confirmation) for confirmation in confirmations],
        [part.names.of(part.names.users[user]) for user in voters if user not in by] if by else [],
        part.seat.user.pk in by,
    )


def confirmation_in_words(part: Part, confirmation: Confirmation) -> str:
    name = part.names.of(confirmation.user)
    if confirmation.entered_by is None:
        return name
    return f"{name} (in a meeting, entered by {part.names.of(confirmation.entered_by)})"


@dataclass(frozen=True)
class ShownMessage:
    pk: int
    name: str
    at: datetime
    body: str
    revision: int
    mine: bool


def shown_messages(part: Part) -> list[ShownMessage]:
    texts = Prefetch("texts", MessageText.objects.order_by("revision"))
    found = part.case.messages.select_related("author").prefetch_related(texts)
    return [
        ShownMessage(message.pk, part.names.of(message.author), message.at, text.body, text.revision,
                     message.author_id == part.seat.user.pk)
        for message in found
        for text in list(message.texts.all())[-1:]
    ]  # fmt: skip


@dataclass(frozen=True)
class ShownEvent:
    at: datetime
    words: str
    reason: str


def shown_events(part: Part) -> list[ShownEvent]:
    """The latest first."""
    found = part.case.events.select_related("actor").order_by("-version")
    return [ShownEvent(event.at, in_words(event, part.names), event.details.get("reason", "")) for event in found]


def shown_decisions(part: Part) -> list[dict[str, Any]]:
    """The one in force first, then those that no longer are."""
    found = part.case.decisions.select_related("made_by").order_by("-number")
    return [
        {
            "decision": decision,
            "in_force": decision.pk == part.case.decision_id,
            "name": "" if decision.proposal_id else part.names.of(decision.made_by),
            "words": decided_in_words(part.case, decision.answers, rejected=decision.rejected),
        }
        for decision in found
    ]


def decided_in_words(case: Case, answers: Mapping[str, Any], *, rejected: bool) -> str:
    return "No option fits" if rejected else answers_in_words(case.round.protocol.codebook, answers)
