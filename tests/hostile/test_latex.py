r"""Names that are LaTeX, in the tables for a paper: they stand there as words, and nothing of them is carried out. A
bracket at the start of a row would be an argument of the \\ that ends the row before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import call_command

from labeling.agreement.exporting import start_export
from labeling.corpus.models import Item, Project
from labeling.jobs.models import Job
from labeling.people.models import User
from labeling.release.tables import Figures, latex_tables
from tests.agreement.projects import SPLIT, judged_round, selected
from tests.annotation.samples import annotators, items
from tests.release.samples import archive_of, contents, releasable, released

HOSTILE = r"[9cm]\input{/etc/passwd}%_#$^~&"
WORDS = r"[9cm]\textbackslash{}input\{/etc/passwd\}\%\_\#\$\textasciicircum{}\textasciitilde{}\&"


def as_words(latex: str) -> int:
    """How often the name stands there; each time it must be as words, and at the start of no row."""
    assert latex.count("passwd") == latex.count(WORDS)
    assert not any(line.lstrip().startswith(("[", "*")) for line in latex.splitlines())
    return latex.count(WORDS)


def test_agreement_of_a_project_holds_names_as_words(project: Project, run_job: Callable[[Job], Path]) -> None:
    items(project, 4)
    Item.objects.update(group=HOSTILE)
    people = annotators(project, 2)
    User.objects.filter(pk=people[0].pk).update(name=HOSTILE)
    judged_round(project, people, SPLIT, name=HOSTILE)
    with ZipFile(run_job(start_export(selected(project, group=HOSTILE), by=None))) as archive:
        assert as_words(archive.read("agreement.tex").decode()) == 2


def test_agreement_of_a_file_holds_names_as_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ratings.csv"
    rows = [f"{item},{rater}{HOSTILE},{HOSTILE},{HOSTILE}" for item in (1, 2) for rater in "ab"]
    file.write_text("\n".join(["item,annotator,value,question", *rows]))
    call_command("agreement", str(file), "--format", "latex")
    assert as_words(capsys.readouterr().out) >= 2


def test_tables_of_a_release_hold_names_as_words(project: Project) -> None:
    releasable(project, name=HOSTILE)
    Item.objects.update(group=HOSTILE)
    files = contents(archive_of(released(project)))
    tables = {name: as_words(text) for name, text in files.items() if name.endswith(".tex")}
    assert {name for name, count in tables.items() if count} == {"tables/agreement.tex", "tables/groups.tex"}


@pytest.mark.parametrize("before", ["", " ", "\n"])
def test_tables_hold_questions_and_options_as_words(before: str) -> None:
    """Keys are plain words today; the tables do not count on it. LaTeX looks past blanks for an argument."""
    row = {"question": before + HOSTILE, "option": HOSTILE, "items": 3, "share": 0.5, "low": 0.4, "high": 0.6}
    statistics: Figures = {"items": {}, "groups": [], "names": None, "answers": [row]}
    alpha = {"krippendorff_alpha": {"value": 0.5, "low": 0.4, "high": 0.6}}
    tables = latex_tables(statistics, [{"round": before + HOSTILE, "question": HOSTILE, "coefficients": alpha}])
    assert [as_words(tables[name]) for name in ("answers", "agreement")] == [2, 2]
