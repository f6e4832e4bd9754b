"""A whole session as a participant has it: every page, every answer, and the pages one gets for doing it wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random

from labeling.annotation.protocols.codebook import Question
from labeling.study.blindness.recording import Received, Recorder
from labeling.study.texts import Texts

FORM = re.compile(r'name="form" value="(\w+)"')
LINE = re.compile(r'data-line="([\w-]+)"')
JSON = "application/json"


@dataclass
class Session:
    """All that one participant received; `pages` are the methods in order, `answers` what came back for each line."""

    received: list[Received] = field(default_factory=list)
    pages: list[Received] = field(default_factory=list)
    answers: dict[str, Received] = field(default_factory=dict)


class Walk:
    def __init__(self, code: str, token: str, texts: Texts, rng: Random) -> None:
        self.root = f"/s/{code}/"
        self.token, self.texts, self.rng = token, texts, rng
        self.recorder = Recorder()
        self.session = Session(self.recorder.received)
        self.form = ""

    def walk(self) -> Session:
        self.recorder.get(f"{self.root}link/{self.token}/")
        consent = self.recorder.get(self.root)
        self.form = (FORM.search(consent.text) or [""] * 2)[1]
        version = re.search(r'name="version" value="(\d+)"', consent.text)
        self.post("start/", agree="yes", version=version[1] if version else "")
        if self.texts.background:
            self.recorder.get(f"{self.root}about-you/")
            self.post("about-you/", **{f"answers.{one.key}": self.any_answer(one) for one in self.texts.background})
        self.recorder.get(f"{self.root}instructions/")
        place = self.location(self.post("instructions/", skip="1"))
        while "/page/" in place:
            place = self.judge(place)
        self.go_wrong()
        self.recorder.get(f"{self.root}end/")
        self.post("end/", exit_answer="")
        for rest in ("thanks/", "leave/", "mine.json", ""):
            self.recorder.get(f"{self.root}{rest}")
        return self.session

    def post(self, rest: str, accept: str = "text/html", **data: str) -> Received:
        path = rest if rest.startswith("/") else f"{self.root}{rest}"
        return self.recorder.post(path, {"form": self.form, **data}, accept)

    def location(self, received: Received) -> str:
        return received.header("Location")

    def judge(self, place: str) -> str:
        """Each answer by itself, as the script of the page does it, and then the page as a whole."""
        page = self.recorder.get(place)
        self.session.pages.append(page)
        for code in LINE.findall(page.text):
            answer = self.rng.choice(["yes", "no"])
            reason = self.rng.choice(self.texts.reason_keys) if answer == "no" else ""
            sent = {"line": code, "answer": answer, "reason": reason, "revision": "0"}
            self.session.answers[code] = self.post(f"{place}answer/", JSON, **sent)
        self.post(f"{place}comment/", JSON, comment="", comment_was="")
        return self.location(self.post(place, go="next"))

    def go_wrong(self) -> None:
        """Refusals and error pages are received too."""
        place = self.session.pages[0].path if self.session.pages else self.root
        code = next(iter(self.session.answers), "x")
        self.post(f"{place}answer/", JSON, line=code, answer="maybe", revision="0")
        self.post(f"{place}answer/", JSON, line=code, answer="yes", reason="x", revision="0")
        self.post(f"{place}answer/", JSON, line="another", answer="yes", revision="0")
        self.post(place, **{f"answer.{code}": "no", f"reason.{code}": "x"})
        self.recorder.get(f"{self.root}page/nothing/")
        self.recorder.get(f"{self.root}nothing/")
        self.recorder.get(f"{place}answer/")

    def any_answer(self, question: Question) -> str:
        if question.has_options:
            return self.rng.choice(question.option_keys)
        if question.form == "number":
            return f"{question.low or 0:g}" if question.high is None else f"{question.high:g}"
        return "–"
