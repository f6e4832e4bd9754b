"""Every page of a project that changes something, against everybody who may not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from labeling.annotation.protocols.editing import create_blank
from labeling.annotation.rounds.views import ACTS
from labeling.corpus.importing import new_item
from labeling.corpus.models import Project
from labeling.jobs.queue import enqueue
from labeling.people.invitations import add_member, invite
from labeling.people.models import Activity, Role, User
from labeling.study.views import ACTS as STUDY_ACTS
from tests.annotation.samples import opened_round
from tests.corpus.samples import review_rename
from tests.study.driving import Taker
from tests.study.studies import study_of

Enter = Callable[[User], Client]

POSTS = [
    "settings/", "archive/", "restore/", "members/invite/", "members/{membership}/remove/",
    "invitations/{invitation}/revoke/", "activity/export/", "jobs/{job}/cancel/", "jobs/{job}/retry/", "items/upload/",
    "items/export/", "items/{item}/comment/", "mining/start/", "mining/github/", "mining/retry/",
    "protocols/new/", "protocols/{protocol}/edit/", "rounds/new/", "agreement/export/", "rounds/{round}/rule/",
    "releases/new/", "releases/check/", "releases/waive/", "releases/withdraw/",
    *("rounds/{round}/" + act + "/" for act in ACTS),
    "studies/new/", *("studies/{study}/" + page + "/" for page in ("design", "texts", "material", "leaks", "plan")),
    *("studies/{study}/" + act + "/" for act in STUDY_ACTS),
    "studies/{study}/participants/invite/", "studies/{study}/participants/1/renew/", "studies/{study}/open-link/",
    "studies/{study}/participants/1/revoke/", "studies/{study}/open-link/revoke/", "studies/{study}/attack/",
    "studies/{study}/results/export/",
]  # fmt: skip


@pytest.fixture
def places(project: Project, alice: User, bob: User) -> dict[str, int]:
    invitation, _ = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    job = enqueue("work", project=project, by=alice, title="Work")
    item = new_item(project, "review_rename", review_rename())
    item.save()
    protocol = create_blank(project, by=alice)
    study = study_of(project)
    Taker(study)
    return {
        "study": study.pk,
        "round": opened_round(project, [bob], protocol=protocol.latest).pk,
        "membership": alice.memberships.get().pk,
        "invitation": invitation.pk,
        "job": job.pk,
        "item": item.pk,
        "protocol": protocol.pk,
    }


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("who", ["anonymous", "outsider", "annotator", "viewer", "superuser"])
def test_nobody_else_changes_anything(
    project: Project, alice: User, bob: User, charlie: User, enter: Enter, places: dict[str, int], who: str, path: str
) -> None:
    if who == "viewer":
        add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    root = User.objects.create_superuser("root@example.org", "x", name="Root")
    people = {"outsider": charlie, "annotator": bob, "viewer": charlie, "superuser": root}
    client = enter(people[who]) if who in people else Client()
    lines = Activity.objects.count()
    response = client.post(f"/projects/names/{path.format(**places)}", {"name": "Names"})
    assert response.status_code == {"anonymous": 302, "outsider": 404, "superuser": 404}.get(who, 403)
    assert Activity.objects.count() == lines


@pytest.mark.parametrize("path", [path for path in POSTS if path != "restore/"])
def test_nothing_changes_in_an_archive(
    project: Project, alice: User, enter: Enter, places: dict[str, int], path: str
) -> None:
    client = enter(alice)
    client.post("/projects/names/archive/", {"name": "Names"})
    lines = Activity.objects.count()
    assert client.post(f"/projects/names/{path.format(**places)}", {"name": "Names"}).status_code == 409
    assert Activity.objects.count() == lines


def test_nobody_joins_an_archive(project: Project, alice: User, enter: Enter) -> None:
    _, token = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    enter(alice).post("/projects/names/archive/", {"name": "Names"})
    response = Client().post(f"/join/{token}/", {"name": "Dora", "password": "a long enough secret"})
    assert response.status_code == 409
    assert not User.objects.filter(email="dora@example.org").exists()


def test_form_sent_without_a_session_leads_back_to_its_page(project: Project) -> None:
    response = Client().post(
        "/projects/names/members/invite/", {}, headers={"Referer": "http://testserver/projects/names/members/"}
    )
    assert response["Location"] == "/login/?next=%2Fprojects%2Fnames%2Fmembers%2F&lost=1"
    elsewhere = Client().post("/projects/names/members/invite/", {}, headers={"Referer": "https://evil.example/x"})
    assert elsewhere["Location"] == "/login/?next=%2F&lost=1"


def test_poll_without_a_session_sends_the_whole_page_to_log_in(project: Project) -> None:
    response = Client().get("/projects/names/jobs/", headers={"HX-Request": "true"})
    assert response["HX-Redirect"] == "/login/?next=/projects/names/jobs/"
