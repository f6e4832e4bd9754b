"""A participant over HTTP: opens the link, agrees, fills in every page, and keeps every byte that came back."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpResponseBase
from django.test import Client

from labeling.study.fieldwork.inviting import invite_many, open_to_all
from labeling.study.models import Study
from labeling.study.origins import NameOrigin
from labeling.study.presets import FOUR_NAMES
from labeling.study.taking.entering import Visit
from labeling.study.taking.models import Line, Participant

BACKGROUND = {
    "answers.years_developer": "6",
    "answers.years_java": "4.5",
    "answers.java_use": "use_5",
    "answers.degree": "phd",
    "answers.affiliation": "industry",
    "answers.position": "Engineer",
}
REASON = FOUR_NAMES.reasons[1].key
LINE = re.compile(r'data-line="([\w-]+)"')


class Taker:
    def __init__(self, study: Study, link: str | None = None) -> None:
        self.study = study
        self.client = Client(enforce_csrf_checks=True)
        self.link = link or invite_many(study, labels=[""], by=None)[0].link
        self.received: list[HttpResponseBase] = []

    @classmethod
    def openly(cls, study: Study, query: str = "") -> Taker:
        return cls(study, open_to_all(study, by=None) + query)

    def url(self, rest: str = "") -> str:
        return f"/s/{self.study.code}/{rest}"

    def get(self, path: str, **more: Any) -> Any:
        self.received.append(self.client.get(path, **more))
        return self.received[-1]

    def post(self, path: str, data: dict[str, Any] | None = None, **more: Any) -> Any:
        sent = {"form": self.form, **(data or {})}
        self.received.append(self.client.post(path, sent, **more))
        return self.received[-1]

    @property
    def form(self) -> str:
        """As the pages carry it; each test of a page that has a form would fail if they carried another."""
        cookie = self.client.cookies.get("participant")
        return Visit(self.study, cookie.value if cookie else "").form_token

    @property
    def participant(self) -> Participant:
        return self.study.participants.order_by("-pk").first()  # type: ignore[return-value]

    def open(self) -> Any:
        address = urlsplit(self.link)
        response = self.get(f"{address.path}?{address.query}" if address.query else address.path)
        return self.get(response["Location"]) if response.status_code == 302 else response

    def start(self) -> Any:
        self.open()
        return self.post(self.url("start/"), {"agree": "yes", "version": "1"})

    def begin(self) -> str:
        """Up to the first method; its address."""
        self.start()
        self.get(self.url("about-you/"))
        self.post(self.url("about-you/"), BACKGROUND)
        self.get(self.url("instructions/"))
        self.post(self.url("instructions/"))
        self.get(self.url("practice/"))
        return str(self.post(self.url("practice/"), {"go": "begin"})["Location"])

    def lines(self) -> list[str]:
        return LINE.findall(self.received[-1].text)  # type: ignore[attr-defined]

    def fill(self, lines: list[str], answer: Callable[[int], tuple[str, str]]) -> dict[str, str]:
        sent = {}
        for place, code in enumerate(lines):
            sent[f"answer.{code}"], sent[f"reason.{code}"] = answer(place)
        return sent

    def judge_all(self, answer: Callable[[int], tuple[str, str]] = lambda _: ("yes", "")) -> None:
        """Every page from the first on, by its form."""
        place = self.begin()
        while "/page/" in place:
            self.get(place)
            place = self.post(place, {**self.fill(self.lines(), answer), "go": "next", "comment": ""})["Location"]

    def finish(self) -> Any:
        self.get(self.url("end/"))
        self.post(self.url("end/"), {"exit_answer": "No."})
        return self.get(self.url("thanks/"))


class Opinionated(Taker):
    """A participant who judges by what only a test knows: where a name came from."""

    def judge_pages(self, opinion: Callable[[str, int], tuple[str, str]], *, pages: int | None = None) -> None:
        """`opinion` takes the key of an origin and the number of the page."""
        place, number = self.begin(), 0
        while "/page/" in place and (pages is None or number < pages):
            number += 1
            self.get(place)
            sent: dict[str, str] = {}
            for code in self.lines():
                line = Line.objects.get(code=code)
                origin = NameOrigin.objects.filter(name=line.name).order_by("origin__key").first()
                answer, reason = opinion(origin.origin.key if origin else line.name.attention, number)
                sent |= {f"answer.{code}": answer, f"reason.{code}": reason}
            place = self.post(place, {**sent, "go": "next", "comment": "", "active": "0.8"})["Location"]
