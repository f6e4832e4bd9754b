"""What docs/operations.md names is there."""

from __future__ import annotations

import re

from django.core.management import get_commands
from django.urls import resolve

from annotator.metrics import LATENCY, REQUESTS
from tests.deployment.containers import services
from tests.deployment.variables import ROOT

GUIDE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def test_every_management_command_exists() -> None:
    named = set(re.findall(r"manage\.py (\w+)", GUIDE))
    assert {"create_coordinator", "jobs", "migrate"} <= named <= get_commands().keys()


def test_every_service_that_is_commanded_exists() -> None:
    named = set(re.findall(r"docker compose (?:exec|run|restart|logs)(?: -\S+)* (\w+)", GUIDE))
    stopped = {name for names in re.findall(r"docker compose stop ([\w ]+)", GUIDE) for name in names.split()}
    assert {"db", "web", "worker", "proxy"} <= named | stopped <= services().keys()


def test_every_metric_exists() -> None:
    families = [*REQUESTS.describe(), *LATENCY.describe()]
    source = (ROOT / "annotator" / "metrics.py").read_text(encoding="utf-8")
    made = {family.name for family in families} | set(re.findall(r'GaugeMetricFamily\("(\w+)"', source))
    named = re.findall(r"^\| `(annotator_\w+)` \|", GUIDE, re.MULTILINE)
    assert {name.removesuffix("_total") for name in named} == made


def test_every_address_answers() -> None:
    for path in re.findall(r"^\| `(/\w+)` \|", GUIDE, re.MULTILINE):
        assert resolve(path).view_name == path[1:]
