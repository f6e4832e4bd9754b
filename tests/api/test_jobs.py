from __future__ import annotations

from labeling import tasks
from labeling.corpus.models import Project
from labeling.jobs import running
from labeling.people.models import User
from tests.api.test_projects import caller


def test_export_is_started_watched_and_fetched(project: Project, alice: User) -> None:
    client = caller(alice)
    started = client.post("/api/v1/projects/names/activity/export/")
    assert started.status_code == 202
    url = f"/api/v1/projects/names/jobs/{started.json()['id']}/"
    assert client.get(url).json()["state"] == "queued"
    assert client.get(f"{url}file/").status_code == 404
    running.run(started.json()["id"], tasks.WORK)
    job = client.get(url).json()
    assert (job["state"], job["done"]) == ("finished", job["total"])
    assert client.get(f"{url}file/").getvalue().startswith(b"id,at,actor")
    assert client.get("/api/v1/projects/names/jobs/").json()["results"] == [job]


def test_job_is_cancelled_and_retried(project: Project, alice: User) -> None:
    client = caller(alice)
    url = f"/api/v1/projects/names/jobs/{client.post('/api/v1/projects/names/activity/export/').json()['id']}/"
    assert client.post(f"{url}cancel/").json()["state"] == "cancelled"
    assert client.post(f"{url}cancel/").status_code == 409
    assert client.post(f"{url}retry/").json()["state"] == "queued"
    assert client.post(f"{url}retry/").status_code == 409


def test_activity_is_listed_with_its_actor(project: Project, alice: User) -> None:
    rows = caller(alice).get("/api/v1/projects/names/activity/").json()["results"]
    assert {(row["actor"], row["verb"]) for row in rows} >= {("alice@example.org", "created the project")}
