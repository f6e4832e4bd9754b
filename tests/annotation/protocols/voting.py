"""Votes for tests of protocols: one row of everything that a vote hangs on."""

from __future__ import annotations

from uuid import uuid4

from labeling.annotation.models import Assignment, Rater, Round, RoundItem, Vote
from labeling.annotation.protocols.models import ProtocolVersion
from labeling.people.models import User
from tests.corpus.samples import new_item, review_rename


def hold_an_assignment(version: ProtocolVersion, *, by: User) -> Assignment:
    project = version.protocol.project
    item = new_item(project, "review_rename", review_rename(project.items.count() + 1))
    item.save()
    number = project.rounds.count() + 1
    made = Round.objects.create(project=project, name=f"Round {number}", protocol=version, seed=1)
    rater = Rater.objects.create(round=made, user=by, number=1)
    round_item = RoundItem.objects.create(round=made, item=item, position=1, wanted=1)
    return Assignment.objects.create(round=made, round_item=round_item, slot=1, rater=rater, state="held", position=1)


def cast_a_vote(version: ProtocolVersion, *, by: User) -> Vote:
    return vote_on(hold_an_assignment(version, by=by), version)


def vote_on(assignment: Assignment, version: ProtocolVersion) -> Vote:
    assert assignment.rater
    answers = {"fit": "yes"}
    return Vote.objects.create(
        assignment=assignment, rater=assignment.rater, submission=uuid4(), protocol=version, answers=answers
    )
