"""Rounds for tests: a small codebook, some items and people, and a round of them that is planned and open."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from labeling import tasks
from labeling.annotation.judging.ballots import Ballot
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import cast_vote
from labeling.annotation.models import Assignment, Protocol, ProtocolVersion, Rater, Round, RoundItem, SlotState, Vote
from labeling.annotation.rounds.counting import recount
from labeling.annotation.rounds.planning import Design, create_round
from labeling.corpus.models import Item, Project
from labeling.jobs import running
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.corpus.samples import new_item, review_rename

CODEBOOK: dict[str, Any] = {
    "title": "Review and rename",
    "guideline": "Judge whether the review **asked for** the rename.",
    "questions": [
        {
            "key": "include",
            "text": "Are review and rename clearly connected?",
            "options": [
                {"key": "yes", "label": "Include", "hotkey": "i"},
                {"key": "no", "label": "Exclude", "hotkey": "e"},
            ],
        },
        {
            "key": "criteria",
            "text": "By which criteria?",
            "form": "multiple",
            "when": {"question": "include", "answers": ["yes"]},
            "options": [
                {"key": "suggested", "label": "Directly suggested", "hotkey": "1"},
                {"key": "convention", "label": "Naming convention", "hotkey": "2"},
            ],
        },
    ],
}
INCLUDE = {"include": "yes", "criteria": ["suggested"]}
EXCLUDE = {"include": "no"}


def protocol(project: Project, content: dict[str, Any] | None = None) -> ProtocolVersion:
    made, _ = Protocol.objects.get_or_create(project=project, name="Pairs")
    number = made.versions.count() + 1
    return ProtocolVersion.objects.create(protocol=made, number=number, content=content or CODEBOOK)


def annotators(project: Project, count: int) -> list[User]:
    people = []
    for number in range(1, count + 1):
        user = User.objects.create_user(f"rater{number}@example.org", name=f"Rater {number}")
        add_member(project, user=user, role=Role.ANNOTATOR, by=None)
        people.append(user)
    return people


def items(project: Project, count: int, *, groups: int = 1) -> list[Item]:
    rows = [
        new_item(project, "review_rename", review_rename(number, repository=f"acme/rockets{number % groups}"))
        for number in range(1, count + 1)
    ]
    return Item.objects.bulk_create(rows)


def opened_round(project: Project, people: list[User], **design: Any) -> Round:
    """A round over all items of the project, planned by the job's own code."""
    wanted = {"name": "First", "seed": 7, **design}
    version = wanted.pop("protocol", None) or protocol(project)
    round, job = create_round(project, Design(protocol=version, annotators=people, **wanted), by=None)
    running.run(job.pk, tasks.WORK)
    job.refresh_from_db()
    assert job.error == ""
    round.refresh_from_db()
    return round


def held_by(user: User, round: Round) -> Assignment:
    held = next_assignment(user, round)
    assert held
    return held


def judge(user: User, round: Round, answers: dict[str, Any] = EXCLUDE) -> Assignment | None:
    """The rater gets their next item and votes on it."""
    assignment = next_assignment(user, round)
    if assignment is not None:
        vote_on(user, assignment, answers)
    return assignment


def vote_on(user: User, assignment: Assignment, answers: dict[str, Any] = EXCLUDE, **more: Any) -> Vote:
    return cast_vote(user, assignment.pk, Ballot(submission=uuid4(), answers=answers, **more))


def judge_all(people: list[User], round: Round) -> None:
    """They take turns until nothing is left for any of them."""
    while [user for user in people if judge(user, round)]:
        pass


def rater_of(round: Round, user: User) -> Rater:
    return Rater.objects.get(round=round, user=user)


def counts(round: Round) -> list[Any]:
    """What is kept beside the votes (ADR 8)."""
    return [
        *Round.objects.filter(pk=round.pk).values_list("item_count", "votes_due"),
        *RoundItem.objects.filter(round=round).order_by("pk").values_list("pk", "votes"),
        *Rater.objects.filter(round=round).order_by("pk").values_list("pk", "tally", "completions"),
    ]


def assert_sound(round: Round) -> None:
    """Counts are those of the votes; a current vote is its rater's own; no slot too few or too many."""
    kept = counts(round)
    recount(round)
    assert counts(round) == kept
    for slot in Assignment.objects.filter(round=round, vote__isnull=False).select_related("vote"):
        assert slot.vote
        assert (slot.vote.rater_id, slot.vote.assignment_id) == (slot.rater_id, slot.pk)
    left = Rater.objects.filter(round=round, left_at__isnull=False)
    for item in RoundItem.objects.filter(round=round):
        slots = item.assignments.filter(repeat=0)
        given_up = slots.filter(rater__in=left).exclude(state=SlotState.VOTED).count()
        assert slots.count() - given_up == item.wanted
    raters = Rater.objects.filter(round=round)
    for rater in raters:
        assert rater.repeats == rater.assignments.filter(repeat__gt=0).count()
        assert rater.skips == rater.skipped.count()


def assert_finished(round: Round) -> None:
    assert all(item.votes == item.wanted >= 1 for item in RoundItem.objects.filter(round=round))
    assert_sound(round)
