"""What /metrics tells Prometheus: requests summed over all web processes; jobs and votes counted from their rows."""

from __future__ import annotations

import logging
import os
from collections import Counter as Counted
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from labeling.annotation.models import Rater
from labeling.jobs.models import Job

logger = logging.getLogger(__name__)

KINDS = ("counter", "histogram")
ROOM = 1 << 18  # bytes for all routes, statuses and buckets; one route needs about 2,000
REQUESTS = Counter("annotator_requests", "Requests answered", ["method", "route", "status"])
LATENCY = Histogram(
    "annotator_request_seconds",
    "Time to answer a request",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10),
)


class JobCollector(Collector):
    """Jobs by kind and state, asked of the database at each scrape: the rows are the truth."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        family = GaugeMetricFamily("annotator_jobs", "Jobs by kind and state", labels=["kind", "state"])
        for kind, state, count in Job.objects.count_by_state():
            family.add_metric([kind, state], count)
        yield family


class VoteCollector(Collector):
    """Votes in force by project, from the tallies of their raters: a million votes cost no more than a few people."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        family = GaugeMetricFamily("annotator_votes", "Votes in force by project", labels=["project"])
        counts: Counted[str] = Counted()
        for project, tally in Rater.objects.values_list("round__project__slug", "tally"):
            counts[project] += sum(tally)
        for project, count in sorted(counts.items()):
            family.add_metric([project], count)
        yield family


class Files:
    """Where this process counts. They are memory that is mapped to files: with no room left on the disk, to touch a
    new page of one would end the process. So a process that cannot have its room beforehand answers and counts not."""

    reserved = True

    @classmethod
    def reserve(cls) -> None:
        """Called once by each process, before it answers."""
        paths = [Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]) / f"{kind}_{os.getpid()}.db" for kind in KINDS]
        try:
            for path in paths:
                path.write_bytes(bytes(ROOM))
        except OSError:
            cls.reserved = False
            logger.warning("no room on the disk: requests to this process are not counted")
            for path in paths:
                path.unlink(missing_ok=True)


@contextmanager
def uncounted() -> Iterator[None]:
    """For what is asked before the processes that count are there."""
    Files.reserved = False
    yield
    Files.reserved = True


def observe(*, method: str, route: str, status: int, seconds: float) -> None:
    if not Files.reserved:
        return
    REQUESTS.labels(method, route, str(status)).inc()
    LATENCY.labels(route).observe(seconds)


def exposition() -> bytes:
    """The text of one scrape."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(JobCollector())
    registry.register(VoteCollector())
    return generate_latest(registry)
