"""What somebody has typed and not yet sent. It is kept as it is, for the person and the item."""

from __future__ import annotations

import json
from typing import Any

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from labeling.annotation.judging.claiming import renew_lease
from labeling.annotation.judging.voting import lock_assignment
from labeling.annotation.models import Assignment, Draft, Rater
from labeling.corpus.payloads import described
from labeling.people.access import require_current
from labeling.people.models import User
from labeling.refusals import Invalid

LONGEST = 60_000
DRAFTED = {"answers", "note", "flag", "picked", "timing"}


@transaction.atomic
def save_draft(user: User, assignment_id: int, content: object, *, was_shown: bool = False) -> Draft:
    """Keeps what is typed so far, as it is, and renews the lease. One who had the item before them and lost it may
    still keep their words."""
    held = lock_assignment(user, assignment_id)
    rater, assignment = held.rater, held.assignment
    if assignment.rater_id != rater.pk and not held.has_draft and not was_shown:
        raise Http404
    require_current(assignment.round.project)
    if not isinstance(content, dict) or not set(content) <= DRAFTED:
        raise Invalid(
            f"draft: must be an object with answers, note, flag, picked and timing, not {described(content)}."
        )
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, RecursionError) as error:
        raise Invalid("draft: holds something that is neither text nor a number nor a list of those.") from error
    if len(text) > LONGEST or "\\u0000" in text.replace(r"\\", ""):
        raise Invalid(f"draft: must have at most {LONGEST:,} characters, and none of them NUL.")
    mine: dict[str, Any] = {"rater": rater, "round_item_id": assignment.round_item_id, "repeat": assignment.repeat}
    draft, _ = Draft.objects.update_or_create(**mine, defaults={"content": content, "saved_at": timezone.now()})
    renew_lease(assignment)
    return draft


def find_draft(user: User, assignment_id: int) -> Draft | None:
    """What this person has typed on it; 404 for what is in no round of theirs."""
    rater = get_object_or_404(Rater.objects.of(user), round__assignments__pk=assignment_id)
    slot = Assignment.objects.only("round_item", "repeat").get(pk=assignment_id)
    return Draft.objects.filter(rater=rater, round_item=slot.round_item_id, repeat=slot.repeat).first()
