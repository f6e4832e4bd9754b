"""What the bench asks of a program, whichever it is."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from contextlib import ExitStack
from pathlib import Path
from random import Random

from bench.side_by_side.client import Client, Failed, wait_until
from bench.side_by_side.processes import Server, memory_of

ANNOTATORS = 8
BYTES = 1_500
QUESTION = "Is this text about naming?"
OPTIONS = ["yes", "no"]


def texts(count: int) -> list[str]:
    """The same plain texts for everybody, about 1.5 KB each, every one different."""
    random = Random(7)  # noqa: S311 (the same items each time)
    words = [f"word{number}" for number in range(2_000)]
    made = []
    for number in range(count):
        text = f"item {number} "
        text += " ".join(random.choices(words, k=BYTES // 7))
        made.append(text[:BYTES])
    return made


class Annotator(ABC):
    """One person at work in one project. `has_next`: the next item came with the answer to the last submission."""

    @property
    def has_next(self) -> bool:
        return False

    @abstractmethod
    def next(self) -> str | None:
        """The item to judge now; nothing when none is left."""

    @abstractmethod
    def submit(self, item: str) -> None: ...


class Adapter(ABC):
    """One program. `why_not` says in words why an overlap cannot be had from it."""

    name: str
    package = ""
    why_not: dict[int, str] = {}

    def __init__(self, *, folder: Path, peers: Path | None, port: int) -> None:
        self.folder, self.peers, self.port = folder, peers, port
        self.url = f"http://127.0.0.1:{port}"
        self.servers: list[Server] = []
        self.clients: list[Client] = []
        self.stack = ExitStack()

    def venv(self) -> Path:
        """Where the program is installed."""
        if self.peers is None or not (self.peers / f"venv-{self.package}" / "bin" / "python").exists():
            raise Failed("not installed")
        return self.peers.resolve() / f"venv-{self.package}"

    def serve(self, command: list[str], environment: dict[str, str], *, folder: Path | None = None) -> Server:
        server = Server(command, environment=environment, folder=folder or self.folder, log=self.folder / "server.log")
        self.servers.append(server)
        return server

    def client(self, headers: dict[str, str] | None = None) -> Client:
        made = Client(self.url, headers)
        self.clients.append(made)
        return made

    def wait_for_page(self, path: str, seconds: float = 300) -> None:
        """Until the page is there; at once in words when a process ended."""

        client = self.client()

        def answers() -> bool:
            for server in self.servers:
                server.require_alive()
            try:
                client.get(path)
            except Failed:
                return False
            return True

        wait_until(answers, seconds, f"The first page of {self.name}")

    def memory(self) -> float:
        return memory_of([server.process.pid for server in self.servers])

    def stop(self) -> None:
        for server in reversed(self.servers):
            server.stop()
        self.servers.clear()
        for client in self.clients:
            client.connection.close()
        self.clients.clear()
        self.stack.close()

    @abstractmethod
    def start(self) -> None:
        """From an empty folder to the first page."""

    @abstractmethod
    def new_project(self, name: str, *, overlap: int) -> int | str: ...

    @abstractmethod
    def import_items(self, project: int | str, items: list[str]) -> float:
        """How many seconds it took."""

    def open_project(self, project: int | str, *, overlap: int) -> None:  # noqa: B027 (most need nothing)
        """Whatever else is needed before the first item can be handed out."""

    def settle(self, project: int | str) -> None:  # noqa: B027 (most need nothing)
        """Waits until the program has done what it does beside an import, so that rounds are measured alone."""

    @abstractmethod
    def annotator(self, project: int | str, number: int) -> Annotator: ...

    @abstractmethod
    def over_assigned(self, project: int | str, *, overlap: int) -> int:
        """Items with more judgements than wanted."""

    @abstractmethod
    def judged_project(self, name: str, items: list[str]) -> int | str:
        """A project in which every item has one judgement, by the quickest way there is."""

    @abstractmethod
    def open_page(self, project: int | str) -> None:
        """What a browser fetches for the project's first screen, one after the other, without styles and scripts."""

    @abstractmethod
    def export(self, project: int | str) -> int:
        """Texts and judgements as files; how many bytes came."""


def seconds_of(started: float) -> float:
    return time.perf_counter() - started
