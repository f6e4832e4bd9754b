from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from labeling.corpus.models import Project
from labeling.jobs import queue, running
from labeling.jobs.files import new_file
from labeling.jobs.models import Job, State
from labeling.people.models import User

Enter = Callable[[User], Client]


@pytest.fixture
def job(project: Project, alice: User) -> Job:
    return queue.enqueue("work", project=project, by=alice, title="Import of items.jsonl")


def fail(job: Job, error: str) -> None:
    Job.objects.filter(pk=job.pk).update(state=State.FAILED, error=error, ended_at=timezone.now())


def test_page_shows_progress_and_asks_again_while_the_job_lives(job: Job, alice: User, enter: Enter) -> None:
    Job.objects.filter(pk=job.pk).update(done=1200, total=4000)
    page = enter(alice).get(f"/projects/names/jobs/{job.pk}/").text
    assert "1,200 of 4,000" in page
    assert "every 1s" in page
    fail(job, "")
    assert "every 1s" not in enter(alice).get(f"/projects/names/jobs/{job.pk}/").text


def test_failed_job_shows_its_error_and_can_be_tried_again(job: Job, alice: User, enter: Enter) -> None:
    fail(job, "Row 7 has no <name>.")
    page = enter(alice).get(f"/projects/names/jobs/{job.pk}/").text
    assert "Row 7 has no &lt;name&gt;." in page
    assert enter(alice).post(f"/projects/names/jobs/{job.pk}/retry/").status_code == 302
    assert Job.objects.get().state == State.QUEUED


def test_waiting_job_can_be_cancelled(job: Job, alice: User, enter: Enter) -> None:
    assert enter(alice).post(f"/projects/names/jobs/{job.pk}/cancel/").status_code == 302
    assert Job.objects.get().state == State.CANCELLED
    again = enter(alice).post(f"/projects/names/jobs/{job.pk}/cancel/")
    assert again.status_code == 409
    assert "already ended" in again.text


def test_file_is_given_to_coordinators_only(job: Job, alice: User, bob: User, charlie: User, enter: Enter) -> None:
    def work(held: running.Run) -> dict[str, str]:
        with new_file(held.job, "items.csv") as file:
            file.write("id\n1\n")
        return {"file": "items.csv"}

    running.run(job.pk, {"work": work})
    url = f"/projects/names/jobs/{job.pk}/file/"
    response = enter(alice).get(url)
    assert response.getvalue() == b"id\n1\n"
    assert response["Content-Disposition"] == 'attachment; filename="items.csv"'
    assert enter(bob).get(url).status_code == 403
    assert enter(charlie).get(url).status_code == 404


def test_half_a_file_is_never_seen(job: Job) -> None:
    def work(held: running.Run) -> dict[str, str]:
        with new_file(held.job, "items.csv") as file:
            file.write("id\n")
            raise running.JobError("stopped")

    running.run(job.pk, {"work": work})
    from labeling.jobs.files import folder

    assert list(folder(job).iterdir()) == []


def test_result_cannot_name_a_file_elsewhere(job: Job, alice: User, enter: Enter) -> None:
    Job.objects.filter(pk=job.pk).update(
        state=State.FINISHED, ended_at=timezone.now(), result={"file": "../../../secret_key"}
    )
    assert enter(alice).get(f"/projects/names/jobs/{job.pk}/file/").status_code == 404


def test_job_of_another_project_is_not_found(job: Job, alice: User, enter: Enter) -> None:
    from labeling.corpus.projects import create_project

    create_project(name="Other", slug="other", by=alice)
    assert enter(alice).get(f"/projects/other/jobs/{job.pk}/").status_code == 404


@pytest.mark.parametrize("many", [3, 30])
def test_list_costs_the_same_for_few_and_many(
    project: Project, alice: User, enter: Enter, many: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(many):
        queue.enqueue("work", project=project, by=alice, title=f"Job {number}")
    client = enter(alice)
    with django_assert_num_queries(6):
        assert "Job 1" in client.get("/projects/names/jobs/").text


def test_list_has_what_people_started_and_says_when_a_helper_failed(
    job: Job, project: Project, alice: User, enter: Enter
) -> None:
    helpers = [queue.enqueue("share", project=project, by=alice, title="Help", parent=job.pk) for _ in range(2)]
    other = queue.enqueue("work", project=project, by=alice, title="Another import")
    client = enter(alice)
    page = client.get("/projects/names/jobs/").text
    assert [f"jobs/{one.pk}/" in page for one in (job, other, *helpers)] == [True, True, False, False]
    assert "A helper failed" not in page
    fail(helpers[1], "GitHub said no.")
    assert client.get("/projects/names/jobs/").text.count("A helper failed") == 1
    parent = client.get(f"/projects/names/jobs/{job.pk}/").text
    assert "2 helpers beside it" in parent
    assert "GitHub said no." in parent
    assert client.get(f"/projects/names/jobs/{helpers[1].pk}/").status_code == 200
    assert "helper" not in client.get(f"/projects/names/jobs/{other.pk}/").text
