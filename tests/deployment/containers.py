"""The files that describe our containers, read as far as the tests beside this need."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.deployment.variables import ROOT

COMPOSE = ROOT / "docker-compose.yml"
SAMPLE = {"DOMAIN": "concord.example.org", "SECRET_KEY": "0123456789abcdef" * 4, "POSTGRES_PASSWORD": "cd34" * 8}
REFERENCE = re.compile(r"\$\$|\$\{(\w+)(?::([?-])((?:[^{}]|\$\{\w+\})*))?\}")


@dataclass(frozen=True)
class Dockerfile:
    """The instructions of a Dockerfile, and the folder that its COPY reads from."""

    folder: Path
    instructions: list[tuple[str, str]]

    @classmethod
    def read(cls, folder: Path) -> Dockerfile:
        lines = (folder / "Dockerfile").read_text(encoding="utf-8").splitlines()
        text = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
        parts = [line.split(maxsplit=1) for line in text.replace("\\\n", " ").splitlines() if line.strip()]
        return cls(folder, [(name, " ".join(rest.split())) for name, rest in parts])

    def all(self, name: str) -> list[str]:
        return [text for instruction, text in self.instructions if instruction == name]

    def last(self, name: str) -> str:
        return self.all(name)[-1]

    def command(self) -> list[str]:
        return list(json.loads(self.last("CMD")))

    def environment(self) -> dict[str, str]:
        return dict(word.split("=", 1) for text in self.all("ENV") for word in shlex.split(text))

    def copied(self) -> list[str]:
        """What the build context must hold."""
        ours = [text for text in self.all("COPY") if not text.startswith("--from=")]
        return sorted({source for text in ours for source in text.split()[:-1]})


def services() -> dict[str, dict[str, Any]]:
    return dict(yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"])


def built() -> dict[str, Dockerfile]:
    """The services whose image is ours, each with its Dockerfile."""
    return {
        name: Dockerfile.read(ROOT / service["build"]) for name, service in services().items() if "build" in service
    }


def apps() -> list[str]:
    return [name for name, dockerfile in built().items() if dockerfile.folder == ROOT]


def filled_in(text: str) -> str:
    """The text as Compose would pass it on, with SAMPLE as the .env file."""

    def value(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        return SAMPLE.get(match[1]) or filled_in(match[3] if match[2] == "-" else "")

    return REFERENCE.sub(value, text)


def environment(name: str) -> dict[str, str]:
    """What a service finds in its environment: what its image says, and what Compose adds."""
    image = built()[name].environment() if name in built() else {}
    return {**image, **{key: filled_in(value) for key, value in services()[name].get("environment", {}).items()}}


def command(name: str) -> list[str]:
    return list(services()[name].get("command") or built()[name].command())


def health_check(name: str) -> str:
    own = services()[name].get("healthcheck", {})
    if own.get("disable"):
        return ""
    return " ".join(own["test"]) if "test" in own else built()[name].last("HEALTHCHECK")
