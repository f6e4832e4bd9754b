"""Every number of a release can be computed again from its CSV files, and one that was changed is found."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from labeling.corpus.models import Project
from labeling.release.models import Release
from tests.annotation.samples import protocol
from tests.release.samples import archive_of, contents, releasable, released

pytestmark = pytest.mark.django_db


def recompute(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", str(folder / "recompute.py"), str(folder)], capture_output=True, text=True
    )


def unpacked(release: Release, folder: Path) -> Path:
    with ZipFile(archive_of(release)) as archive:
        archive.extractall(folder)
    return folder


def test_every_number_can_be_computed_again(project: Project, tmp_path: Path) -> None:
    releasable(project)
    done = recompute(unpacked(released(project), tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "all are as the release says" in done.stdout


LEVELS = {
    "title": "All levels",
    "questions": [
        {"key": "fit", "text": "Does it fit?", "form": "likert", "level": "ordinal",
         "options": [{"key": key, "label": key} for key in ("bad", "fair", "good", "best")]},
        {"key": "size", "text": "How large?", "form": "number", "level": "ratio", "required": False},
        {"key": "grade", "text": "Which grade?", "form": "number", "level": "interval", "required": False},
        {"key": "why", "text": "Why?", "form": "multiple", "required": False,
         "options": [{"key": key, "label": key} for key in ("a", "b", "c")]},
        {"key": "words", "text": "In words?", "form": "text", "required": False},
    ],
}  # fmt: skip


def test_numbers_of_every_level_with_gaps_can_be_computed_again(project: Project, tmp_path: Path) -> None:
    fits = ["bad", "fair", "good", "best"]
    rows = [
        [
            {"fit": fits[(item + (person if item % 3 == 0 else 0)) % 4], "grade": (item * person) % 3 - 1.5,
             **({"size": item % 5 + person * 0.5} if (item + person) % 4 else {}),
             **({"why": [["a"], ["a", "b"], ["c"]][(item + person) % 3]} if item % 2 else {}),
             "words": f"= item {item}"}
            for person in range(3)
        ]
        for item in range(8)
    ]  # fmt: skip
    releasable(project, rows, protocol=protocol(project, LEVELS))
    release = released(project, filters=())
    figures = json.loads(contents(archive_of(release))["agreement.json"])["figures"]
    assert {one["level"] for one in figures} == {"ordinal", "ratio", "interval", "set"}
    done = recompute(unpacked(release, tmp_path))
    assert (done.returncode, done.stderr) == (0, "")


CHANGES = [
    ("statistics.json", '"released": 6', '"released": 7'),
    ("statistics.json", '"settled": {', '"settled": {"guessed": 3,'),
    ("agreement.json", "0.659259", "0.659359"),
    ("agreement.csv", "0.659259", "0.659359"),
    ("agreement.csv", "First,include,fleiss_kappa", "First,criteria,fleiss_kappa"),
    ("tables/answers.tex", "83.33", "83.34"),
    ("tables/answers.tex", "criteria & suggested", "criteria & convention"),
    ("tables/agreement.tex", r"Fleiss' $\kappa$", r"Cohen's $\kappa$"),
    ("tables/counts.tex", "left out", "open"),
    ("tables/groups.tex", "acme/rockets0", "acme/rockets2"),
    ("tables/names.tex", "15.83", "15.84"),
    ("charts/answers.vl.json", "0.833333", "0.933333"),
    ("charts/answers.vl.json", "criteria: suggested", "criteria: convention"),
    ("charts/agreement.vl.json", "First: include", "First: criteria"),
    ("charts/groups.vl.json", "acme/rockets0", "acme/rockets2"),
    ("README.md", "Votes: 24", "Votes: 25"),
    ("README.md", "release 1", "release 2"),
    ("CITATION.cff", 'version: "1"', 'version: "2"'),
    ("DATASET_CARD.md", "α = 0.659", "α = 0.959"),
    ("DATASET_CARD.md", "over 8 items", "over 9 items"),
    ("DATASET_CARD.md", "- First, criteria", "- First, more: α = 1.000\n- First, criteria"),
    ("manifest.json", '"agreement": 7', '"agreement": 8'),
    ("manifest.json", '"First": 7', '"First": 8'),
    ("votes.csv", "R1,0,1,yes,Pairs,1,1,no,,1.5,yes,suggested", "R1,0,1,yes,Pairs,1,1,no,,1.5,no,"),
    ("benchmark.csv", "load0,fetchMendResult", "load0,fetchMendResults"),
    ("benchmark.csv", "load0,fetchMendResult,yes,suggested", "load0,fetchMendResult,yes,convention"),
    ("benchmark.csv", "suggested,discussion", "suggested,unanimous"),
    ("finals.csv", "rocket-003,acme/rockets1,3,3,discussion", "rocket-003,acme/rockets1,3,2,discussion"),
    ("finals.csv", "unanimous,yes,yes,,yes,suggested", "unanimous,no,yes,,yes,suggested"),
]


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_number_that_was_changed_is_found_and_named(
    project: Project, tmp_path: Path, name: str, old: str, new: str
) -> None:
    releasable(project)
    folder = unpacked(released(project), tmp_path)
    text = (folder / name).read_bytes().decode()
    assert old in text
    (folder / name).write_bytes(text.replace(old, new).encode())
    manifest = json.loads((folder / "manifest.json").read_text())  # by somebody who mends the manifest too
    for entry in manifest["files"]:
        data = (folder / entry["path"]).read_bytes()
        entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    done = recompute(folder)
    assert done.returncode == 1
    assert "numbers differ" in done.stderr


def test_recomputing_without_a_file_says_which(project: Project, tmp_path: Path) -> None:
    releasable(project)
    folder = unpacked(released(project), tmp_path)
    (folder / "votes.csv").unlink()
    done = recompute(folder)
    assert done.returncode == 2
    assert "votes.csv" in done.stderr
