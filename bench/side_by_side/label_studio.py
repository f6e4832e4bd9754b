"""Label Studio: with SQLite by its own command, with PostgreSQL behind four gunicorn workers."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path

from bench.side_by_side.adapters import OPTIONS, QUESTION, Adapter, Annotator, seconds_of
from bench.side_by_side.client import NOT_FOUND, Client, Failed
from bench.side_by_side.databases import postgres
from bench.side_by_side.processes import clean_environment, run

PASSWORD = "bench-only-4711"  # noqa: S105 (of an installation that lives for minutes)
WORKERS = "4"
CHOICES = "".join(f'<Choice value="{option}"/>' for option in OPTIONS)
CONFIG = (
    f'<View><Header value="{QUESTION}"/><Text name="text" value="$text"/>'
    f'<Choices name="about" toName="text" choice="single">{CHOICES}</Choices></View>'
)
RESULT = [{"from_name": "about", "to_name": "text", "type": "choices", "value": {"choices": ["yes"]}}]
QUIET = {
    "COLLECT_ANALYTICS": "False",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "LATEST_VERSION_CHECK": "False",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "LOG_LEVEL": "ERROR",
}


class LabelStudio(Adapter):
    name = "Label Studio, SQLite"
    package = "label-studio"

    def start(self) -> None:
        self.serve(
            [str(self.venv() / "bin" / "label-studio"), "start", "--no-browser",
             "--internal-host", "127.0.0.1", "--port", str(self.port)],
            self.environment(),
        )  # fmt: skip
        self.begin()

    def environment(self, **more: str) -> dict[str, str]:
        return clean_environment(**QUIET, LABEL_STUDIO_BASE_DATA_DIR=str(self.folder / "data"), **more)

    def begin(self) -> None:
        self.wait_for_page("/user/login/")
        self.accounts: dict[str, Client] = {}

    def api(self, who: str) -> Client:
        """By the token of an account, which is signed up when it is first named."""
        if who not in self.accounts:
            client = self.client()
            client.get("/user/signup/")
            fields = {"email": f"{who}@example.org", "password": PASSWORD}
            client.form("/user/signup/", {**fields, "csrfmiddlewaretoken": client.cookies["csrftoken"]})
            token = client.get("/api/current-user/token")["token"]
            self.accounts[who] = self.client({"Authorization": f"Token {token}"})
        return self.accounts[who]

    def new_project(self, name: str, *, overlap: int) -> int:
        body = {"title": name, "label_config": CONFIG, "maximum_annotations": overlap}
        return int(self.api("coordinator").post("/api/projects/", body)["id"])

    def import_items(self, project: int | str, items: list[str]) -> float:
        return self.send(project, ({"data": {"text": text}} for text in items))

    def send(self, project: int | str, rows: Iterable[object]) -> float:
        """In one call: two at a time take three times as long on SQLite, because each waits for the other."""
        api, body = self.api("coordinator"), list(rows)
        started = time.perf_counter()
        api.post(f"/api/projects/{project}/import?return_task_ids=false", body)
        return seconds_of(started)

    def annotator(self, project: int | str, number: int) -> Annotator:
        return LabelStudioAnnotator(self.api(f"rater{number}"), project)

    def over_assigned(self, project: int | str, *, overlap: int) -> int:
        tasks = json.loads(self.exported(project))
        return sum(len(task["annotations"]) > overlap for task in tasks)

    def judged_project(self, name: str, items: list[str]) -> int:
        project = self.new_project(name, overlap=1)
        for first in range(0, len(items), 10_000):
            part = items[first : first + 10_000]
            self.send(project, ({"data": {"text": text}, "annotations": [{"result": RESULT}]} for text in part))
        return project

    def open_page(self, project: int | str) -> None:
        """The data manager: its page, what it asks about the project, and the first tasks."""
        api = self.api("coordinator")
        for path in (
            f"/projects/{project}/data",
            f"/api/projects/{project}/",
            f"/api/dm/project/?project={project}",
            f"/api/dm/columns/?project={project}",
            f"/api/tasks/?project={project}&page=1&page_size=30&fields=all",
        ):
            api.get(path)

    def export(self, project: int | str) -> int:
        return len(self.exported(project))

    def exported(self, project: int | str) -> bytes:
        return self.api("coordinator").fetch(f"/api/projects/{project}/export?exportType=JSON")


class LabelStudioOnPostgres(LabelStudio):
    name = "Label Studio, PostgreSQL"

    def start(self) -> None:
        parts = self.stack.enter_context(postgres()).parts
        more = {f"POSTGRE_{key.upper()}": value for key, value in parts.items()}
        environment = self.environment(DJANGO_DB="default", DJANGO_SETTINGS_MODULE="core.settings.label_studio", **more)
        python = str(self.venv() / "bin" / "python")
        code = next(self.venv().glob("lib/python*/site-packages/label_studio"))
        run([python, "manage.py", "migrate", "--no-color", "-v", "0"], environment=environment, folder=code)
        self.serve(
            [python, "-m", "gunicorn", "--workers", WORKERS, "--bind", f"127.0.0.1:{self.port}", "--timeout", "600",
             "--chdir", str(code), "core.wsgi:application"],
            environment,
            folder=Path(code),
        )  # fmt: skip
        self.begin()


class LabelStudioAnnotator(Annotator):
    def __init__(self, api: Client, project: int | str) -> None:
        self.api, self.project = api, project

    def next(self) -> str | None:
        try:
            return str(self.api.get(f"/api/projects/{self.project}/next/")["id"])
        except Failed as error:
            if error.status == NOT_FOUND:  # its way to say that nothing is left
                return None
            raise

    def submit(self, item: str) -> None:
        self.api.post(f"/api/tasks/{item}/annotations/", {"result": RESULT, "lead_time": 9.0})
