"""Potato: one process and one task a server, configured by a file; its state is files too."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

from bench.side_by_side.adapters import ANNOTATORS, OPTIONS, QUESTION, Adapter, Annotator, seconds_of
from bench.side_by_side.client import NOT_FOUND, Client, Failed
from bench.side_by_side.processes import clean_environment, run

PASSWORD = "bench-only-4711"  # noqa: S105 (of an installation that lives for minutes)
KEY = "bench-only"
ANSWER = {"about:::yes": "1"}


class Potato(Adapter):
    name = "Potato, one process"
    package = "potato-annotation"
    with_page = False

    def start(self) -> None:
        """With a single item, because it does not start without."""
        self.tasks = 0
        self.browsers: dict[str, Client] = {}
        self.begin(self.new_task("First", 1), ["One text."])

    def new_task(self, name: str, overlap: int) -> Path:
        self.tasks += 1
        folder = self.folder / f"task{self.tasks}"
        folder.mkdir()
        config = {
            "annotation_task_name": name,
            "task_dir": str(folder),
            "output_annotation_dir": "out",
            "output_annotation_format": "jsonl",
            "data_files": ["items.jsonl"],
            "item_properties": {"id_key": "id", "text_key": "text"},
            "user_config": {"allow_all_users": True, "users": []},
            "assignment_strategy": "random",
            "num_annotators_per_item": overlap,
            "admin_api_key": KEY,
            "annotation_schemes": [
                {"annotation_type": "radio", "name": "about", "description": QUESTION, "labels": OPTIONS}
            ],
        }
        (folder / "config.yaml").write_text(json.dumps(config))  # JSON is YAML
        return folder

    def begin(self, folder: Path, items: list[str]) -> None:
        """Ends the task that runs and starts this one; reading the items is part of the start."""
        for server in self.servers:
            server.stop()
        self.servers.clear()
        self.browsers.clear()
        rows = [json.dumps({"id": f"item-{number}", "text": text}) + "\n" for number, text in enumerate(items)]
        (folder / "items.jsonl").write_text("".join(rows))
        self.started = time.perf_counter()
        command = [str(self.venv() / "bin" / "potato"), "start", "config.yaml"]
        self.serve(
            [*command, "--port", str(self.port), "--host", "127.0.0.1"],
            clean_environment(POTATO_SECRET_KEY=KEY),
            folder=folder,
        )
        self.wait_for_page("/")
        self.running = folder

    def new_project(self, name: str, *, overlap: int) -> str:
        return str(self.new_task(name, overlap))

    def import_items(self, project: int | str, items: list[str]) -> float:
        """How much longer it takes to start with them than with a single one."""
        self.begin(self.new_task("Empty", 1), ["One text."])
        without = seconds_of(self.started)
        self.begin(Path(str(project)), items)
        return max(0.0, seconds_of(self.started) - without)

    def browser(self, who: str) -> Client:
        if who not in self.browsers:
            client = self.client()
            client.form("/register", {"action": "signup", "email": who, "pass": PASSWORD})
            self.browsers[who] = client
        return self.browsers[who]

    def annotator(self, project: int | str, number: int) -> Annotator:
        return PotatoAnnotator(self.browser(f"rater{number}"), with_page=self.with_page)

    def over_assigned(self, project: int | str, *, overlap: int) -> int:
        counts: dict[str, int] = {}
        for state in self.states(Path(str(project))):
            for item, labels in state["instance_id_to_label_to_value"].items():
                counts[item] = counts.get(item, 0) + bool(labels)
        return sum(count > overlap for count in counts.values())

    def states(self, folder: Path) -> list[dict[str, Any]]:
        return [json.loads(file.read_text()) for file in sorted(folder.glob("out/*/user_state.json"))]

    def judged_project(self, name: str, items: list[str]) -> str:
        """Everybody judges one item, and what the server keeps of it is written again for all their others."""
        project = self.new_project(name, overlap=1)
        folder = Path(project)
        self.begin(folder, items)
        for number in range(ANNOTATORS):
            person = self.annotator(project, number)
            item = person.next()
            if item is None:
                raise Failed(f"nothing to judge for {number}")
            person.submit(item)
        for server in self.servers:
            server.stop()
        files = sorted(folder.glob("out/*/user_state.json"))
        done = {item for file in files for item in judged_in(json.loads(file.read_text()))}
        rest = [key for key in (f"item-{number}" for number in range(len(items))) if key not in done]
        for place, file in enumerate(files):
            spread(file, rest[place :: len(files)])
        self.begin(folder, items)
        return project

    def open_page(self, project: int | str) -> None:
        """The administrator's page, its overview and the first items."""
        client = self.client({"X-API-Key": KEY})
        for path in ("/admin", "/admin/api/overview", "/admin/api/instances?page=1&page_size=25"):
            client.get(path)

    def export(self, project: int | str) -> int:
        """By its own command for JSONL."""
        folder = Path(str(project))
        target = folder / "exported"
        shutil.rmtree(target, ignore_errors=True)
        python = str(self.venv() / "bin" / "python")
        run(
            [python, "-m", "potato.export", "--config", "config.yaml", "--format", "jsonl", "--output", str(target)],
            environment=clean_environment(),
            folder=folder,
        )
        files = [target] if target.is_file() else list(target.rglob("*"))
        return sum(file.stat().st_size for file in files if file.is_file())


def judged_in(state: dict[str, Any]) -> list[str]:
    return [item for item, labels in state["instance_id_to_label_to_value"].items() if labels]


def spread(file: Path, items: list[str]) -> None:
    state = json.loads(file.read_text())
    sample = judged_in(state)[0]
    waiting = set(state["instance_id_ordering"]) - set(judged_in(state))
    state["instance_id_ordering"] = [one for one in state["instance_id_ordering"] if one not in waiting] + items
    for per_item in state.values():
        if isinstance(per_item, dict) and sample in per_item:
            kept = {key: value for key, value in per_item.items() if key not in waiting}
            kept |= dict.fromkeys(items, per_item[sample])
            per_item.clear()
            per_item.update(kept)
    file.write_text(json.dumps(state))


class PotatoWithPage(Potato):
    """As a browser has it, which after every item loads the whole page anew."""

    name = "Potato, with its page"
    with_page = True


class PotatoAnnotator(Annotator):
    """Moves on and asks for the item as its page does, and has the page itself made or not."""

    def __init__(self, client: Client, *, with_page: bool) -> None:
        self.client, self.with_page = client, with_page
        self.judged = ""

    def next(self) -> str | None:
        if self.judged:
            self.client.headers["X-Potato-Navigation"] = "1"
            self.client.post("/annotate", {"action": "next_instance"})
        if self.with_page:
            self.client.get("/annotate")
        try:
            item = str(self.client.get("/api/current_instance")["instance_id"])
        except Failed as error:
            if error.status == NOT_FOUND:  # its way to say that nothing is left
                return None
            raise
        return None if item == self.judged else item

    def submit(self, item: str) -> None:
        answer = self.client.post("/updateinstance", {"instance_id": item, "annotations": ANSWER})
        if isinstance(answer, dict) and answer.get("status") == "error":
            raise Failed(str(answer.get("message")))
        self.judged = item
