"""A vote and the item after it in one transaction: fewer journeys to the database, and one wait for its disk."""

from __future__ import annotations

from collections.abc import Collection

from labeling.annotation.judging.ballots import Ballot
from labeling.annotation.judging.claiming import claim, next_in_project
from labeling.annotation.judging.voting import lock_assignment, store_vote, used_here
from labeling.annotation.models import Assignment, Round, Vote
from labeling.people.models import User
from labeling.statements import writing_along


def vote_and_go_on(
    user: User, assignment_id: int, ballot: Ballot, *, round_id: int | None = None, holding: Collection[int] = ()
) -> tuple[Vote, tuple[Round, Assignment] | None]:
    """The next item is of the same round as long as that has one, else as `next_in_project` finds it."""
    with used_here(ballot.submission), writing_along():
        held = lock_assignment(user, assignment_id, submission=ballot.submission)
        vote = store_vote(held, ballot)
        round = held.assignment.round
        is_new = held.known is None  # what was stored before says nothing of what the rater may do now
        goes_on = is_new and round_id in (None, round.pk)
        known = {"has_planned": held.has_planned, "has_opened": held.has_opened}
        found = claim(held.rater, round, holding=holding, **known) if goes_on else None
    if found is not None:
        return vote, (round, found)
    return vote, next_in_project(user, round.project.slug, round_id=round_id, holding=holding)
