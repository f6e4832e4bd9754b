"""Everybody at once, over HTTP: they vote, answer and decide, and send again what was not acknowledged, as pages do."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Sized
from http.client import HTTPConnection, HTTPException
from random import Random
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from tests.annotation.samples import EXCLUDE, INCLUDE
from tests.faults.filling import ITEMS, VOTES

FIRST_WAIT, LONGEST_WAIT = 0.1, 1.0
PATIENCE = 60
TIMEOUT = 20  # seconds for one answer
Answer = tuple[int, Any]
Outcomes = Counter[tuple[str, str]]  # what was sent, and what came of it


class Caller:
    """Sends one thing until it is acknowledged; what the server refuses is a failure of the test."""

    def __init__(self, url: str, headers: dict[str, str], outcomes: Outcomes) -> None:
        self.place = urlsplit(url).netloc
        self.headers = headers
        self.outcomes = outcomes
        self.connection = HTTPConnection(self.place, timeout=TIMEOUT)

    def send(self, kind: str, path: str, body: str) -> Any:
        wait, deadline = FIRST_WAIT, time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                status, answer = self.once(path, body)
            except (OSError, HTTPException):
                self.outcomes[kind, "cut"] += 1
                self.connection.close()
            else:
                self.outcomes[kind, str(status)] += 1
                if status < 400:
                    return answer
                assert status >= 500, (path, status, answer)
            time.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT)
        raise AssertionError(f"{path} was not answered within {PATIENCE} s: {dict(self.outcomes)}")

    def once(self, path: str, body: str) -> Answer:
        self.connection.request("POST", path, body, self.headers)
        response = self.connection.getresponse()
        if response.length is None:
            raise HTTPException("half an answer")  # a browser sees a broken connection here, Python does not
        text = response.read()
        is_json = "json" in response.headers.get("Content-Type", "")
        return response.status, json.loads(text) if is_json else text[:300]


class Crowd:
    """All who act in the project that `filling` made, each in a thread of their own."""

    def __init__(self, url: str, name: str, facts: dict[str, Any]) -> None:
        self.url, self.name, self.facts = url, name, facts
        self.outcomes: Outcomes = Counter()
        self.votes: dict[str, int] = {}
        self.answers: dict[str, str] = {}
        self.decisions: list[str] = []
        self.proposals: list[str] = []
        self.callers: list[Caller] = []
        self.failures: list[BaseException] = []
        self.is_over = threading.Event()  # the fault
        self.still_wants: Callable[[str], bool] = lambda _: False  # the test, to see more of this kind during the fault
        self.in_all = {
            "vote": ITEMS * VOTES,
            "answer": sum(len(lines) for sheet in facts["sheets"] for lines in sheet["pages"].values()),
            "decision": len(facts["before_adjudicator"]),
            "proposal": len(facts["in_discussion"]) * len(facts["talkers"]),
        }
        self.threads = [threading.Thread(target=self.guard, args=(act,)) for act in self.acts()]

    def acts(self) -> list[Callable[[], None]]:
        facts = self.facts
        annotators = [lambda n=n, t=t: self.judge(t, Random(n)) for n, t in enumerate(facts["annotators"])]  # noqa: S311
        participants = [lambda s=s: self.take(s) for s in facts["sheets"]]
        talkers = [lambda t=t: self.talk(t) for t in facts["talkers"]]
        return [*annotators, *participants, *talkers, lambda: self.decide(facts["adjudicator"])]

    def __enter__(self) -> Crowd:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Whatever went wrong, nobody goes on in the next test."""
        self.is_over.set()
        for thread in self.threads:
            thread.join(PATIENCE)

    def finish(self) -> None:
        self.is_over.set()
        for thread in self.threads:
            thread.join()
        for caller in self.callers:
            caller.connection.close()
        assert self.failures == [], (self.failures, self.outcomes)

    def pause(self, kind: str, seconds: float) -> None:
        """Until the fault is over they take their time, and do of the second half of their work only what the test
        still wants to see: however slow the machine, much is left to do after the fault."""
        self.is_over.wait(seconds)
        while self.acknowledged[kind] >= self.in_all[kind] // 2 and not self.still_wants(kind):
            if self.is_over.wait(0.05):
                return

    def guard(self, act: Callable[[], None]) -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 (a thread's failure is the test's)
            self.failures.append(error)

    @property
    def acknowledged(self) -> dict[str, int]:
        """How many of each kind."""
        kinds: dict[str, Sized] = {
            "vote": self.votes,
            "answer": self.answers,
            "decision": self.decisions,
            "proposal": self.proposals,
        }
        return {kind: len(known) for kind, known in kinds.items()}

    def script(self, token: str) -> Caller:
        return self.caller({"Authorization": f"Bearer {token}", "Content-Type": "application/json"})

    def caller(self, headers: dict[str, str]) -> Caller:
        self.callers.append(Caller(self.url, headers, self.outcomes))
        return self.callers[-1]

    def coordinate(self, path: str) -> Any:
        """Something that is asked for in the project in which they vote."""
        caller = self.script(self.facts["coordinator"])
        return caller.send("ask", f"/api/v1/projects/{self.name}-judging/{path}", "{}")

    def judge(self, token: str, rng: Random) -> None:
        """Until nothing is left for them. Half of the votes bring the next item with them."""
        caller, wanted = self.script(token), f"/api/v1/projects/{self.name}-judging/next/"
        given = caller.send("next", wanted, "{}")["assignment"]
        while given:
            self.pause("vote", rng.uniform(0.4, 1.2))  # whatever dies, most of them are about to vote
            ballot: dict[str, Any] = {"submission": str(uuid4()), "answers": rng.choice([INCLUDE, EXCLUDE])}
            if rng.random() < 0.5:
                ballot["next"] = {}
            vote = caller.send("vote", f"/api/v1/assignments/{given['id']}/vote/", json.dumps(ballot))
            self.votes[ballot["submission"]] = vote["id"]
            given = (vote["next"] if "next" in ballot else caller.send("next", wanted, "{}"))["assignment"]

    def take(self, sheet: dict[str, Any]) -> None:
        """Every name on every page, one by one, and then the end."""
        headers = {"Cookie": f"participant={sheet['secret']}", "Accept": "application/json",
                   "Content-Type": "application/x-www-form-urlencoded"}  # fmt: skip
        caller, root = self.caller(headers), f"/s/{sheet['study']}/"
        for page, lines in sheet["pages"].items():
            for code in lines:
                given = {"form": sheet["form"], "line": code, "answer": "yes", "reason": "", "revision": "0"}
                assert caller.send("answer", f"{root}page/{page}/answer/", urlencode(given))["revision"] == 1
                self.answers[code] = "yes"
                self.pause("answer", 0.8)
        caller.send("end", f"{root}end/", urlencode({"form": sheet["form"], "exit_answer": ""}))

    def talk(self, token: str) -> None:
        """Both propose the same, which settles the case."""
        caller = self.script(token)
        for case, _ in self.facts["in_discussion"]:
            proposal: dict[str, Any] = {"submission": str(uuid4()), "answers": EXCLUDE}
            caller.send(
                "proposal", f"/api/v1/projects/{self.name}-talking/cases/{case}/proposals/", json.dumps(proposal)
            )
            self.proposals.append(proposal["submission"])
            self.pause("proposal", 1)

    def decide(self, token: str) -> None:
        caller = self.script(token)
        for case, seen in self.facts["before_adjudicator"]:
            verdict: dict[str, Any] = {
                "submission": str(uuid4()),
                "version": seen,
                "rationale": "Seen.",
                "answers": EXCLUDE,
            }
            caller.send("decision", f"/api/v1/projects/{self.name}-deciding/cases/{case}/decide/", json.dumps(verdict))
            self.decisions.append(verdict["submission"])
            self.pause("decision", 1)
