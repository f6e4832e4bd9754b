"""What a person can do next in a project: first what is missing, then what its rounds, cases and releases call for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Max
from django.urls import reverse

from labeling.amounts import Amount
from labeling.annotation.models import Rater, Round, RoundState
from labeling.annotation.rounds.mine import my_rounds
from labeling.consensus.access import visible_cases
from labeling.consensus.listing import MOST_CASES, waiting_for
from labeling.consensus.models import Case, Mention
from labeling.people.access import Seat
from labeling.people.models import Role

FEWEST_FOR_AGREEMENT = 2


@dataclass(frozen=True)
class NextStep:
    title: str
    text: str
    label: str = ""
    url: str = ""


def steps_of_coordinator(seat: Seat, *, is_behind: bool) -> list[NextStep]:
    """`is_behind`: a job still finds out which votes make cases."""
    usual = list(to_begin(seat)) or list(to_go_on(seat, is_behind=is_behind))
    return [*usual, *own_items(seat), *waiting_cases(seat)]


def to_begin(seat: Seat) -> Iterator[NextStep]:
    """What is missing before people can judge."""
    project = seat.project
    has_items = project.items.exists()
    has_people = project.memberships.filter(role=Role.ANNOTATOR).count() >= FEWEST_FOR_AGREEMENT
    if not has_items:
        yield NextStep(
            "Bring in what is to be judged",
            "Items come from a file in JSONL or CSV, one row an item.",
            "Import items",
            reverse("corpus:upload", args=[project.slug]),
        )
    if not has_people:
        yield NextStep(
            "Invite your annotators",
            "Agreement needs at least two people who judge the same items. Each gets a personal link.",
            "Invite people",
            reverse("people:members", args=[project.slug]),
        )
    if not (has_items and has_people):
        return
    if not project.protocols.exists():
        yield NextStep(
            "Say what people are asked",
            "A protocol holds the questions and the guideline. Three from the literature are ready to pick.",
            "Choose a protocol",
            reverse("annotation:protocols", args=[project.slug]),
        )
    elif not project.rounds.exists():
        yield NextStep(
            "Let them judge",
            "A round gives items to annotators, each for as many votes as you want.",
            "Make a round",
            reverse("annotation:new_round", args=[project.slug]),
        )


def to_go_on(seat: Seat, *, is_behind: bool) -> Iterator[NextStep]:
    """What the oldest round that is not closed calls for; once all are, their cases, a release, and a study."""
    rounds = seat.project.rounds.order_by("pk")
    going_on = rounds.exclude(state=RoundState.CLOSED).first()
    if going_on:
        yield of_round(going_on)
    else:
        yield from after_rounds(seat, is_behind=is_behind)


def of_round(round: Round) -> NextStep:
    address = reverse("annotation:round", args=[round.project.slug, round.pk])
    if not round.is_open:
        return NextStep(f"{round} is being planned", "It opens by itself.", "See the round", address)
    cast = sum(rater.votes for rater in Rater.objects.filter(round=round).only("tally"))
    if cast < round.votes_due:
        text = f"{cast:,} of {round.votes_due:,} votes are in. When all are, the round can be closed."
        return NextStep(f"People judge {round}", text, "See how far they are", address)
    text = "Close it, so that no vote changes any more; then see how well people agree."
    return NextStep(f"{round} has all its votes", text, "Close the round", address)


def after_rounds(seat: Seat, *, is_behind: bool) -> Iterator[NextStep]:
    project = seat.project
    released_at = project.releases.frozen().aggregate(Max("made_at"))["made_at__max"]
    closed_at = project.rounds.aggregate(Max("closed_at"))["closed_at__max"]
    if released_at and released_at >= closed_at:
        yield after_release(seat)
        return
    yield NextStep(
        "See how well people agree",
        "Agreement of all and of each pair, by question, with its interval.",
        "Look at the agreement",
        reverse("agreement:agreement", args=[project.slug]),
    )
    open_cases = Amount.of(Case.objects.filter(project=project).shown().open(), MOST_CASES)
    if open_cases:
        yield NextStep(
            open_cases.of_cases("is open", "are open"),
            "What the votes do not settle is discussed or decided before it can be released.",
            "Settle the cases",
            reverse("consensus:cases", args=[project.slug]),
        )
        return
    if is_behind:
        yield NextStep("The votes are being looked through", "Those that settle nothing become cases.")
        return
    yield NextStep(
        "Everything is settled",
        "A release freezes items, votes and final answers, so that others can cite them and compute them again.",
        "Make a release",
        reverse("release:new", args=[project.slug]),
    )


def after_release(seat: Seat) -> NextStep:
    study = seat.project.studies.order_by("-pk").first()
    if study is None:
        return NextStep(
            "Let developers rate the names",
            "A blinded study asks people what they think of the names, from this release or from other material.",
            "Start a study",
            reverse("study:new_study", args=[seat.project.slug]),
        )
    text = "It is closed." if study.closed_at else "The page of the study says what it needs next."
    return NextStep(
        f"Study “{study}”", text, "See the study", reverse("study:study", args=[seat.project.slug, study.pk])
    )


def own_items(seat: Seat) -> list[NextStep]:
    """One step when this person has something left to judge."""
    if not seat.is_annotator or not any(mine.left for mine in my_rounds(seat.user, seat.project)):
        return []
    return [
        NextStep(
            "Your items wait",
            "Judge each on its own; nobody sees your votes before all votes on an item are in.",
            "Judge the next item",
            reverse("annotation:judge", args=[seat.project.slug]),
        )
    ]


def waiting_cases(seat: Seat) -> list[NextStep]:
    """One step when it is this person's turn in some case, or when somebody called them there."""
    waiting = Amount.of(waiting_for(seat), MOST_CASES)
    called = Mention.objects.filter(user=seat.user, seen_at=None, message__case__in=visible_cases(seat)).count()
    if not waiting and not called:
        return []
    address = reverse("consensus:cases", args=[seat.project.slug])
    mentions = f" You were called upon in {called} new message{'' if called == 1 else 's'}." if called else ""
    text = f"The votes differ, or somebody asked to discuss the item.{mentions}"
    title = waiting.of_cases("waits for you", "wait for you") if waiting else "Somebody calls you"
    return [NextStep(title, text, "Look at the cases", f"{address}?who=waiting" if waiting else address)]


def steps_of_member(seat: Seat) -> list[NextStep]:
    steps = [*own_items(seat), *waiting_cases(seat)]
    return steps or [nothing_to_do(seat)]


def nothing_to_do(seat: Seat) -> NextStep:
    if seat.is_annotator and Round.objects.filter(project=seat.project).open_for(seat.user).exists():
        text = "You have judged everything that is there for you now. Cases and new items appear here."
        return NextStep(
            "Nothing left to judge", text, "See my work", reverse("annotation:work", args=[seat.project.slug])
        )
    if seat.is_annotator:
        return NextStep("Nothing to judge yet", "When a coordinator opens a round, your items appear here.")
    if Role.ADJUDICATOR in seat.roles:
        return NextStep("No cases yet", "When annotators disagree on an item and it is routed to you, it appears here.")
    return NextStep("Nothing to read yet", "Results appear here as the project produces them.")
