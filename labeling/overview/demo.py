"""The demo: a project that shows each capability, filled through the same code that people use."""

from __future__ import annotations

import json
import secrets
import shutil
from itertools import groupby
from random import Random
from uuid import UUID

from labeling.annotation.judging.ballots import Ballot
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import cast_vote, skip
from labeling.annotation.models import Round
from labeling.annotation.protocols.editing import create_built_in
from labeling.annotation.rounds.changing import close_round
from labeling.annotation.rounds.planning import Design, create_round, plan_round
from labeling.corpus.kinds import Kind
from labeling.corpus.models import Project
from labeling.corpus.projects import create_project
from labeling.jobs import running
from labeling.mining.collecting import mine, repositories_folder, start_mining
from labeling.overview.demo_cases import settle_demo
from labeling.overview.harbour import build_harbour
from labeling.overview.questionnaire.growing import start_growing
from labeling.people.invitations import accept, invite
from labeling.people.models import Role, User
from labeling.refusals import Refusal
from labeling.release.checking import answer_findings, check_now
from labeling.release.choosing import choose
from labeling.release.making import Title, create_release, make_release
from labeling.release.models import Guard

SLUG = "demo"
COORDINATOR = "coordinator@example.org"
ADJUDICATOR = "adjudicator@example.org"
DEMO_PEOPLE = {
    COORDINATOR: ("Cora Coordinator", Role.COORDINATOR),
    "annotator1@example.org": ("Ada Annotator", Role.ANNOTATOR),
    "annotator2@example.org": ("Ben Annotator", Role.ANNOTATOR),
    "annotator3@example.org": ("Chi Annotator", Role.ANNOTATOR),
    ADJUDICATOR: ("Ana Adjudicator", Role.ADJUDICATOR),
}
DEMO_CRITERIA = ["suggested", "inspired", "convention", "consistency"]
DEMO_REASONS = {Guard.OPEN: "It waits for a consensus, and comes with the next release."}
DESCRIPTION = (
    "Did the review ask for the rename? Three people judge each pair of a code review and the method rename "
    "that followed it, independently of each other."
)


def build_demo(wanted_password: str) -> str | None:
    """Adds what is missing. Returns the password of all demo accounts when it is known here, else None."""
    coordinator = User.objects.filter(email=COORDINATOR).first()
    password = wanted_password or (None if coordinator else secrets.token_urlsafe(9))
    must_set = bool(password) and not (coordinator and coordinator.check_password(password or ""))
    project = Project.objects.filter(slug=SLUG).select_related("created_by").first()
    if project and (project.created_by is None or project.created_by.email != COORDINATOR):
        raise Refusal(f"The address “{SLUG}” belongs to a project that is not the demo, so no demo was made.")
    people = {
        email: demo_person(email, name, password if must_set else None) for email, (name, _) in DEMO_PEOPLE.items()
    }
    if project is None:  # only now: whoever was removed from the demo, or archived it, is not contradicted
        project = create_project(
            name="Method names in code review", slug=SLUG, description=DESCRIPTION, by=people[COORDINATOR]
        )
        fill_demo(project, people)
    return password


def fill_demo(project: Project, people: dict[str, User]) -> None:
    coordinator = people[COORDINATOR]
    for email, (_, role) in DEMO_PEOPLE.items():
        if email != COORDINATOR:
            invitation, _ = invite(project, email=email, role=role, by=coordinator)
            accept(invitation, by=people[email])
    if shutil.which("git"):
        mine_harbour(project, by=coordinator)
        judge_harbour(project, people)
    start_growing(project, by=coordinator)  # a worker does it: whoever waits for the first page need not


