"""Planning needs no arrays, and nothing heavy is loaded before it computes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.servers import ROOT

PLANNING = "labeling.study.design.sizes, labeling.study.design.sheets, labeling.study.design.sampling"
ANALYSIS = "labeling.study.statistics.analysing, labeling.study.statistics.flags, labeling.study.design.simulating"


@pytest.mark.parametrize(
    ("modules", "heavy"),
    [(PLANNING, {"numpy", "scipy", "statsmodels", "pandas"}), (ANALYSIS, {"scipy", "statsmodels", "pandas"})],
)
def test_import_loads_nothing_heavy(modules: str, heavy: set[str]) -> None:
    program = f"import sys, {modules}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "labeling.study.design" in done.stdout
    assert not heavy & set(done.stdout.split())


def test_web_process_loads_nothing_heavy() -> None:
    program = "import sys, django; django.setup(); import annotator.urls, labeling.tasks; print(*sys.modules)"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "annotator.settings"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT, env=environment
    )
    assert "labeling.study.results.views" in done.stdout.split()
    assert not {"numpy", "scipy", "statsmodels", "pandas", "altair"} & set(done.stdout.split())
