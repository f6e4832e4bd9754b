"""Our own app, as `bin/run` starts it: web, worker and a private Redis, on SQLite or PostgreSQL."""

from __future__ import annotations

import json
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.side_by_side.adapters import OPTIONS, QUESTION, Adapter, Annotator, seconds_of
from bench.side_by_side.client import Client, Failed, wait_until
from bench.side_by_side.databases import postgres
from bench.side_by_side.processes import PYTHON, clean_environment, run

ROOT = Path(__file__).resolve().parent.parent.parent
INSIDE = Path(__file__).with_name("inside.py")
BATCH, AT_ONCE = 1_000, 3
PROTOCOL = {
    "title": "Bench",
    "questions": [
        {"key": "about", "text": QUESTION, "options": [{"key": key, "label": key.title()} for key in OPTIONS]}
    ],
}


class Ours(Adapter):
    name = "Concord, SQLite"
    package = "concord"

    def environment(self) -> dict[str, str]:
        return clean_environment(
            VAR_DIR=str(self.folder / "var"),
            DATABASE_URL=self.database(),
            HOST="127.0.0.1",
            PORT=str(self.port),
            LOG_LEVEL="WARNING",
            API_RATE_USER="100000000",
            API_RATE_ANONYMOUS="100000000",
        )

    def database(self) -> str:
        return ""

    def start(self) -> None:
        self.settings = self.environment()
        (self.folder / "var").mkdir()
        if self.python() != PYTHON:
            forget_compiled(self.venv())
        self.serve([self.python(), "-m", "annotator.serve", "--without-demo"], self.settings, folder=ROOT)
        self.wait_for_page("/login/")
        self.people: dict[str, Any] | None = None
        self.speaking: dict[str, Client] = {}

    def python(self) -> str:
        """That of an installation without what only developers need, where `--install` has made one."""
        try:
            return str(self.venv() / "bin" / "python")
        except Failed:
            return PYTHON

    def inside(self, act: str, *arguments: str) -> Any:
        """What no script could do from outside, and what is not measured."""
        printed = run([PYTHON, str(INSIDE), act, *arguments], environment=self.settings, folder=ROOT, seconds=3_600)
        return json.loads(printed.splitlines()[-1])

    def tokens(self) -> dict[str, Any]:
        if self.people is None:
            self.people = dict(self.inside("people"))
        return self.people

    def api(self, token: str) -> Client:
        if token not in self.speaking:
            self.speaking[token] = self.client({"Authorization": f"Bearer {token}"})
        return self.speaking[token]

    def coordinator(self) -> Client:
        return self.api(self.tokens()["coordinator"])

    def new_project(self, name: str, *, overlap: int) -> str:
        api = self.coordinator()
        slug: str = api.post("/api/v1/projects/", {"name": name})["slug"]
        self.inside("members", slug)
        api.post(f"/api/v1/projects/{slug}/protocols/", {"content": PROTOCOL})
        return slug

    def import_items(self, project: int | str, items: list[str]) -> float:
        """Three calls at a time: while the items of one are being stored, those of the others are sent and checked."""
        rows = [pair(number, text) for number, text in enumerate(items)]
        parts = iter([rows[first : first + BATCH] for first in range(0, len(rows), BATCH)])
        token, one_at_a_time = self.tokens()["coordinator"], threading.Lock()
        apis = [self.client({"Authorization": f"Bearer {token}"}) for _ in range(AT_ONCE)]

        def send(api: Client) -> None:
            while True:
                with one_at_a_time:
                    part = next(parts, None)
                if part is None:
                    return
                outcome = api.post(f"/api/v1/projects/{project}/items/", {"kind": "text_pair", "items": part})
                if outcome["new"] != len(part):
                    raise Failed(f"{outcome['bad']} items were refused: {outcome['first_bad'][:1]}")

        started = time.perf_counter()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(send, apis))
        return seconds_of(started)

    def open_project(self, project: int | str, *, overlap: int) -> None:
        body = {"name": "Main", "protocol": "Bench", "annotators": self.tokens()["emails"], "votes": overlap, "seed": 1}
        self.wait_for_job(project, self.coordinator().post(f"/api/v1/projects/{project}/rounds/", body)["job"]["id"])

    def settle(self, project: int | str) -> None:
        """Its items are being made searchable."""
        for job in self.coordinator().get(f"/api/v1/projects/{project}/jobs/")["results"]:
            self.wait_for_job(project, job["id"])

    def wait_for_job(self, project: int | str, job: int) -> None:
        api = self.coordinator()

        def ended() -> Any:
            found = api.get(f"/api/v1/projects/{project}/jobs/{job}/")
            return found if found["ended_at"] else None

        found = wait_until(ended, 1_800, "A job")
        if found["state"] != "finished":
            raise Failed(f"{found['title']}: {found['error']}")

    def annotator(self, project: int | str, number: int) -> Annotator:
        return OurAnnotator(self.api(self.tokens()["annotators"][number]), project)

    def over_assigned(self, project: int | str, *, overlap: int) -> int:
        return int(self.inside("over", str(project)))

    def judged_project(self, name: str, items: list[str]) -> str:
        slug = self.new_project(name, overlap=1)
        self.import_items(slug, items)
        self.open_project(slug, overlap=1)
        self.inside("judge", slug)
        return slug

    def open_page(self, project: int | str) -> None:
        """As a coordinator who is logged in: the project's home, and the list of its items."""
        browser = self.browser()
        for path in (f"/projects/{project}/", f"/projects/{project}/items/"):
            browser.get(path)

    def browser(self) -> Client:
        if not hasattr(self, "logged_in"):
            client = self.client()
            client.get("/login/")
            fields = {"username": "coordinator@example.org", "password": self.tokens()["password"]}
            client.form("/login/", {**fields, "csrfmiddlewaretoken": client.cookies["csrftoken"]})
            self.logged_in = client
        return self.logged_in

    def export(self, project: int | str) -> int:
        """The texts by one job, the judgements by another: together what the others put into one file."""
        api = self.coordinator()
        jobs = [
            api.post(f"/api/v1/projects/{project}/items/export/", {"kind": "text_pair", "form": "jsonl"})["id"],
            api.post(f"/api/v1/projects/{project}/agreement/export/", {})["id"],
        ]
        size = 0
        for job in jobs:
            self.wait_for_job(project, job)
            size += len(api.fetch(f"/api/v1/projects/{project}/jobs/{job}/file/"))
        return size


