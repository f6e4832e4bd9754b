"""What waits for a person in cases, for pages of stages that know no cases."""

from __future__ import annotations

from django import template

from labeling.consensus.listing import waiting_for
from labeling.consensus.routing import route_project
from labeling.people.access import Seat

register = template.Library()


@register.simple_tag
def waiting_cases(seat: Seat) -> int:
    """In how many it is this person's turn, brought up to date with the votes."""
    if seat.project.archived_at:
        return 0
    route_project(seat.project, by=seat.user)
    return waiting_for(seat).count()
