"""doccano on SQLite: its web server with as many workers as its command takes, on the loopback, and its task queue."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import closing

from bench.side_by_side.adapters import ANNOTATORS, OPTIONS, Adapter, Annotator, seconds_of
from bench.side_by_side.client import Client, Failed, wait_until
from bench.side_by_side.processes import clean_environment, run

PASSWORD = "bench-only-4711"  # noqa: S105 (of an installation that lives for minutes)


class Doccano(Adapter):
    name = "doccano, SQLite"
    package = "doccano"
    why_not = {3: "no overlap: one for all, or all by everybody"}

    def start(self) -> None:
        self.database = self.folder / "db.sqlite3"
        command = str(self.venv() / "bin" / "doccano")
        code = next(self.venv().glob("lib/python*/site-packages/backend"))
        environment = clean_environment(
            DOCCANO_HOME=str(self.folder),
            DATABASE_URL=f"sqlite:///{self.database}",
            MEDIA_ROOT=str(self.folder / "media"),
            STANDALONE="True",
            DJANGO_SETTINGS_MODULE="config.settings.production",
        )
        run([command, "init"], environment=environment, folder=self.folder)
        account = ["--username", "coordinator", "--password", PASSWORD, "--email", "coordinator@example.org"]
        run([command, "createuser", *account], environment=environment, folder=self.folder)
        workers = (os.cpu_count() or 1) * 2 + 1  # as `doccano webserver` has them, which listens to all the world
        self.serve(
            [str(self.venv() / "bin" / "python"), "-m", "gunicorn", "--workers", str(workers),
             "--bind", f"127.0.0.1:{self.port}", "--timeout", "600", "--chdir", str(code), "config.wsgi"],
            environment,
        )  # fmt: skip
        self.serve([command, "task"], environment)
        self.wait_for_page("/auth")
        self.accounts: dict[str, Client] = {}

    def api(self, who: str) -> Client:
        if who not in self.accounts:
            fields = {"username": who, "password": PASSWORD}
            key = self.client().post("/v1/auth/login/", fields)["key"]
            self.accounts[who] = self.client({"Authorization": f"Token {key}"})
        return self.accounts[who]

    def new_project(self, name: str, *, overlap: int) -> int:
        """Shared by all, so that an item is done when one has judged it, and in an order of each one's own, because
        in the same order all would be shown the same item."""
        api = self.api("coordinator")
        body = {
            "name": name,
            "description": name,
            "project_type": "DocumentClassification",
            "resourcetype": "TextClassificationProject",
            "single_class_classification": True,
            "collaborative_annotation": True,
            "random_order": True,
            "tags": [],
        }
        project = int(api.post("/v1/projects", body)["id"])
        for option in OPTIONS:
            api.post(f"/v1/projects/{project}/category-types", {"text": option})
        self.add_members(api, project)
        return project

    def add_members(self, api: Client, project: int) -> None:
        role = next(role["id"] for role in api.get("/v1/roles") if role["name"] == "annotator")
        known = {user["username"]: user["id"] for user in api.get("/v1/users")}
        for number in range(ANNOTATORS):
            name = f"rater{number}"
            if name not in known:
                fields = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
                known[name] = api.post("/v1/users/create", fields)["id"]
            api.post(f"/v1/projects/{project}/members", {"user": known[name], "role": role})

    def import_items(self, project: int | str, items: list[str]) -> float:
        return self.send(project, [{"text": text, "label": []} for text in items])

    def send(self, project: int | str, rows: list[dict[str, object]]) -> float:
        api = self.api("coordinator")
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
        started = time.perf_counter()
        upload = api.upload("/v1/fp/process/", "items.jsonl", content)
        body = {
            "format": "JSONL",
            "task": "DocumentClassification",
            "uploadIds": [upload.decode() if isinstance(upload, bytes) else str(upload)],
            "column_data": "text",
            "column_label": "label",
            "encoding": "utf_8",
        }
        result = self.wait_for_task(api, api.post(f"/v1/projects/{project}/upload", body)["task_id"])
        if result["error"]:
            raise Failed(f"import: {result['error'][:1]}")
        return seconds_of(started)

    def wait_for_task(self, api: Client, task: str) -> dict[str, list[object]]:
        found = wait_until(lambda: (one := api.get(f"/v1/tasks/status/{task}"))["ready"] and one, 1_800, "A task")
        if found["error"]:
            raise Failed(f"task: {found['error']}")
        return found["result"] if isinstance(found["result"], dict) else {}

    def annotator(self, project: int | str, number: int) -> Annotator:
        labels = self.api("coordinator").get(f"/v1/projects/{project}/category-types")
        return DoccanoAnnotator(self.api(f"rater{number}"), project, labels[0]["id"])

    def over_assigned(self, project: int | str, *, overlap: int) -> int:
        return self.ask(
            "SELECT COUNT(*) FROM (SELECT c.example_id FROM labels_category c JOIN examples_example e "
            "ON e.id = c.example_id WHERE e.project_id = ? GROUP BY c.example_id HAVING COUNT(*) > ?)",
            (int(project), overlap),
        )

    def ask(self, statement: str, values: tuple[int, ...]) -> int:
        with closing(sqlite3.connect(self.database, timeout=60)) as connection, connection:
            row = connection.execute(statement, values).fetchone()
            return int(row[0]) if row else 0

    def judged_project(self, name: str, items: list[str]) -> int:
        """The import takes labels along; that they are finished goes straight into the table."""
        project = self.new_project(name, overlap=1)
        self.send(project, [{"text": text, "label": ["yes"]} for text in items])
        self.ask(
            "INSERT INTO examples_examplestate (confirmed_at, confirmed_by_id, example_id) "
            "SELECT CURRENT_TIMESTAMP, p.created_by_id, e.id FROM examples_example e "
            "JOIN projects_project p ON p.id = e.project_id WHERE p.id = ?",
            (project,),
        )
        return project

    def open_page(self, project: int | str) -> None:
        """The project's home with its progress, and the first items of the dataset."""
        api = self.api("coordinator")
        for path in (
            f"/projects/{project}",
            f"/v1/projects/{project}",
            f"/v1/projects/{project}/my-role",
            f"/v1/projects/{project}/metrics/progress",
            f"/v1/projects/{project}/examples?limit=10&offset=0",
        ):
            api.get(path)

    def export(self, project: int | str) -> int:
        api = self.api("coordinator")
        body = {"format": "JSONL", "exportApproved": True}
        task = api.post(f"/v1/projects/{project}/download", body)["task_id"]
        self.wait_for_task(api, task)
        return len(api.fetch(f"/v1/projects/{project}/download?taskId={task}"))


class DoccanoAnnotator(Annotator):
    def __init__(self, api: Client, project: int | str, label: int) -> None:
        self.api, self.project, self.label = api, project, label

    def next(self) -> str | None:
        found = self.api.get(f"/v1/projects/{self.project}/examples?limit=1&offset=0&confirmed=false")["results"]
        return str(found[0]["id"]) if found else None

    def submit(self, item: str) -> None:
        path = f"/v1/projects/{self.project}/examples/{item}"
        self.api.post(f"{path}/categories", {"label": self.label})
        self.api.post(f"{path}/states", {})
