"""What waits for a person in cases, for pages of stages that know no cases."""

from __future__ import annotations

from django import template

from labeling.amounts import Amount
from labeling.consensus.listing import MOST_CASES, waiting_for
from labeling.consensus.routing import route_project
from labeling.people.access import Seat

register = template.Library()


@register.simple_tag
def waiting_cases(seat: Seat) -> str:
    """In how many it is this person's turn, brought up to date with the votes; nothing where it is in none."""
    if seat.project.archived_at:
        return ""
    route_project(seat.project, by=seat.user)
    waiting = Amount.of(waiting_for(seat), MOST_CASES)
    return waiting.of_cases("waits", "wait") if waiting else ""
