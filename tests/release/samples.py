"""Projects that can be released: two rounds, disagreement of every kind, cases decided both ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID
from zipfile import ZipFile

from labeling import tasks
from labeling.annotation.judging.ballots import Ballot
from labeling.annotation.judging.voting import cast_vote
from labeling.annotation.models import Assignment, Round
from labeling.annotation.rounds.changing import close_round
from labeling.consensus.models import Case, CaseState, Decision, Proposal
from labeling.consensus.routing import route_batch
from labeling.corpus.models import Item, Project
from labeling.jobs import running
from labeling.jobs.models import Job, State
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from labeling.release.choosing import choose
from labeling.release.making import Title, create_release
from labeling.release.models import Pseudonym, Release
from tests.annotation.samples import annotators, opened_round
from tests.corpus.samples import new_item, review_rename

INCLUDE = {"include": "yes", "criteria": ["suggested"]}
BOTH = {"include": "yes", "criteria": ["suggested", "convention"]}
CONVENTION = {"include": "yes", "criteria": ["convention"]}
EXCLUDE = {"include": "no"}
# Of the items in the order of their keys: what R1, R2 and R3 say.
ROWS: list[list[dict[str, Any]]] = [
    [INCLUDE, INCLUDE, INCLUDE],
    [BOTH, BOTH, BOTH],
    [EXCLUDE, EXCLUDE, EXCLUDE],
    [INCLUDE, INCLUDE, EXCLUDE],
    [CONVENTION, CONVENTION, CONVENTION],
    [EXCLUDE, EXCLUDE, INCLUDE],
    [CONVENTION, BOTH, CONVENTION],
    [EXCLUDE, EXCLUDE, EXCLUDE],
]
WORDS = ("Mend", "Paint", "Launch", "Refuel", "Inspect", "Dock", "Tow", "Sink")


def releasable(project: Project, rows: list[list[dict[str, Any]]] = ROWS, **round: Any) -> Round:
    """A closed round in which three people judged everything; what they differ on is decided."""
    people = annotators(project, 3)
    adjudicator = User.objects.create_user("judge@example.org", name="Judith Decider")
    add_member(project, user=adjudicator, role=Role.ADJUDICATOR, by=None)
    Item.objects.bulk_create(rocket(project, number) for number in range(len(rows)))
    made = opened_round(project, people, handing="planned", **{"name": "First", **round})
    judge_rows(made, people, rows)
    close_round(made, by=None)
    for number, user in enumerate([*people, adjudicator], start=1):
        Pseudonym.objects.get_or_create(project=project, user=user, defaults={"number": number})
    while route_batch(made):
        pass
    decide_all(made, people[0], adjudicator)
    made.refresh_from_db()
    return made


def rocket(project: Project, number: int, **changes: Any) -> Item:
    """Bodies unlike each other, so that no guard has anything to say."""
    body = f"void load{number}() {{\n    {WORDS[number % len(WORDS)].lower()}{number}.now();\n}}"
    facts = {"fixed_name": f"fetch{WORDS[number % len(WORDS)]}Result", "body_before": body,
             "repository": f"acme/rockets{number % 2}", **changes}  # fmt: skip
    return new_item(
        project, "review_rename", review_rename(number, **facts), key=changes.pop("key", f"rocket-{number:03}")
    )


def judge_rows(round: Round, people: list[User], rows: list[list[dict[str, Any]]]) -> None:
    keys = sorted(round.project.items.values_list("key", flat=True))
    for person, user in enumerate(people):
        slots = Assignment.objects.filter(round=round, rater__user=user, repeat=0).select_related("round_item__item")
        for slot in sorted(slots, key=lambda slot: slot.round_item.item.key):
            place = keys.index(slot.round_item.item.key)
            ballot = Ballot(submission=UUID(int=slot.pk * 10 + round.pk * 100_000), answers=rows[place][person],
                            timing={"wall": 12.5, "active": 10.25, "idle": 2.25})  # fmt: skip
            vote = cast_vote(user, slot.pk, ballot)
            type(vote).objects.filter(pk=vote.pk).update(active_seconds=1.5 + place)


def decide_all(round: Round, voter: User, adjudicator: User) -> None:
    """The first by discussion, the second by the adjudicator, and so on."""
    cases = (
        Case.objects.filter(round=round, state="open")
        .select_related("round_item__item")
        .order_by("round_item__item__key")
    )
    for place, case in enumerate(cases):
        if place % 2:
            made: dict[str, Any] = {
                "made_by": adjudicator,
                "rationale": "=The thread says so, as Rater 1 wrote to rater2@example.org.",
            }
        else:
            proposal = Proposal.objects.create(case=case, author=voter, submission=UUID(int=case.pk), answers=INCLUDE,
                                               because="@all: the reviewer names it.")  # fmt: skip
            made = {"made_by": voter, "proposal": proposal}
        decision = Decision.objects.create(
            case=case, answers=INCLUDE, unclear="What is a suggestion?", voted=case.voted, **made
        )
        Case.objects.filter(pk=case.pk).update(state=CaseState.DECIDED, decision=decision, adjudicator=None)


def run_job(job: Job) -> Job:
    running.run(job.pk, tasks.WORK)
    job.refresh_from_db()
    return job


def released(
    project: Project, *, filters: tuple[str, ...] = ("include=yes",), rounds: tuple[str, ...] = (), **title: Any
) -> Release:
    """A frozen release, made by the job's own code."""
    choice = choose(project, rounds=rounds, filters=filters)
    release, job = create_release(choice, Title(**{"name": "Rockets", **title}), by=None)
    assert run_job(job).state == State.FINISHED, job.error
    release.refresh_from_db()
    return release


def archive_of(release: Release) -> Path:
    return Path(release.archive.path)


def contents(archive: Path) -> dict[str, str]:
    with ZipFile(archive) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}
