"""Participants of the demo: each takes part as a person does, by the pages of the study, one request after another."""

from __future__ import annotations

import re
from random import Random
from urllib.parse import urlsplit

from labeling.study.blindness.recording import Received, Recorder
from labeling.study.models import Study

FORM = re.compile(r'name="form" value="(\w+)"')
VERSION = re.compile(r'name="version" value="(\d+)"')
LINE = re.compile(r'data-line="([\w-]+)".*?<code class="line__name">(.*?)</code>', re.DOTALL)
LIKING = {"buggy": 0.38, "fixed": 0.84, "cognac": 0.2, "gtnm": 0.47}
WHY = {
    "buggy": (2, 6, 1, 0.4, 2),
    "fixed": (1, 4, 2, 0.4, 2),
    "cognac": (7, 2, 1, 0.4, 4),
    "gtnm": (2, 5, 1, 0.6, 2),
}
DEGREES = ["phd", "phd", "master", "phd", "bachelor", "master", "phd", "master", "bachelor", "phd"]


class Simulated:
    """One of them. What they make of a name depends on the name, on who they are, and on the day."""

    def __init__(self, study: Study, link: str, number: int, origins: dict[str, str]) -> None:
        self.root = f"/s/{study.code}/"
        self.link, self.number, self.origins = link, number, origins
        self.rng = Random(f"participant {number}")  # noqa: S311 (a demo, the same every time)
        self.mildness = self.rng.gauss(0, 0.08)
        self.visitor = Recorder()
        self.form = ""

    def take_part(self) -> None:
        self.get(urlsplit(self.link).path)
        consent = self.get(self.root).text
        self.form = found(FORM, consent)
        self.post("start/", {"agree": "yes", "version": found(VERSION, consent)})
        self.post("about-you/", self.background())
        place = self.post("instructions/", {"skip": "1"})
        while "/page/" in place:
            place = self.judge(place)
        self.post(
            "end/", {"exit_answer": "Some names read as if a tool had made them." if self.number % 3 == 0 else ""}
        )

    def get(self, path: str) -> Received:
        return require_well(self.visitor.get(path))

    def post(self, rest: str, data: dict[str, str]) -> str:
        """Where it leads to."""
        path = rest if rest.startswith("/") else f"{self.root}{rest}"
        return require_well(self.visitor.post(path, {"form": self.form, **data})).header("Location")

    def background(self) -> dict[str, str]:
        years = self.rng.randint(3, 9)
        return {
            "answers.years_developer": str(years),
            "answers.years_java": str(max(1, years - self.rng.randint(0, 3))),
            "answers.java_use": "use_4" if self.number == 4 else "use_5",  # noqa: PLR2004 (one of them, as in the paper)
            "answers.degree": DEGREES[self.number % len(DEGREES)],
            "answers.affiliation": "industry" if self.number % 2 else "academia",
            "answers.position": "Engineer",
        }

    def judge(self, place: str) -> str:
        """A page with all its names, as its form sends it; the address of the next."""
        data = {"go": "next", "comment": "", "active": f"{self.rng.uniform(0.3, 1):.1f}"}
        for code, name in LINE.findall(self.get(place).text):
            data[f"answer.{code}"], data[f"reason.{code}"] = self.opinion(name)
        return self.post(place, data)

    def opinion(self, name: str) -> tuple[str, str]:
        """Everybody sees the same strength in a name, and each of them a little differently."""
        origin = self.origins[name]
        strength = LIKING[origin] + Random(name).gauss(0, 0.2) + self.mildness  # noqa: S311 (a demo)
        if self.rng.random() < strength:
            return "yes", ""
        reasons = ("completely_inconsistent", "partially_inconsistent", "convention", "mistake", "context")
        return "no", self.rng.choices(reasons, WHY[origin])[0]


def require_well(received: Received) -> Received:
    if received.status >= 400:  # noqa: PLR2004 (a refusal)
        raise RuntimeError(f"{received.method} {received.path} was answered with {received.status}")
    return received


def found(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    if match is None:
        raise RuntimeError(f"a page of the study has no {pattern.pattern}")
    return match[1]
