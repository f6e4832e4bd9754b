"""What people do, driven through the pages and the API: no token, vote, name or address of theirs stays in a log, in
the metrics, or readable in the database."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from django.apps import apps
from django.test import Client

from annotator.logs import JsonFormatter
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import annotators, items, opened_round
from tests.api.test_projects import caller
from tests.conftest import PASSWORD
from tests.jobs.waiting import wait_for
from tests.study.driving import BACKGROUND, Taker
from tests.study.studies import study_of

Enter = Callable[[User], Client]
METRICS = {"Authorization": "Bearer metrics-token-for-tests"}
NOTE = "zebra-note-of-a-rater"


def drive(project: Project, alice: User, enter: Enter, outbox: list[object]) -> dict[str, str]:
    """A visit to everything that holds a secret or a person's words; the secrets, and the words."""
    coordinator = enter(alice)
    Client().post("/login/", {"username": alice.email, "password": "wrong-password-words"})
    Client().post("/login/", {"username": alice.email, "password": PASSWORD})
    Client().post("/password/", {"email": alice.email})
    wait_for(lambda: bool(outbox))
    reset = re.search(r"/password/set/(\S+)/(\S+)/", str(getattr(outbox[0], "body", "")))
    assert reset
    Client().get(reset[0], follow=True)
    made = coordinator.post("/projects/names/members/invite/", {"email": "dora@example.org", "role": "viewer"})
    link = re.search(r"/join/([\w-]+)/", coordinator.get(made["Location"]).text)
    assert link
    Client().get(link[0])
    Client().post(link[0], {"name": "Dora Zebra", "password": "a long enough secret"})
    page = coordinator.post("/account/tokens/", {"name": "nightly"}).text
    token = re.search(r'<output id="secret">([^<]+)</output>', page)
    assert token
    Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {token[1]}"})
    Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {token[1]}x"})
    taker = take_part(project)
    return {
        "password": PASSWORD,
        "wrong password": "wrong-password-words",
        "reset link": reset[2],
        "invitation": link[1],
        "API token": token[1],
        "study link": urlsplit(taker.link).path.rstrip("/").rsplit("/", 1)[-1],
        "study cookie": taker.client.cookies["participant"].value,
    }


def take_part(project: Project) -> Taker:
    taker = Taker(study_of(project))
    taker.judge_all()
    taker.finish()
    return taker


def vote(project: Project) -> None:
    items(project, 2)
    (ann,) = annotators(project, 1)
    opened_round(project, [ann])
    found = caller(ann).post("/api/v1/projects/names/next/").json()["assignment"]["id"]
    ballot = {"submission": "00000000-0000-4000-8000-000000000007", "answers": {"include": "no"}, "note": NOTE}
    assert caller(ann).post(f"/api/v1/assignments/{found}/vote/", ballot).status_code == 200


def test_nothing_of_a_person_is_in_logs_or_metrics(
    project: Project, alice: User, enter: Enter, mailoutbox: list[object], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        secrets = drive(project, alice, enter, mailoutbox)
        vote(project)
    logs = "\n".join(JsonFormatter().format(record) for record in caplog.records)
    assert logs.count('"route"') > 30
    metrics = Client().get("/metrics", headers=METRICS).text
    personal = {
        **secrets,
        "address": "@example.org",
        "name": "Zebra",
        "note": NOTE,
        "position": BACKGROUND["answers.position"],
    }
    for what, text in personal.items():
        assert text not in logs, f"{what} is in the log"
        assert text not in metrics, f"{what} is in the metrics"
    assert '"answers"' not in logs


def test_no_secret_is_readable_in_the_database(
    project: Project, alice: User, enter: Enter, mailoutbox: list[object]
) -> None:
    secrets = drive(project, alice, enter, mailoutbox)
    rows = [model for model in apps.get_models() if model._meta.managed]
    content = "\n".join(json.dumps(list(model._base_manager.values()), default=str) for model in rows)
    assert alice.email in content
    for what, text in secrets.items():
        assert text not in content, f"the {what} is readable"