def judge_harbour(project: Project, people: dict[str, User]) -> None:
    """A trial round that is closed, so that there is agreement to look at, and one that is half judged."""
    coordinator = people[COORDINATOR]
    annotators = [people[email] for email, (_, role) in DEMO_PEOPLE.items() if role == Role.ANNOTATOR]
    protocol = create_built_in(project, name="rename4j", by=coordinator)
    for name, shares in {"Trial round": (1, 1, 1), "First round": (0.9, 0.75, 0.5)}.items():
        design = Design(name=name, protocol=protocol.latest, annotators=annotators, votes=3, seed=7)
        round, job = create_round(project, design, by=coordinator)
        running.run(job.pk, {job.kind: plan_round})
        round.refresh_from_db()
        rng = Random(name)  # noqa: S311 (a demo, the same every time)
        for annotator, share in zip(annotators, shares, strict=True):
            for _ in range(int(round.item_count * share)):
                judge_item(annotator, round, rng)
        if min(shares) == 1:
            close_round(round, by=coordinator)
            settle_demo(round, coordinator=coordinator, adjudicator=people[ADJUDICATOR])
            release_trial(project, round, by=coordinator)


def release_trial(project: Project, round: Round, *, by: User) -> None:
    """The first release, of what the votes of the trial round settle; what they leave open is waived as such."""
    choice = choose(project, rounds=[round.name], filters=["decision=include"])
    found = sorted(check_now(choice).findings, key=lambda one: (one.guard.value, one.item))
    for guard, findings in groupby(found, key=lambda one: one.guard):
        pairs = [(guard.value, one.item) for one in findings]
        answer_findings(project, pairs, reason=DEMO_REASONS.get(guard, "Looked at, and kept."), leave_out=False, by=by)
    _, job = create_release(choice, Title("Names of the harbour", notes="A trial."), by=by)
    running.run(job.pk, {job.kind: make_release})


def judge_item(annotator: User, round: Round, rng: Random) -> None:
    assignment = next_assignment(annotator, round)
    if assignment is None:
        return
    content = assignment.round_item.item.content
    seconds = rng.uniform(8, 40)
    if rng.random() < 0.05:  # noqa: PLR2004 (now and then)
        skip(annotator, assignment.pk, reason="I know this code too well to judge it.")
        return
    ballot = Ballot(
        submission=UUID(int=rng.getrandbits(128)),
        answers=demo_answers(content, rng),
        flag="The thread speaks of two names." if rng.random() < 0.08 else "",  # noqa: PLR2004
        timing={"wall": seconds + 4, "active": seconds, "idle": 4},
    )
    cast_vote(annotator, assignment.pk, ballot)


def demo_answers(content: Kind, rng: Random) -> dict[str, object]:
    """What the item calls for, which is the same for everybody, and now and then something else."""
    usual = Random(content.title)  # noqa: S311 (a demo, the same every time)
    is_merged = getattr(getattr(content, "pull_request", None), "state", "") == "merged"
    calls_for_it = is_merged and usual.random() > 0.3  # noqa: PLR2004 (so that both answers occur)
    criteria = usual.sample(DEMO_CRITERIA, 2)
    if calls_for_it != (rng.random() < 0.12):  # noqa: PLR2004 (enough to disagree)
        return {"decision": "include", "criteria": criteria[: rng.choice([1, 1, 2])]}
    return {"decision": "exclude", "reason": "unconnected" if is_merged else "not_accepted"}


def mine_harbour(project: Project, *, by: User) -> None:
    """Makes the demo's git history and mines it here and now, by the code that a worker would run."""
    folder = repositories_folder()
    folder.mkdir(parents=True, exist_ok=True)
    clone, reviews = folder / "harbour", folder / "harbour.jsonl"
    shutil.rmtree(clone, ignore_errors=True)
    changes = build_harbour(clone)
    reviews.write_text("".join(json.dumps(change.write()) + "\n" for change in changes))
    job = start_mining(project, by=by, git=str(clone), reviews=str(reviews))
    running.run(job.pk, {job.kind: mine})


def demo_person(email: str, name: str, password: str | None) -> User:
    """The account, made when it is missing; its password is touched only when one is given."""
    user = User.objects.filter(email=email).first()
    if user is None:
        return User.objects.create_user(email, password, name=name, can_create_projects=email == COORDINATOR)
    if password:
        user.set_password(password)
        user.save(update_fields=["password"])
    return user