class OursOnPostgres(Ours):
    name = "Concord, PostgreSQL"

    def database(self) -> str:
        return self.stack.enter_context(postgres()).url


class OursInOneCall(OursOnPostgres):
    name = "Concord, PostgreSQL, next item with the vote"

    def annotator(self, project: int | str, number: int) -> Annotator:
        return Hurried(self.api(self.tokens()["annotators"][number]), project)


class OurAnnotator(Annotator):
    def __init__(self, api: Client, project: int | str) -> None:
        self.api, self.project = api, project

    def next(self) -> str | None:
        return handed(self.api.post(f"/api/v1/projects/{self.project}/next/"))

    def submit(self, item: str) -> None:
        self.api.post(f"/api/v1/assignments/{item}/vote/", ballot())


class Hurried(OurAnnotator):
    """Has the next item brought with the answer to the vote; only the first is asked for."""

    brought: str | None = None

    @property
    def has_next(self) -> bool:
        return self.brought is not None

    def next(self) -> str | None:
        return self.brought or super().next()

    def submit(self, item: str) -> None:
        self.brought = None
        answer = self.api.post(f"/api/v1/assignments/{item}/vote/", {**ballot(), "next": {}})
        self.brought = handed(answer["next"])


def forget_compiled(venv: Path) -> None:
    """An installation compiles nothing, so that its first start does; each of ours is to be the first."""
    for folder in [
        *venv.rglob("__pycache__"),
        *ROOT.glob("annotator/**/__pycache__"),
        *ROOT.glob("labeling/**/__pycache__"),
    ]:
        shutil.rmtree(folder, ignore_errors=True)


def ballot() -> dict[str, Any]:
    return {"submission": str(uuid4()), "answers": {"about": "yes"}}


def handed(answer: dict[str, Any]) -> str | None:
    return str(answer["assignment"]["id"]) if answer["assignment"] else None


def pair(number: int, text: str) -> dict[str, str]:
    """We have no kind with one text: the halves of it, which is as many bytes."""
    middle = len(text) // 2
    return {"key": f"item-{number}", "first": text[:middle], "second": text[middle:], "title": f"Item {number}"}
