"""Time spent over cases: what a page measured while somebody was there."""

from __future__ import annotations

import math

from django.db import IntegrityError, transaction
from django.http import QueryDict

from labeling.consensus.access import Part
from labeling.consensus.acting import checked_uuid
from labeling.consensus.models import Sitting
from labeling.refusals import Invalid

LONGEST = 12 * 3600.0


def record_sitting(part: Part, data: QueryDict) -> None:
    """Stored once, however often it is sent. Only of those who take part: a reader's time settles nothing."""
    if not (part.is_voter or part.is_adjudicator or part.is_coordinator):
        return
    try:
        seconds = float(data.get("seconds", ""))
    except ValueError as error:
        raise Invalid("seconds: must be a number.") from error
    if not (math.isfinite(seconds) and 0 <= seconds <= LONGEST):
        raise Invalid(f"seconds: must lie between 0 and {LONGEST:,.0f}.")
    submission = checked_uuid(data.get("submission"))
    if Sitting.objects.filter(submission=submission).exists():
        return
    in_meeting = data.get("from") == "meeting"
    try:
        with transaction.atomic():
            Sitting.objects.create(
                case=part.case, user=part.seat.user, submission=submission, in_meeting=in_meeting, seconds=seconds
            )
    except IntegrityError:
        return  # sent twice in the same instant
