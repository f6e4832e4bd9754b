"""The discussion of a case: messages, their edits, and whom they call upon."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.http import Http404
from django.utils import timezone

from labeling.consensus import acting
from labeling.consensus.acting import Held, checked_text, lock_case, note, require_open, submitted_once
from labeling.consensus.models import Case, Mention, Message, MessageText
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal


class EditedMeanwhile(Refusal):
    """The text that the edit began with is no longer the message's; `theirs` is what it says now."""

    def __init__(self, theirs: MessageText) -> None:
        super().__init__(
            f"This message was edited since you opened it. Now it says “{theirs.body}”; what you wrote is not lost."
        )
        self.theirs = theirs


@submitted_once
def post_message(by: User, case_id: int, *, submission: UUID, body: str) -> Message:
    held = lock_case(by, case_id)
    if known := Message.objects.filter(submission=submission).first():
        if (known.case_id, known.author_id) != (case_id, by.pk):
            raise Invalid(acting.USED_ELSEWHERE)
        return known
    require_part(held)
    require_open(held)
    text = words(body)
    message = Message.objects.create(case=held.case, author=by, submission=submission)
    MessageText.objects.create(message=message, body=text)
    note_mentions(held, message, text)
    note(held, acting.WROTE, message=message.pk)
    return message


@transaction.atomic
def edit_message(by: User, message_id: int, *, body: str, revision: int) -> MessageText:
    """Another text for one's own message; `revision` is that of the text it replaces."""
    message = Message.objects.filter(pk=message_id, author=by).first()
    if message is None:
        raise Http404
    held = lock_case(by, message.case_id)
    require_part(held)
    require_open(held)
    latest = message.texts.order_by("revision").last()
    assert latest is not None  # noqa: S101 (a message begins with a text)
    text = words(body)
    if text == latest.body:
        return latest
    if latest.revision != revision:
        raise EditedMeanwhile(latest)
    edited = MessageText.objects.create(message=message, revision=latest.revision + 1, body=text)
    note_mentions(held, message, text)
    note(held, acting.EDITED, message=message.pk)
    return edited


def words(body: str) -> str:
    text = checked_text(body, "body")
    if not text:
        raise Invalid("body: a message needs words.")
    return text


def require_part(held: Held) -> None:
    if not (held.is_voter or held.is_adjudicator or held.is_coordinator):
        raise Refusal("Only those who voted on this item, its adjudicator and coordinators take part in its case.")


def note_mentions(held: Held, message: Message, text: str) -> None:
    """@Rater A, or @ and a name where names are shown."""
    folded = text.casefold()
    called = {user for name, user in held.names.called().items() if is_called(folded, name)} - {held.by.pk}
    Mention.objects.bulk_create((Mention(message=message, user_id=user) for user in called), ignore_conflicts=True)


def is_called(text: str, name: str) -> bool:
    """Whether @name stands there, and not only as the beginning of a longer name."""
    _, *rests = text.split(f"@{name}")
    return any(not rest[:1].isalnum() for rest in rests)


def mark_seen(user: User, case: Case) -> None:
    Mention.objects.filter(user=user, message__case=case, seen_at=None).update(seen_at=timezone.now())
