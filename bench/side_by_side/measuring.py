"""Rounds of next and submit by several people at once, and what is made of their times."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence

from bench.side_by_side.adapters import Annotator
from bench.side_by_side.client import TROUBLE

TIMED = ("next", "submit", "wait")  # wait: all that a person waits for from one judgement to the next
MOST_FAILURES_IN_A_ROW = 20
PAUSE = 0.02


class Person(threading.Thread):
    """In the loop until the time or the count is over, nothing is left, or nothing works any more."""

    def __init__(self, annotator: Annotator, deadline: float, most: int) -> None:
        super().__init__(daemon=True)
        self.annotator, self.deadline, self.most = annotator, deadline, most
        self.times: dict[str, list[float]] = {name: [] for name in TIMED}
        self.rounds = 0
        self.failures: list[str] = []
        self.ended = time.perf_counter()

    def run(self) -> None:
        in_a_row = 0
        while self.rounds < self.most and time.perf_counter() < self.deadline and in_a_row < MOST_FAILURES_IN_A_ROW:
            try:
                if not self.one_round():
                    break
                in_a_row = 0
            except TROUBLE as error:
                in_a_row += 1
                self.failures.append(str(error) or type(error).__name__)
                time.sleep(PAUSE)
        self.ended = time.perf_counter()

    def one_round(self) -> bool:
        started, asks = time.perf_counter(), not self.annotator.has_next
        item = self.annotator.next()
        if item is None:
            return False
        asked = time.perf_counter()
        if asks:
            self.times["next"].append(asked - started)
        self.annotator.submit(item)
        ended = time.perf_counter()
        self.times["submit"].append(ended - asked)
        self.times["wait"].append(ended - started)
        self.rounds += 1
        return True


def run_loop(annotators: Sequence[Annotator], *, seconds: float, most: int) -> dict[str, float | str]:
    """Everybody starts together; rates are by the clock from there to the last one's end."""
    started = time.perf_counter()
    people = [Person(annotator, started + seconds, math.ceil(most / len(annotators))) for annotator in annotators]
    for person in people:
        person.start()
    for person in people:
        person.join()
    took = max(person.ended for person in people) - started
    found: dict[str, float | str] = {
        "rounds_per_s": sum(person.rounds for person in people) / took,
        "count": sum(person.rounds for person in people),
        "failed": sum(len(person.failures) for person in people),
    }
    for name in TIMED:
        times = [value for person in people for value in person.times[name]]
        if len(times) > len(annotators):  # else only what everybody began with
            found |= {f"{name}_p50": percentile(times, 50), f"{name}_p95": percentile(times, 95)}
    if first := next((person.failures[0] for person in people if person.failures), ""):
        found["first_failure"] = first
    return found


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest value that so many per cent do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
