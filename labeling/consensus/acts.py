"""The acts of the case page, read from its forms. Each calls the verb that the API calls too."""

from __future__ import annotations

from collections.abc import Callable

from django.http import QueryDict

from labeling.annotation.judging.forms import whole
from labeling.annotation.protocols.answers import answers_in_form
from labeling.consensus import adjudicating, deciding, meeting, talking
from labeling.consensus.access import Part
from labeling.consensus.acting import checked_uuid


def propose(part: Part, data: QueryDict) -> None:
    deciding.propose(
        part.seat.user,
        part.case.pk,
        submission=checked_uuid(data.get("submission")),
        answers=answers_in_form(part.case.round.protocol.codebook, data),
        because=data.get("because", ""),
    )


def confirm(part: Part, data: QueryDict) -> None:
    deciding.confirm(part.seat.user, part.case.pk, whole(data, "proposal"), seen=whole(data, "version"))


def withdraw(part: Part, data: QueryDict) -> None:
    deciding.withdraw(part.seat.user, part.case.pk)


def decide(part: Part, data: QueryDict) -> None:
    rejected = bool(data.get("rejected"))
    verdict = adjudicating.Verdict(
        rationale=data.get("rationale", ""),
        answers=None if rejected else answers_in_form(part.case.round.protocol.codebook, data),
        rejected=rejected,
        unclear=data.get("unclear", ""),
    )
    submission = checked_uuid(data.get("submission"))
    adjudicating.decide(part.seat.user, part.case.pk, verdict, submission=submission, seen=whole(data, "version"))


def say(part: Part, data: QueryDict) -> None:
    submission = checked_uuid(data.get("submission"))
    talking.post_message(part.seat.user, part.case.pk, submission=submission, body=data.get("body", ""))


def hand_over(part: Part, data: QueryDict) -> None:
    chosen = whole(data, "adjudicator") if data.get("adjudicator") else None
    adjudicating.hand_over(part.seat.user, part.case.pk, chosen, seen=whole(data, "version"))


def hand_back(part: Part, data: QueryDict) -> None:
    adjudicating.hand_back(part.seat.user, part.case.pk, seen=whole(data, "version"))


def reopen(part: Part, data: QueryDict) -> None:
    seen = whole(data, "version")
    adjudicating.reopen(part.seat.user, part.case.pk, reason=data.get("reason", ""), seen=seen)


def enter(part: Part, data: QueryDict) -> None:
    """What was said in a meeting: a new proposal, or one that is there already."""
    letters = data.getlist("letters")
    seen = whole(data, "version")
    if data.get("proposal"):
        meeting.enter_confirmations(part.seat.user, part.case.pk, whole(data, "proposal"), letters=letters, seen=seen)
        return
    answers = answers_in_form(part.case.round.protocol.codebook, data)
    said = meeting.Said(answers=answers, because=data.get("because", ""), letters=letters)
    submission = checked_uuid(data.get("submission"))
    meeting.enter_proposal(part.seat.user, part.case.pk, said, submission=submission, seen=seen)


ACTS: dict[str, Callable[[Part, QueryDict], None]] = {
    "propose": propose,
    "confirm": confirm,
    "withdraw": withdraw,
    "decide": decide,
    "say": say,
    "hand-over": hand_over,
    "hand-back": hand_back,
    "reopen": reopen,
    "enter": enter,
}
