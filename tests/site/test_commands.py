from __future__ import annotations

import json
import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from labeling.corpus.models import Project
from labeling.jobs.models import Job
from labeling.people.models import User


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command(*arguments)
    return capsys.readouterr().out.strip()


def test_first_coordinator_sets_a_password_and_starts_a_project(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "create_coordinator", "Eve@example.org", "--name", "Eve")
    path = re.search(r"http://[^/]+(/password/set/\S+)", text)
    assert path
    client = Client()
    form = client.get(path[1], follow=True).redirect_chain[-1][0]
    new = "entirely different words"
    client.post(form, {"new_password1": new, "new_password2": new})
    client.post("/login/", {"username": "eve@example.org", "password": new})
    assert client.post("/projects/new/", {"name": "First"}).status_code == 302


def test_create_coordinator_again_keeps_the_account(alice: User, capsys: pytest.CaptureFixture[str]) -> None:
    User.objects.update(can_create_projects=False)
    output(capsys, "create_coordinator", alice.email)
    alice.refresh_from_db()
    assert (alice.can_create_projects, alice.name) == (True, "Alice")


def test_create_coordinator_refuses_what_is_no_address(db: None) -> None:
    with pytest.raises(CommandError, match="not an e-mail address"):
        call_command("create_coordinator", "eve")


def test_password_link_for_somebody_unknown(db: None) -> None:
    with pytest.raises(CommandError, match="no account"):
        call_command("password_link", "eve@example.org")


def test_project_invitation_and_export_by_command(alice: User, capsys: pytest.CaptureFixture[str]) -> None:
    slug = output(capsys, "create_project", "By command", "--coordinator", alice.email)
    link = output(capsys, "invite", slug, "dora@example.org", "--role", "adjudicator")
    path = re.search(r"http://[^/]+(/join/\S+)", link)
    assert path
    assert "<strong>adjudicator</strong>" in Client().get(path[1]).text
    number = output(capsys, "export_activity", slug)
    listed = json.loads(output(capsys, "jobs", "--project", slug, "--format", "json"))
    assert (listed["id"], listed["state"]) == (int(number), "queued")
    assert output(capsys, "jobs", "--state", "failed") == ""
    assert Job.objects.get().project.slug == slug


def test_commands_name_what_is_wrong(project: Project, alice: User) -> None:
    with pytest.raises(CommandError, match=r"no project “nothing”\. Projects: names"):
        call_command("invite", "nothing", "dora@example.org")
    with pytest.raises(CommandError, match="already has the address"):
        call_command("create_project", "Names", "--coordinator", alice.email)
    with pytest.raises(CommandError, match="already is annotator"):
        call_command("invite", "names", "bob@example.org")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["create_project", "x", "--slug", "Bad Slug/x", "--coordinator", "alice@example.org"], "slug: "),
        (["create_project", "x" * 200, "--slug", "x", "--coordinator", "alice@example.org"], "name: "),
        (["invite", "names", "not-an-address"], "is not an e-mail address"),
        (["invite", "names", "x" * 300 + "@example.org"], "is not an e-mail address"),
    ],
)
def test_commands_refuse_what_pages_refuse(project: Project, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command(*arguments)


def test_demo_leaves_a_real_project_of_its_name_alone(alice: User) -> None:
    from labeling.corpus.projects import create_project

    real = create_project(name="Real", slug="demo", by=alice)
    with pytest.raises(CommandError, match="belongs to a project that is not the demo"):
        call_command("demo")
    assert [membership.user for membership in real.memberships.all()] == [alice]
