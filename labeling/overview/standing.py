"""Where a project stands and what a person can do next in it, by their roles."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count
from django.urls import reverse

from labeling.annotation.models import Round, RoundState
from labeling.consensus.access import visible_cases
from labeling.consensus.listing import waiting_for
from labeling.consensus.models import CaseState, Mention
from labeling.people.access import Seat
from labeling.people.models import Role

FEWEST_FOR_AGREEMENT = 2


@dataclass(frozen=True)
class Figure:
    label: str
    value: int
    url: str


@dataclass(frozen=True)
class NextStep:
    title: str
    text: str
    label: str = ""
    url: str = ""


@dataclass(frozen=True)
class Standing:
    figures: list[Figure]
    next_steps: list[NextStep]


def standing(seat: Seat) -> Standing:
    if seat.project.archived_at:
        return Standing(figures=figures(seat) if seat.is_coordinator else [], next_steps=[])
    if seat.is_coordinator:
        return Standing(figures=figures(seat), next_steps=steps_of_coordinator(seat))
    return Standing(figures=[], next_steps=steps_of_member(seat))


def figures(seat: Seat) -> list[Figure]:
    project = seat.project
    members = reverse("people:members", args=[project.slug])
    by_role = dict(project.memberships.order_by().values_list("role").annotate(Count("pk")))
    people = [Figure(f"{role.label}s", by_role.get(role, 0), members) for role in Role]
    return [
        *people,
        Figure("Items", project.items.count(), reverse("corpus:items", args=[project.slug])),
        Figure(
            "Open rounds",
            project.rounds.filter(state=RoundState.OPEN).count(),
            reverse("annotation:rounds", args=[project.slug]),
        ),
        Figure("Open cases", open_cases(seat), reverse("consensus:cases", args=[project.slug])),
        Figure("Open invitations", project.invitations.open().count(), members),
        Figure("Jobs at work", project.jobs.active().count(), reverse("jobs:jobs", args=[project.slug])),
    ]


def steps_of_coordinator(seat: Seat) -> list[NextStep]:
    project = seat.project
    waiting = waiting_cases(seat)
    steps: list[NextStep] = []
    if not project.items.exists():
        steps.append(
            NextStep(
                "Bring in what is to be judged",
                "Items come from a file in JSONL or CSV, one row an item.",
                "Import items",
                reverse("corpus:upload", args=[project.slug]),
            )
        )
    if project.memberships.filter(role=Role.ANNOTATOR).count() < FEWEST_FOR_AGREEMENT:
        steps.append(
            NextStep(
                "Invite your annotators",
                "Agreement needs at least two people who judge the same items. Each gets a personal link.",
                "Invite people",
                reverse("people:members", args=[project.slug]),
            )
        )
    if not steps and not project.protocols.exists():
        steps.append(
            NextStep(
                "Say what people are asked",
                "A protocol holds the questions and the guideline. Three from the literature are ready to pick.",
                "Choose a protocol",
                reverse("annotation:protocols", args=[project.slug]),
            )
        )
    elif not steps and not project.rounds.exists():
        steps.append(
            NextStep(
                "Let them judge",
                "A round gives items to annotators, each for as many votes as you want.",
                "Make a round",
                reverse("annotation:new_round", args=[project.slug]),
            )
        )
    return [*steps, *waiting]


def open_cases(seat: Seat) -> int:
    return visible_cases(seat).filter(state=CaseState.OPEN).count()


def waiting_cases(seat: Seat) -> list[NextStep]:
    """One step when it is this person's turn in some case, or when somebody called them there."""
    waiting = waiting_for(seat).count()
    called = Mention.objects.filter(user=seat.user, seen_at=None, message__case__in=visible_cases(seat)).count()
    if not waiting and not called:
        return []
    address = reverse("consensus:cases", args=[seat.project.slug])
    mentions = f" You were called upon in {called} new message{'' if called == 1 else 's'}." if called else ""
    text = f"The votes differ, or somebody asked to discuss the item.{mentions}"
    title = f"{waiting} case{' waits' if waiting == 1 else 's wait'} for you" if waiting else "Somebody calls you"
    return [NextStep(title, text, "Look at the cases", f"{address}?who=waiting" if waiting else address)]


def steps_of_member(seat: Seat) -> list[NextStep]:
    steps = waiting_cases(seat)
    usual = step_of_member(seat)
    return [*([usual] if usual.url or not steps else []), *steps]


def step_of_member(seat: Seat) -> NextStep:
    if seat.is_annotator and Round.objects.filter(project=seat.project).open_for(seat.user).exists():
        return NextStep(
            "Your items wait",
            "Judge each on its own; nobody sees your votes before all votes on an item are in.",
            "Judge the next item",
            reverse("annotation:judge", args=[seat.project.slug]),
        )
    if seat.is_annotator:
        return NextStep("Nothing to judge yet", "When a coordinator opens a round, your items appear here.")
    if Role.ADJUDICATOR in seat.roles:
        return NextStep("No cases yet", "When annotators disagree on an item and it is routed to you, it appears here.")
    return NextStep("Nothing to read yet", "Results appear here as the project produces them.")
