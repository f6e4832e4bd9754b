"""docs/formats.md lists every file that leaves and every column in it, and no other: compared with real files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import fields
from fnmatch import fnmatch
from pathlib import Path
from zipfile import ZipFile

import pytest

from labeling.agreement.choosing import measurable
from labeling.agreement.exporting import start_export as start_agreement
from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Project
from labeling.corpus.payloads import EXTRA
from labeling.jobs.models import Job
from labeling.overview.exporting import start_activity_export
from labeling.people.models import User
from labeling.release.showing import GENERAL
from labeling.study.fieldwork.inviting import as_csv
from labeling.study.freezing import unblind_study
from labeling.study.results.exporting import start_export as start_study
from tests.docs.pages import columns_after, first_table, names_in, part, rows, text_of
from tests.release.samples import archive_of, releasable, released
from tests.study.finished import closed, computed

PAGE = text_of("formats.md")
RELEASE = part(PAGE, "## A release")
STUDY = part(PAGE, "## study.zip")
AGREEMENT = part(PAGE, "### agreement.zip", "\n### ")
RunJob = Callable[[Job], Path]


def members(archive: Path) -> dict[str, str]:
    with ZipFile(archive) as opened:
        return {name: opened.read(name).decode(errors="replace") for name in opened.namelist()}


def header(text: str) -> list[str]:
    """The columns of a CSV, those that depend on the project under the name that the page gives them."""
    names = [name.removeprefix("'") for name in next(csv.reader(io.StringIO(text)))]
    names = [re.sub(r"^answer\..+", "answer.KEY", name) for name in names]
    return list(dict.fromkeys(re.sub(r"^(answer|reason|place|name)_.+", r"\1_*", name) for name in names))


def assert_listed(files: dict[str, str], table: str) -> None:
    documented = [name for row in rows(table) for name in names_in(row[0])]
    assert [name for name in files if not any(fnmatch(name, known) for known in documented)] == []
    assert [known for known in documented if not any(fnmatch(name, known) for name in files)] == []


def test_columns_of_a_release(project: Project) -> None:
    releasable(project)
    files = members(archive_of(released(project)))
    sheets = {name: text for name, text in files.items() if name.endswith(".csv")}
    for name, text in sheets.items():
        assert columns_after(RELEASE, f"### {name}") == header(text), name
    assert_listed(files, first_table(RELEASE))


def test_columns_of_a_benchmark_of_other_kinds() -> None:
    (sentence,) = re.findall(r"^With items of other kinds.+", RELEASE, re.MULTILINE)
    assert names_in(sentence)[:-1] == GENERAL


def test_columns_of_the_agreement(project: Project, run_job: RunJob) -> None:
    releasable(project)
    files = members(run_job(start_agreement(measurable(project, {}), by=None)))
    starts = {name: f"`{name}`, " for name in files if name.endswith(".csv")} | {"agreement.csv": "What the page"}
    for name, start in starts.items():
        assert columns_after(AGREEMENT, start) == header(files[name]), name
    assert {name for name in names_in(AGREEMENT) if re.search(r"\.(csv|json|tex)$", name)} == files.keys()


def test_columns_of_a_study(project: Project, alice: User, run_job: RunJob) -> None:
    study = unblind_study(closed(project, alice), by=alice)
    computed(study)
    files = members(run_job(start_study(study, by=None)))
    for name in ("long.csv", "wide.csv", "participants.csv"):
        assert columns_after(STUDY, f"`{name}`, ") == header(files[name]), name
    assert_listed(files, first_table(STUDY))


def test_columns_of_the_activity_log(project: Project, run_job: RunJob) -> None:
    made = run_job(start_activity_export(project, by=None)).read_text(encoding="utf-8")
    assert columns_after(PAGE, "### activity.csv") == header(made)


def test_columns_of_links() -> None:
    assert columns_after(PAGE, "## links.csv") == header(as_csv([]))


@pytest.mark.parametrize("kind", KINDS)
def test_fields_of_a_kind(kind: str) -> None:
    known = {field.name for field in fields(KINDS[kind])} - {EXTRA}  # type: ignore[arg-type]
    assert set(columns_after(PAGE, f"`{kind}`:")) == known
