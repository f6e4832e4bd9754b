"""The pages of releases: what a coordinator decides, and what others may see."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from labeling.corpus.models import Item, Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from labeling.release import checking
from labeling.release.models import Release
from tests.release.samples import archive_of, releasable, released, run_job

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]
HERE = "/projects/names/releases/"


def with_finding(project: Project) -> None:
    releasable(project)
    item = project.items.get(key="rocket-000")
    Item.objects.filter(pk=item.pk).update(payload={**item.payload, "body_before": "void load0() { load0(); }"})


def test_coordinator_answers_the_findings_and_freezes_the_release(project: Project, alice: User, enter: Enter) -> None:
    with_finding(project)
    client = enter(alice)
    page = client.get(f"{HERE}new/?filter=include%3Dyes").text
    assert "<strong>6</strong> of 8 judged items" in page
    assert "load0 still in the body" in page
    assert "1 finding above waits for an answer" in page
    sent = {"filter": "include=yes", "guard": "name_in_body", "item": "rocket-000", "reason": "It calls itself."}
    response = client.post(f"{HERE}waive/", sent)
    assert response.status_code == 302
    page = client.get(response["Location"]).text
    assert "Waived: It calls itself. (Alice)" in page
    assert "waits for an answer" not in page
    response = client.post(f"{HERE}new/", {"filter": "include=yes", "name": "Rockets"})
    assert response["Location"] == f"{HERE}1/"
    assert "Being made" in client.get(f"{HERE}1/").text
    release = Release.objects.get()
    assert release.job
    run_job(release.job)
    page = client.get(f"{HERE}1/").text
    assert "<strong>6</strong> of 8 judged items" in page
    assert "83.33 %" in page
    assert "Frozen" in client.get(HERE).text


def test_all_findings_of_a_guard_are_answered_at_once_and_one_withdrawn(
    project: Project, alice: User, enter: Enter
) -> None:
    with_finding(project)
    client = enter(alice)
    sent = {"guard": "name_in_body", "all": "1", "reason": "No.", "answer": "leave_out"}
    client.post(f"{HERE}waive/", sent)
    assert project.waivers.get().leave_out
    assert client.post(f"{HERE}waive/", sent).status_code == 422  # nothing waits any more
    client.post(f"{HERE}withdraw/", {"guard": "name_in_body", "item": "rocket-000"})
    assert not project.waivers.exists()


def test_release_that_fails_says_why(project: Project, alice: User, enter: Enter) -> None:
    with_finding(project)
    client = enter(alice)
    client.post(f"{HERE}new/", {"name": "Rockets"})
    release = Release.objects.get()
    assert release.job
    run_job(release.job)
    assert "load0 still in the body" in client.get(f"{HERE}1/").text
    assert "Not made" in client.get(HERE).text
    assert client.get(f"{HERE}1/download/").status_code == 404


@pytest.mark.parametrize("sent", [{"name": ""}, {"name": "x" * 201}, {"name": "a\nb"}])
def test_release_without_a_proper_name_is_refused(
    project: Project, alice: User, enter: Enter, sent: dict[str, str]
) -> None:
    releasable(project)
    assert enter(alice).post(f"{HERE}new/", sent).status_code == 422
    assert not Release.objects.exists()


@pytest.mark.parametrize("query", ["round=99", "filter=include%3Dperhaps", "filter=%00"])
def test_choice_that_is_not_there_is_refused(project: Project, alice: User, enter: Enter, query: str) -> None:
    releasable(project)
    assert enter(alice).get(f"{HERE}new/?{query}").status_code == 422


def test_files_are_downloads_and_nothing_else_can_be_had(project: Project, alice: User, enter: Enter) -> None:
    releasable(project)
    release = released(project)
    client = enter(alice)
    whole = client.get(f"{HERE}1/download/")
    assert b"".join(whole.streaming_content) == archive_of(release).read_bytes()  # type: ignore[attr-defined]
    assert whole["Content-Disposition"] == 'attachment; filename="names-release-1.zip"'
    one = client.get(f"{HERE}1/files/tables/answers.tex")
    assert one["Content-Type"] == "application/octet-stream"
    assert one["Content-Disposition"].startswith("attachment")
    assert b"booktabs" in b"".join(one.streaming_content)  # type: ignore[attr-defined]
    for name in ("nothing.csv", "../manifest.json", "tables/"):
        assert client.get(f"{HERE}1/files/{name}").status_code == 404
    archive_of(release).unlink()
    assert client.get(f"{HERE}1/download/").status_code == 409
    assert client.get(f"{HERE}1/files/votes.csv").status_code == 409


def test_charts_are_pictures_in_both_themes(project: Project, alice: User, enter: Enter) -> None:
    releasable(project)
    released(project)
    client = enter(alice)
    for name in ("answers", "agreement", "groups"):
        for theme in ("light", "dark"):
            assert client.get(f"{HERE}1/charts/{name}.svg?theme={theme}").content.startswith(b"<svg")
    assert client.get(f"{HERE}1/charts/nothing.svg").status_code == 404
    assert client.get(f"{HERE}1/charts/answers.svg?theme=pink").status_code == 404


def test_two_releases_are_compared(project: Project, alice: User, enter: Enter) -> None:
    releasable(project)
    released(project)
    released(project, filters=("include=no",))
    page = enter(alice).get(f"{HERE}2/since/1/").text
    assert "rocket-000" in page
    assert "rocket-002" in page
    assert "Other answers" in page


def test_viewer_sees_releases_and_an_annotator_does_not(
    project: Project, alice: User, bob: User, charlie: User, enter: Enter
) -> None:
    releasable(project)
    released(project)
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    for path in ("", "1/", "1/download/", "1/files/votes.csv"):
        response = enter(charlie).get(HERE + path)
        assert response.status_code == 200
        list(response)  # a file is closed when it was read
        assert enter(bob).get(HERE + path).status_code == 403
    assert enter(charlie).get(f"{HERE}new/").status_code == 403


def test_empty_project_says_the_next_step(project: Project, alice: User, enter: Enter) -> None:
    assert "First people have to judge items in a round." in enter(alice).get(HERE).text
    assert "Nothing to release yet" in enter(alice).get(f"{HERE}new/").text


def test_many_items_are_looked_at_by_a_worker(
    project: Project, alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "MOST_AT_ONCE", 3)
    releasable(project)
    assert "a worker looks at them" in enter(alice).get(f"{HERE}new/").text
    run_job(project.jobs.get(kind="check_release"))
    assert "<strong>8</strong> of 8 judged items" in enter(alice).get(f"{HERE}new/").text
    assert enter(alice).post(f"{HERE}check/").status_code == 302


def test_pages_cost_the_same_however_many_releases_and_items_there_are(
    project: Project, alice: User, enter: Enter, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    releasable(project)
    client = enter(alice)
    for _ in range(3):
        released(project)
    with django_assert_num_queries(5):
        client.get(HERE)
    with django_assert_num_queries(5):
        client.get(f"{HERE}3/")
