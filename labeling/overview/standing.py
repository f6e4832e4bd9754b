"""Where a project stands and what a person can do next in it, by their roles."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count
from django.urls import reverse

from labeling.amounts import Amount
from labeling.annotation.models import RoundState
from labeling.consensus.access import visible_cases
from labeling.consensus.listing import MOST_CASES
from labeling.consensus.models import CaseState
from labeling.consensus.routing import route_project
from labeling.overview.steps import NextStep, steps_of_coordinator, steps_of_member
from labeling.people.access import Seat
from labeling.people.models import Role

MOST_ITEMS = 100_000


@dataclass(frozen=True)
class Figure:
    label: str
    value: int | Amount
    url: str


@dataclass(frozen=True)
class Standing:
    figures: list[Figure]
    next_steps: list[NextStep]


def standing(seat: Seat) -> Standing:
    """Brought up to date with the votes, so that a case is here as soon as there is one."""
    if seat.project.archived_at:
        return Standing(figures=figures(seat) if seat.is_coordinator else [], next_steps=[])
    is_behind = route_project(seat.project, by=seat.user)
    if seat.is_coordinator:
        return Standing(figures=figures(seat), next_steps=steps_of_coordinator(seat, is_behind=is_behind))
    return Standing(figures=[], next_steps=steps_of_member(seat))


def figures(seat: Seat) -> list[Figure]:
    project = seat.project
    members = reverse("people:members", args=[project.slug])
    by_role = dict(project.memberships.order_by().values_list("role").annotate(Count("pk")))
    people = [Figure(f"{role.label}s", by_role.get(role, 0), members) for role in Role]
    return [
        *people,
        Figure("Items", Amount.of(project.items.all(), MOST_ITEMS), reverse("corpus:items", args=[project.slug])),
        Figure(
            "Open rounds",
            project.rounds.filter(state=RoundState.OPEN).count(),
            reverse("annotation:rounds", args=[project.slug]),
        ),
        Figure("Open cases", open_cases(seat), reverse("consensus:cases", args=[project.slug])),
        Figure("Open invitations", project.invitations.open().count(), members),
        Figure("Jobs at work", project.jobs.active().count(), reverse("jobs:jobs", args=[project.slug])),
    ]


def open_cases(seat: Seat) -> Amount:
    return Amount.of(visible_cases(seat).filter(state=CaseState.OPEN), MOST_CASES)
