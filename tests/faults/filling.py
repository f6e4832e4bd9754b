"""Run in a process of the installation: makes projects in which much is to happen, and prints who may do what."""

from __future__ import annotations

import json
import sys
from typing import Any
from urllib.parse import urlsplit

import django

django.setup()

from labeling.consensus.models import Case  # noqa: E402
from labeling.corpus.models import Project  # noqa: E402
from labeling.jobs.queue import enqueue  # noqa: E402
from labeling.people.invitations import add_member  # noqa: E402
from labeling.people.models import ApiToken, Role, User  # noqa: E402
from labeling.study.fieldwork.inviting import invite_many  # noqa: E402
from labeling.study.models import Study  # noqa: E402
from labeling.study.taking.entering import Visit, find_participant  # noqa: E402
from labeling.study.taking.starting import start  # noqa: E402
from tests.annotation.samples import items, opened_round  # noqa: E402
from tests.consensus.samples import disputed  # noqa: E402
from tests.study.studies import study_of  # noqa: E402

ITEMS, VOTES, ANNOTATORS = 60, 3, 16
CASES, PARTICIPANTS = 14, 3
TALLY, JOBS = {"total": 150, "rest": 0.1}, 2


def fill(name: str) -> dict[str, Any]:
    """A round to be judged, cases to be decided, a study to be taken, and jobs that run meanwhile."""
    judging, deciding, talking = (new_project(f"{name}-{stage}") for stage in ("judging", "deciding", "talking"))
    people = crew(judging, ANNOTATORS)
    items(judging, ITEMS)
    round = opened_round(judging, people, votes=VOTES)
    (judith,) = crew(deciding, 1, Role.ADJUDICATOR)
    (alice,) = crew(judging, 1, Role.COORDINATOR)
    talkers = crew(talking, 2)
    study = study_of(judging, methods=3, sheets=PARTICIPANTS)
    return {
        "round": round.pk,
        "annotators": [token(user) for user in people],
        "coordinator": token(alice),
        "adjudicator": token(judith),
        "before_adjudicator": seen(disputed(deciding, crew(deciding, 2), count=CASES, way="adjudicator")),
        "talkers": [token(user) for user in talkers],
        "in_discussion": seen(disputed(talking, talkers, count=CASES)),
        "sheets": [sheet(study) for _ in range(PARTICIPANTS)],
        "jobs": [enqueue("tally", project=judging, by=None, title=f"Tally {n}", **TALLY).pk for n in range(JOBS)],
    }


def new_project(slug: str) -> Project:
    return Project.objects.create(name=slug, slug=slug)


def crew(project: Project, count: int, role: Role = Role.ANNOTATOR) -> list[User]:
    people = [User.objects.create_user(f"{role}{n}@{project.slug}.example.org") for n in range(count)]
    for user in people:
        add_member(project, user=user, role=role, by=None)
    return people


def seen(cases: list[Case]) -> list[list[int]]:
    return [[case.pk, case.version] for case in cases]


def token(user: User) -> str:
    return ApiToken.issue(user=user, name="test")[1]


def sheet(study: Study) -> dict[str, Any]:
    """What the browser of a participant knows once they have started."""
    link = invite_many(study, labels=[""], by=None)[0].link
    secret = urlsplit(link).path.rstrip("/").rpartition("/")[2]
    visit = Visit(study, secret, participant=find_participant(study, secret))
    participant, secret = start(visit, version=1)
    pages = participant.pages.order_by("position")
    return {
        "study": study.code,
        "secret": secret,
        "form": Visit(study, secret).form_token,
        "pages": {page.code: [line.code for line in page.lines.order_by("place")] for page in pages},
    }


if __name__ == "__main__":
    json.dump(fill(sys.argv[1]), sys.stdout)
